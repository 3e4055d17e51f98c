package sizing

import "math"

// A Plan is a Bloom filter's size.
type Plan struct {
	Bits   uint64
	Hashes int
}

// ClassicPlan returns the smallest multiple of 8 bits for which a classic
// filter with n keys has a rate of eps or less for some k. It also returns the
// k with the lowest rate at this size. Rates are computed by [Rate] with
// [WithClassicDigest]. ClassicPlan returns false if there is no such plan
// within [MaxBits] and [MaxHashes], for example if n is 0, or if eps is not in
// (0, 1) or not above n/2^64.
func ClassicPlan(n uint64, eps float64) (Plan, bool) {
	if !plausible(n, eps) {
		return Plan{}, false
	}
	var tables surjections
	s := search{eps: eps, rate: func(bytes uint64, k int) float64 {
		return WithClassicDigest(classicRate(8*bytes, k, n, tables.get), 8*bytes, k, n)
	}}
	guess := ceilWithin(float64(n)*BloomBitsPerKey(eps)/8, MaxBits/8)
	bytes, k, ok := s.smallest(guess, MaxBits/8)
	return Plan{Bits: 8 * bytes, Hashes: k}, ok
}

// PartitionedPlan is like [ClassicPlan] for k slices of whole bytes, using
// [PartitionedRate].
func PartitionedPlan(n uint64, eps float64) (Plan, bool) {
	var best Plan
	if !plausible(n, eps) {
		return best, false
	}
	rate := func(p Plan) float64 { return WithDigest(PartitionedRate(p.Bits, p.Hashes, n), n) }
	low, high := 1, MaxHashes
	middle := clampHashes(LowerBound(eps))
	if p, ok := partitioned(middle, n, eps); ok { // skip any k that needs more bits before rounding
		worse := func(k int) bool { return float64(k)*sliceBits(k, n, eps) > float64(p.Bits)*(1+1e-9) }
		for low = middle; low > 1 && !worse(low-1); low-- {
		}
		for high = middle; high < MaxHashes && !worse(high+1); high++ {
		}
	}
	for k := low; k <= high; k++ {
		p, ok := partitioned(k, n, eps)
		if !ok {
			continue
		}
		if best.Bits == 0 || p.Bits < best.Bits || p.Bits == best.Bits && rate(p) < rate(best) {
			best = p
		}
	}
	return best, best.Bits > 0
}

// BlockedPlan is like [ClassicPlan] for blocks of 512 bits, using
// [BlockedRate]. When there are 1,024 blocks or more, their number is a
// multiple of eight, so that the filter can be folded three times.
func BlockedPlan(n uint64, eps float64) (Plan, bool) {
	if !plausible(n, eps) {
		return Plan{}, false
	}
	s := search{eps: eps, rate: func(step uint64, k int) float64 {
		return WithDigest(BlockedRate(blocksAt(step)*LineBits, k, n), n)
	}}
	guess := ceilWithin(float64(n)*BloomBitsPerKey(eps)/LineBits, MaxBits/LineBits)
	step, k, ok := s.smallest(stepsOf(guess), stepsOf(MaxBits/LineBits))
	return Plan{Bits: blocksAt(step) * LineBits, Hashes: k}, ok
}

// foldable is the number of blocks from which on only multiples of eight are
// used.
const foldable = 1024

// blocksAt returns the step-th allowed number of blocks: 1, 2, ... 1024,
// 1032...
func blocksAt(step uint64) uint64 {
	if step <= foldable {
		return step
	}
	return foldable + 8*(step-foldable)
}

// stepsOf returns the largest step that does not exceed this number of blocks.
func stepsOf(blocks uint64) uint64 {
	if blocks <= foldable {
		return blocks
	}
	return foldable + (blocks-foldable)/8
}

// partitioned returns the smallest plan with k slices.
func partitioned(k int, n uint64, eps float64) (Plan, bool) {
	limit := uint64(MaxBits) / uint64(8*k)
	bytes, ok := smallest(ceilWithin(sliceBits(k, n, eps)/8, limit), limit, func(bytes uint64) bool {
		return WithDigest(PartitionedRate(8*bytes*uint64(k), k, n), n) <= eps
	})
	return Plan{Bits: 8 * bytes * uint64(k), Hashes: k}, ok
}

// sliceBits solves (1-(1-1/s)^n)^k = p for the slice size s in bits, where p is
// eps without the part that is due to equal digests. The total k*s first
// decreases with k and then increases.
func sliceBits(k int, n uint64, eps float64) float64 {
	d := DigestRate(n)
	perSlice := math.Pow((eps-d)/(1-d), 1/float64(k))
	return -1 / math.Expm1(math.Log1p(-perSlice)/float64(n))
}

// plausible reports whether eps is a rate above n/2^64, the rate of equal
// digests.
func plausible(n uint64, eps float64) bool {
	return n > 0 && eps > float64(n)/(1<<64) && eps < 1
}
