package bloom

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/internal/sizing"
)

// FillRatio returns the fraction of bits that are set. It runs in O(m) time.
func (f *readable) FillRatio() float64 { return float64(ones(f.words)) / float64(f.params.Bits) }

// FalsePositiveRate returns the probability that the filter in its current
// state finds a key that was not added. This rate depends only on the bits that
// are set, and not on how the filter was filled. It is the fill ratio to the
// power k (Classic), the product of the slices' fill ratios (Partitioned), or
// the mean over all lines of the line's fill ratio to the power k (Blocked).
// FalsePositiveRate adds the tiny probability that digests are equal, as
// [Params.RateAt] describes, and runs in O(m) time.
func (f *readable) FalsePositiveRate() float64 {
	n := uint64(min(f.EstimatedLen(), 1<<63))
	if f.params.Layout == Classic {
		return sizing.WithClassicDigest(f.fillRate(), f.params.Bits, f.params.Hashes, n)
	}
	return sizing.WithDigest(f.fillRate(), n)
}

// fillRate returns the rate of keys whose positions are independent.
func (f *readable) fillRate() float64 {
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

// EstimatedLen estimates the number of distinct keys that were added, using the
// number of bits that are set (Papapetrou, Siberski and Nejdl, Distributed and
// Parallel Databases 28, 2010). For a million keys at capacity, the standard
// error is below 1%; it grows as the filter fills. EstimatedLen returns +Inf if
// all bits are set, and its result is meaningless after [Filter.Intersect]. It
// runs in O(m) time.
func (f *readable) EstimatedLen() float64 { return f.params.estimate(ones(f.words)) }

// Jaccard estimates the Jaccard similarity of the two key sets: the size of
// their intersection divided by the size of their union. It is 0 for disjoint
// sets, and 1 for equal sets and for two empty sets. Jaccard uses estimated key
// counts, because the fraction of set bits that both filters share would be too
// high, for example 0.385 instead of 0.25. If the filters together have all
// bits set, the result is NaN. If the [Params] differ, Jaccard returns
// [hashfam.ErrIncompatible].
func (f *Filter) Jaccard(other *Filter) (float64, error) {
	if err := f.compatible(other); err != nil {
		return 0, err
	}
	union := f.params.estimate((ones(f.words) + ones(other.words) + f.differing(other)) / 2)
	switch {
	case union == 0:
		return 1, nil
	case math.IsInf(union, 1):
		return math.NaN(), nil
	}
	both := max(0, f.EstimatedLen()+other.EstimatedLen()-union)
	return min(1, both/union), nil
}

// differing returns the number of bits in which f and other differ. Params must
// be equal.
func (f *Filter) differing(other *Filter) (n uint64) {
	for i, w := range other.words[:len(f.words)] {
		n += uint64(bits.OnesCount64(w ^ f.words[i]))
	}
	return n
}

func ones(words []uint64) uint64 {
	n := uint64(0)
	for _, w := range words {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// onesIn returns the number of bits set in [start, end), which is not empty.
func onesIn(words []uint64, start, end uint64) uint64 {
	words = words[start/64 : (end-1)/64+1]
	before, after := words[0]<<(64-start%64), words[len(words)-1]>>(1+(end-1)%64)
	return ones(words) - uint64(bits.OnesCount64(before)+bits.OnesCount64(after))
}
