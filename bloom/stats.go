package bloom

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/internal/sizing"
)

// FillRatio returns the share of bits that are set, 0 to 1. O(m) time, as all
// estimates here; none changes the filter.
func (f *Filter) FillRatio() float64 {
	if f.params.Bits == 0 {
		return 1
	}
	return float64(ones(f.words)) / float64(f.params.Bits)
}

// FalsePositiveRate returns the chance that a key which is not in f is found,
// as f stands: from the bits that are set, so it holds however f was filled.
// Classic: the fill to the power k; Partitioned: the product of the slices'
// fills; Blocked: the mean over the lines of their fill to the power k.
func (f *Filter) FalsePositiveRate() float64 {
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
		if len(f.words) == 0 {
			return 1
		}
		sum := 0.0
		for i := 0; i < len(f.words); i += lineWords {
			sum += math.Pow(float64(ones(f.words[i:i+lineWords]))/lineBits, k)
		}
		return sum / float64(f.span)
	}
	return math.Pow(f.FillRatio(), k)
}

// EstimatedLen estimates how many distinct keys have been added, from the
// number of bits that are set. At capacity the standard error is a fraction of
// a per cent for a million keys and grows as the filter fills; a filter with
// no bit unset gives +Inf. After [Filter.Intersect] it means nothing.
// Papapetrou, Siberski and Nejdl, Distributed and Parallel Databases 28, 2010.
func (f *Filter) EstimatedLen() float64 { return f.params.estimate(ones(f.words)) }

// EstimatedUnionLen estimates how many distinct keys are in f, in other, or in
// both. Filters whose [Params] differ are an [ErrIncompatible].
func (f *Filter) EstimatedUnionLen(other *Filter) (float64, error) {
	if err := f.compatible(other); err != nil {
		return 0, err
	}
	return f.params.estimate(f.unionOnes(other)), nil
}

// EstimatedIntersectionLen estimates how many keys are in both filters, as
// |A| + |B| - |A or B|; where chance makes that negative, 0. Its error is that
// of the three sizes, so a small overlap of large sets is lost in it. Where a
// filter has no bit unset there is nothing to estimate from, and the answer is
// NaN. Filters whose [Params] differ are an [ErrIncompatible].
func (f *Filter) EstimatedIntersectionLen(other *Filter) (float64, error) {
	union, err := f.EstimatedUnionLen(other)
	if err != nil {
		return 0, err
	}
	// In this order Inf-Inf gives NaN, and max keeps it.
	return max(0, f.EstimatedLen()+other.EstimatedLen()-union), nil
}

// Jaccard estimates the Jaccard similarity of the two sets of keys, the size
// of the intersection over that of the union: 0 for disjoint sets, 1 for equal
// ones, and 1 for two empty ones. It is computed from the estimated numbers of
// keys; the like ratio of set bits is another number, 0.385 where 0.25 is
// true. Where a filter has no bit unset, NaN. Filters whose [Params] differ
// are an [ErrIncompatible].
func (f *Filter) Jaccard(other *Filter) (float64, error) {
	both, err := f.EstimatedIntersectionLen(other)
	if err != nil {
		return 0, err
	}
	union := f.params.estimate(f.unionOnes(other))
	if union == 0 {
		return 1, nil
	}
	return min(1, both/union), nil
}

// Cosine returns the normalised dot product of the two bit vectors: the number
// of bits set in both over the geometric mean of the numbers set in each. It
// is 1 for equal filters, and 0 where either is empty. Chance collisions raise
// it as filters fill up, so it ranks sets of like size by similarity while
// they are sparse. Filters whose [Params] differ are an [ErrIncompatible].
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

// estimate returns the number of keys that sets x bits on average.
func (p Params) estimate(x uint64) float64 {
	switch {
	case p.Bits == 0:
		return math.Inf(1)
	case p.Layout == Partitioned:
		return sizing.PartitionedLen(p.Bits, p.Hashes, x)
	case p.Layout == Blocked:
		return sizing.BlockedLen(p.Bits, p.Hashes, x)
	}
	return sizing.ClassicLen(p.Bits, p.Hashes, x)
}

// unionOnes counts the bits set in f or other, which are compatible.
func (f *Filter) unionOnes(other *Filter) uint64 {
	n, b := uint64(0), other.words[:len(f.words)]
	for i, w := range f.words {
		n += uint64(bits.OnesCount64(w | b[i]))
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

// onesIn counts the bits set from bit start up to, not including, bit end.
func onesIn(words []uint64, start, end uint64) uint64 {
	if start == end {
		return 0
	}
	first, last := start/64, (end-1)/64
	head := ^uint64(0) << (start % 64)
	tail := ^uint64(0) >> (63 - (end-1)%64)
	if first == last {
		return uint64(bits.OnesCount64(words[first] & head & tail))
	}
	return uint64(bits.OnesCount64(words[first]&head)) +
		ones(words[first+1:last]) +
		uint64(bits.OnesCount64(words[last]&tail))
}
