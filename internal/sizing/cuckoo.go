package sizing

import (
	"math"
	"math/bits"
)

// The range of fingerprint widths in a cuckoo filter.
const (
	MinFingerprintBits = 4
	MaxFingerprintBits = 32
)

// A cuckoo table has m buckets of four slots and fingerprints of f bits. A key
// can be stored in one even and one odd bucket, and its fingerprint ties these
// two: it determines either one from the other. There are two reasons why a key
// may not fit.
//
// First, Add may find no free slot. A fraction of the slots stays empty because
// too few keys can use their buckets. This fraction is 0.02 in a random graph,
// and a search of about 8,000 buckets fills a fraction of 0.977 or more on
// average before it fails. The standard deviation of the latter fraction is 0.2
// to 0.3 divided by the square root of the number of slots. In small tables,
// large deviations are more likely, since there are more often too many keys
// that can only use the same few buckets. [cuckooLoad] leaves a margin for both
// effects.
//
// Second, more than eight keys may have the same two buckets. While wide
// fingerprints tie random pairs of buckets, narrow fingerprints tie only few
// pairs, so a table needs a minimum width: f = Omega(log n / b) in Fan et al.
// 2014, section 4. Unless m is a power of two, near buckets are also tied more
// often than distant ones. [CrowdedPairs] bounds the probability that more than
// eight keys have the same two buckets.
//
// The tests of cuckoo/internal/table contain the simulation that was used to
// find the constants.
const (
	slotsPerBucket = 4
	pairSlots      = 2 * slotsPerBucket

	// maxCuckooLoad is the load in large tables, in keys per slot.
	maxCuckooLoad = 0.97

	// crowdedRisk limits [CrowdedPairs]. Most of the total risk of 1e-6 is left
	// to sets of more than two buckets.
	crowdedRisk = 1e-7
)

// CuckooTableRate returns 1-(1-2/(m(2^f-1)))^n, the rate when n distinct keys
// are stored in m buckets. Each key has the query's fingerprint with
// probability 1/(2^f-1), and then also the query's pair of buckets with
// probability 2/m.
func CuckooTableRate(m uint64, f int, n uint64) float64 {
	return hit(2/(float64(m)*(math.Exp2(float64(f))-1)), float64(n))
}

// cuckooLoad returns the number of keys that m buckets can hold when
// fingerprints are wide.
func cuckooLoad(m uint64) uint64 {
	s := slotsPerBucket * float64(m)
	n := 0.977*s - math.Sqrt(s) - min(18, 0.4*s)
	return uint64(max(pairSlots, min(n, maxCuckooLoad*s)))
}

// CrowdedPairs returns the expected number of ways to choose nine of n keys
// that have the same two buckets. This bounds the probability that nine such
// keys exist.
func CrowdedPairs(m uint64, f int, n uint64) float64 { return nines(n) * crowdedChance(m, f) }

// nines returns the number of ways to choose nine of n keys.
func nines(n uint64) float64 {
	ways := 1.0
	for k := range pairSlots + 1 {
		ways *= float64(n-min(n, uint64(k))) / float64(k+1)
	}
	return ways
}

// groupings contains the numbers of ways to divide nine keys into 1 to 9 groups
// with the same fingerprint (Stirling numbers of the second kind).
var groupings = [pairSlots + 1]float64{1, 255, 3025, 7770, 6951, 2646, 462, 36, 1}

// crowdedChance returns the probability that nine keys have the same two
// buckets. If they have k different fingerprints, each of the k must tie these
// buckets, as [tieChance] describes, and each key must have one of the two as
// its first bucket.
func crowdedChance(m uint64, f int) float64 { return crowdedWith(m, f, tieMoments(m)) }

// crowdedWith is crowdedChance for the sums that tieMoments returns.
func crowdedWith(m uint64, f int, sums moments) float64 {
	fingerprints := math.Exp2(float64(f)) - 1
	distinct := 1.0
	chance := 0.0
	for k, ties := range sums {
		distinct *= max(0, fingerprints-float64(k))
		chance += groupings[k] * distinct * ties
	}
	return chance * math.Pow(2/(float64(m)*fingerprints), pairSlots+1)
}

// moments are sums of the first nine powers of [tieChance].
type moments [pairSlots + 1]float64

// leastTies returns the moments of m buckets if all pairs are tied equally
// often, which is the case if m is a power of two. Otherwise the moments are
// larger, or equal for the first power.
func leastTies(m uint64) (sums moments) {
	sum := float64(m) / 2
	for k := range sums {
		sums[k] = sum
		sum *= 2 / float64(m)
	}
	return sums
}

// unequal bounds the ratios of [tieMoments] to leastTies. Among the m with the
// same number of bits, the ratios are largest if m is 2 below a power of two.
var unequal = moments{1.000001, 2.45, 9.92, 56, 398, 3430, 34600, 4e5, 5.3e6}

// mostTies returns upper bounds on the moments of m buckets. Unlike the moments,
// the bounds are simple functions of m, whichever of its bits are set.
func mostTies(m uint64) moments {
	sums := leastTies(m)
	for k := range sums {
		sums[k] *= unequal[k]
	}
	return sums
}

// tieMoments returns close upper bounds on the sums of [tieChance] to the k-th
// power over all pairs of an even and an odd bucket, for k from 1 to 9. For
// each odd distance d below m/2 there are m pairs, m/2 in each direction. The
// probability is linear in d except at the sizes of the smaller blocks and at
// their sum. Since these are even, its powers are convex between d-1 and d+1
// for each odd d, so their sum over odd d is at most half of their integral.
func tieMoments(m uint64) (sums moments) {
	from := uint64(0)
	first := tieChance(m, 0)
	addUpTo := func(to uint64) {
		last := tieChance(m, to)
		pairs := float64(m) * float64(to-from) / 2
		a, b := first, last
		if to-from == 2 { // one odd d, in the middle
			a = (a + b) / 2
			b = a
		}
		powers, power := 1.0, 1.0 // the sum of a^e b^(k-e) over e, and a^k
		for k := range sums {
			power *= a
			powers = powers*b + power
			sums[k] += pairs * powers / float64(k+2)
		}
		from = to
		first = last
	}
	rest := m - largestBlock(m)
	for r := rest; r > 0; r &= r - 1 {
		addUpTo(r & -r)
	}
	addUpTo(rest)
	addUpTo(m / 2)
	return sums
}

// tieChance returns the probability that a fingerprint ties two buckets at an
// odd distance d <= m/2. A fingerprint rotates the table, and then exchanges
// buckets within blocks by XOR with a pattern. The block sizes are the powers
// of two whose sum is m. Both buckets must be in the same block of size s,
// which is the case for s-d of the m rotations, or for more in the largest
// block, where the two buckets can also be at distance m-d. Then one of s/2
// patterns exchanges the two buckets.
func tieChance(m, d uint64) float64 {
	s := largestBlock(m)
	chance := float64(s-min(d, m-s)) / float64(s)
	for r := m - s; r > 0; r &= r - 1 {
		s = r & -r
		if s > d {
			chance += float64(s-d) / float64(s)
		}
	}
	return chance * 2 / float64(m)
}

// largestBlock returns the largest power of two up to m.
func largestBlock(m uint64) uint64 { return 1 << (bits.Len64(m) - 1) }

// cuckooFits reports whether n keys fit in m buckets using fingerprints of f
// bits, with probability above 1-1e-6.
func cuckooFits(m uint64, f int, n uint64) bool {
	return n <= cuckooLoad(m) && CrowdedPairs(m, f, n) <= crowdedRisk
}

// CuckooCapacity returns the number of distinct keys that fit in m buckets
// using fingerprints of f bits, with probability above 1-1e-6.
func CuckooCapacity(m uint64, f int) uint64 {
	most, chance := cuckooLoad(m), crowdedChance(m, f)
	return min(most, LargestWithin(crowdedRisk, most, func(n uint64) float64 { return nines(n) * chance }))
}

// LeastFingerprintBits returns the minimum width for m buckets: the least with
// which one key per four slots fits when m is rounded down to a power of two.
func LeastFingerprintBits(m uint64) int {
	f := MinFingerprintBits
	m = largestBlock(m)
	for f < MaxFingerprintBits && !cuckooFits(m, f, max(pairSlots, min(m, cuckooLoad(m)))) {
		f++
	}
	return f
}

// A CuckooShape is returned by a plan.
type CuckooShape struct {
	Buckets         uint64
	FingerprintBits int
}

// leastCuckooRate is the lowest rate of a plan. Below it, a table would need
// most of its memory for free slots.
const leastCuckooRate = 1.0 / (1 << MaxFingerprintBits)

// LeastCuckooRate returns the lowest rate of a plan for n keys.
func LeastCuckooRate(n uint64) float64 { return leastCuckooRate + math.Ldexp(float64(n), -64) }

// CuckooPlan returns the smallest table, or one that is up to 0.1% larger, for
// n keys at the rate eps. A slot is smaller than a fingerprint by the given
// number of saved bits, which is 1 in a compact table and otherwise 0.
//
// For each width, CuckooPlan computes the fewest buckets with which the keys
// fit and the rate is low enough (see leastBuckets), because a few more buckets
// can reduce the rate as much as another bit in all fingerprints. It tries
// wider and wider fingerprints until even a table without free slots would not
// be smaller than the best table so far. CuckooPlan returns false if no table
// within MaxBits can be used, or if eps is below [LeastCuckooRate].
//
// The size never decreases when n increases or eps decreases, because a table
// for more keys or a lower rate is also considered for fewer keys and a higher
// rate.
func CuckooPlan(n uint64, eps float64, saved int) (CuckooShape, bool) {
	best := CuckooShape{}
	size := uint64(MaxBits) + 1
	if !(eps >= LeastCuckooRate(n)) {
		return best, false
	}
	for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
		bucket := slotsPerBucket * uint64(f-saved)
		if float64(n)*float64(bucket) >= slotsPerBucket*float64(size) {
			break // this width needs more memory
		}
		m, ok := leastBuckets(n, eps, f, (size-1)/bucket)
		if ok && f >= LeastFingerprintBits(m) {
			best = CuckooShape{m, f}
			size = m * bucket
		}
	}
	return best, size <= MaxBits
}

// leastBuckets returns the smallest number of buckets m, up to limit, with
// which n keys fit and have the rate eps or less, using fingerprints of f bits.
// If there is no such m, leastBuckets returns false.
//
// A bisection finds the smallest m with enough slots and a low enough rate. But
// the risk that more than eight keys have the same two buckets depends on the
// bits of m, so it can be higher for a larger m. Where this matters, values of
// m are tried one after another. To save time, these are only the numbers with
// eleven significant bits, so the result may be 0.1% larger than necessary.
func leastBuckets(n uint64, eps float64, f int, limit uint64) (uint64, bool) {
	guess := max(float64(n)/7.76, float64(n)/(math.Exp2(float64(f))*-math.Log1p(-eps)))
	roomy := leastEven(guess, limit, func(m uint64) bool {
		return n <= cuckooLoad(m) && WithDigest(CuckooTableRate(m, f, n), n) <= eps
	})
	ways := nines(n)
	uncrowded := func(ties func(m uint64) moments) uint64 {
		return leastEven(float64(roomy)/2, limit, func(m uint64) bool {
			return m >= roomy && ways*crowdedWith(m, f, ties(m)) <= crowdedRisk
		})
	}
	certain := uncrowded(mostTies)
	if certain == roomy {
		return roomy, roomy <= limit
	}
	for m := roundUp(uncrowded(leastTies)); m < certain && m <= limit; m = roundUp(m + 2) {
		if ways*crowdedChance(m, f) <= crowdedRisk {
			return m, true
		}
	}
	return certain, certain <= limit
}

// leastEven returns the smallest even number up to limit for which ok returns
// true, or a larger number if there is none. The guess is half of the number at
// which the search starts; see [smallest].
func leastEven(guess float64, limit uint64, ok func(uint64) bool) uint64 {
	most := max(1, limit/2)
	half, found := smallest(ceilWithin(guess, most), most, func(half uint64) bool { return ok(2 * half) })
	if !found {
		return 2*most + 2
	}
	return 2 * half
}

// roundUp rounds an even number up to one with eleven significant bits.
func roundUp(m uint64) uint64 {
	step := max(2, largestBlock(m)>>10)
	return (m + step - 1) / step * step
}

// CuckooWithin returns the table with the lowest rate for n keys in the given
// number of bits, or false if there is none. For saved, see [CuckooPlan].
func CuckooWithin(n, bits uint64, saved int) (best CuckooShape, ok bool) {
	rate := func(m uint64, f int) float64 { return WithDigest(CuckooTableRate(m, f, n), n) }
	for f := MaxFingerprintBits; f >= MinFingerprintBits; f-- {
		most := bits / (slotsPerBucket * uint64(f-saved)) &^ 1
		if ok && rate(most, f) >= rate(best.Buckets, best.FingerprintBits) {
			break // narrower fingerprints have a higher rate
		}
		m, fits := mostBuckets(n, f, most)
		if fits && (!ok || rate(m, f) < rate(best.Buckets, best.FingerprintBits)) {
			best = CuckooShape{m, f}
			ok = true
		}
	}
	return best, ok
}

// mostBuckets returns the largest even number of buckets up to most in which n
// keys fit, using fingerprints of f bits, or false if there is none. Since
// [CrowdedPairs] depends on the bits of the number of buckets, keys may fit in
// a table but not in a larger one. mostBuckets only tries numbers less than 256
// below most, which was enough for 10^6 sizes of up to 4*10^9 keys.
func mostBuckets(n uint64, f int, most uint64) (uint64, bool) {
	for m := most; m >= 2 && m+256 > most && n <= cuckooLoad(m); m -= 2 {
		if cuckooFits(m, f, n) {
			return m, true
		}
	}
	return 0, false
}
