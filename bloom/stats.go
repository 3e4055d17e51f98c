package bloom

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/internal/sizing"
)

// RateAt returns the expected false-positive rate of a filter with these
// parameters that holds n distinct keys. It returns NaN if p is invalid. O(k^2)
// time: tens of microseconds.
//
// The rate is the exact expectation over all families: Bose et al., IPL 108,
// 2008 (Classic), and the equivalent for the other layouts. It includes keys
// whose 64-bit digest equals a member's, a share of n/2^64. In a Classic filter
// that share is about three times as large, because the digest one step before
// or after a member's in the probe sequence has all positions except one in
// common with it.
func (p Params) RateAt(n uint64) float64 {
	if p.check(ErrParams) != nil {
		return math.NaN()
	}
	return p.rates()(n)
}

// CapacityAt returns the largest number of distinct keys at which a filter with
// these parameters has at most the given false-positive rate. It is the inverse
// of [Params.RateAt]. It returns 0 if p is invalid, and math.MaxUint64 if rate
// is 1 or more. O(k^2) time for each of a few dozen numbers of keys: a
// millisecond or less for common rates.
func (p Params) CapacityAt(rate float64) uint64 {
	if p.check(ErrParams) != nil {
		return 0
	}
	guess := p.estimate(uint64(math.Pow(max(0, min(rate, 0.999)), 1/float64(p.Hashes)) * float64(p.Bits)))
	return sizing.LargestWithin(rate, uint64(guess), p.rates())
}

// rates returns [Params.RateAt] as a function of n. p is valid.
func (p Params) rates() func(n uint64) float64 {
	switch p.Layout {
	case Partitioned:
		return func(n uint64) float64 {
			return sizing.WithDigest(sizing.PartitionedRate(p.Bits, p.Hashes, n), n)
		}
	case Blocked:
		rate := sizing.BlockedRates(p.Bits, p.Hashes)
		return func(n uint64) float64 { return sizing.WithDigest(rate(n), n) }
	}
	return func(n uint64) float64 {
		return sizing.WithClassicDigest(sizing.Rate(p.Bits, p.Hashes, n), p.Bits, p.Hashes, n)
	}
}

// estimate returns the number of keys that set x bits on average.
func (p Params) estimate(x uint64) float64 {
	switch p.Layout {
	case Partitioned:
		return sizing.PartitionedLen(p.Bits, p.Hashes, x)
	case Blocked:
		return sizing.BlockedLen(p.Bits, p.Hashes, x)
	}
	return sizing.ClassicLen(p.Bits, p.Hashes, x)
}

// FillRatio returns the fraction of bits that are set. O(m) time.
func (f *reader) FillRatio() float64 { return float64(ones(f.words)) / float64(f.params.Bits) }

// FalsePositiveRate returns the chance that the filter in its current state
// finds a key that was not added. It depends only on the bits that are set, so
// it is valid however the filter was filled. Classic: the fill ratio to the
// power k. Partitioned: the product of the fill ratios of the slices. Blocked:
// the mean, over the lines, of the fill ratio to the power k. O(m) time.
func (f *reader) FalsePositiveRate() float64 {
	k := float64(f.params.Hashes)
	switch f.params.Layout {
	case Partitioned:
		rate := 1.0
		for i := range f.params.Hashes {
			start := uint64(i) * f.span
			rate *= float64(onesIn(f.words, start, start+f.span)) / float64(f.span)
		}
		return rate
	case Blocked:
		sum := 0.0
		for i := 0; i < len(f.words); i += lineWords {
			sum += math.Pow(float64(ones(f.words[i:i+lineWords]))/lineBits, k)
		}
		return sum / float64(f.span)
	}
	return math.Pow(f.FillRatio(), k)
}

// EstimatedLen estimates the number of distinct keys that were added, from the
// number of bits that are set (Papapetrou, Siberski and Nejdl, Distributed and
// Parallel Databases 28, 2010). At capacity the standard error is a fraction of
// a percent for a million keys; it grows as the filter fills. EstimatedLen
// returns +Inf if every bit is set, and is meaningless after
// [Filter.Intersect]. O(m) time.
func (f *reader) EstimatedLen() float64 { return f.params.estimate(ones(f.words)) }

// EstimatedUnionLen estimates the number of distinct keys that are in f or in
// other. It returns [ErrIncompatible] if the [Params] differ. O(m) time, no
// allocation.
func (f *Filter) EstimatedUnionLen(other *Filter) (float64, error) {
	if err := f.compatible(other); err != nil {
		return 0, err
	}
	return f.params.estimate(f.unionOnes(other)), nil
}

// Jaccard estimates the Jaccard similarity of the two sets of keys: the size of
// the intersection divided by that of the union. It is 0 for disjoint sets, and
// 1 for equal sets and for two empty sets. Jaccard divides the estimated
// numbers of keys; the ratio of set bits would be biased, 0.385 instead of
// 0.25. The result is NaN if every bit of a filter is set. It returns
// [ErrIncompatible] if the [Params] differ. O(m) time, no allocation.
func (f *Filter) Jaccard(other *Filter) (float64, error) {
	union, err := f.EstimatedUnionLen(other)
	switch {
	case err != nil:
		return 0, err
	case union == 0:
		return 1, nil
	}
	// |A| + |B| - |A or B|. In this order Inf-Inf gives NaN, and max keeps it.
	both := max(0, f.EstimatedLen()+other.EstimatedLen()-union)
	return min(1, both/union), nil
}

// Cosine returns the normalized dot product of the two bit vectors: the number
// of bits set in both, divided by the geometric mean of the numbers set in
// each. It is 0 if either filter is empty, and 1 for other equal filters.
// Collisions raise it as filters fill up, so use it to rank sets of similar
// sizes in sparse filters. It returns [ErrIncompatible] if the [Params] differ.
// O(m) time, no allocation.
func (f *Filter) Cosine(other *Filter) (float64, error) {
	if err := f.compatible(other); err != nil {
		return 0, err
	}
	a, b := ones(f.words), ones(other.words)
	if a == 0 || b == 0 {
		return 0, nil
	}
	both := a + b - f.unionOnes(other)
	if both == a && a == b {
		return 1, nil
	}
	return min(1, float64(both)/(math.Sqrt(float64(a))*math.Sqrt(float64(b)))), nil
}

// unionOnes counts the bits that are set in f or other. Their Params are equal.
func (f *Filter) unionOnes(other *Filter) uint64 {
	return onesOf(f.words, other.words, func(a, b uint64) uint64 { return a | b })
}

// onesOf counts the bits that are set in op of each two words.
func onesOf(a, b []uint64, op func(a, b uint64) uint64) (n uint64) {
	b = b[:len(a)]
	for i, w := range a {
		n += uint64(bits.OnesCount64(op(w, b[i])))
	}
	return n
}

// ones counts the bits that are set.
func ones(words []uint64) uint64 {
	n := uint64(0)
	for _, w := range words {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// onesIn counts the bits that are set from bit start up to, but not including,
// bit end, which is larger.
func onesIn(words []uint64, start, end uint64) uint64 {
	words = words[start/64 : (end-1)/64+1]
	before, after := words[0]<<(64-start%64), words[len(words)-1]>>(1+(end-1)%64)
	return ones(words) - uint64(bits.OnesCount64(before)+bits.OnesCount64(after))
}
