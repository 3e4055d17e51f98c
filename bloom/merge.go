package bloom

import (
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/merge"
)

// Merge adds every key of the other filters to f. The result is identical, bit
// for bit, to a filter built from the keys of all filters. When f is larger
// than the cache, one call with many filters is faster than many calls, because
// it passes over f only once. To merge filters of different sizes, see
// [Filter.Fold].
//
// If a filter has different [Params], Merge returns [hashfam.ErrIncompatible]
// and leaves f unchanged. The error names the field and, if there are several
// others, the filter's index.
func (f *Filter) Merge(others ...*Filter) error {
	if err := f.made().compatible(others...); err != nil {
		return err
	}
	for first := 0; first < len(f.words); first += mergeWords {
		piece := f.words[first:min(first+mergeWords, len(f.words))]
		for _, other := range others {
			for i, w := range other.words[first:][:len(piece)] {
				piece[i] |= w
			}
		}
	}
	return nil
}

// mergeWords is the number of words merged at a time: 8 KiB fit in the L1
// cache.
const mergeWords = 1024

// compatible returns ErrIncompatible if any of the others has different Params.
func (s *setup) compatible(others ...*Filter) error {
	return merge.Mergeable(errs, "Params", s.params, others, func(other *Filter) Params { return other.params })
}

// Intersect clears the bits of f that are not set in other. Keys that are in
// both filters will still be found. Since the result usually has more bits set
// than a filter built from the common keys, its rate is higher, but does not
// exceed the lower rate of the two filters. If the [Params] differ, Intersect
// returns [hashfam.ErrIncompatible] and leaves f unchanged.
func (f *Filter) Intersect(other *Filter) error {
	if err := f.made().compatible(other); err != nil {
		return err
	}
	for i, w := range other.words[:len(f.words)] {
		f.words[i] &= w
	}
	return nil
}

// Fold halves the size of f by combining adjacent bits (Blocked: adjacent
// lines) with OR. The result is identical, bit for bit, to a filter with half
// the Bits built from the same keys, so its rate is higher; see
// [Params.RateAt]. Fold allocates the smaller array.
//
// Fold halves the number of bits (Classic), bits per slice (Partitioned) or
// lines (Blocked). If this number is odd, Fold returns [hashfam.ErrParams] and
// leaves f unchanged. A filter that [New] created for a Capacity and an FPRate
// can be folded three times or more, unless it is Blocked and has fewer than
// 1,024 lines. A filter that uses all of MemoryBytes can be folded six times if
// it is Classic. In the other layouts, folding it may not be possible.
//
// Filters can be merged only if they can be folded to the same size. So call
// [Config.Params] for the merged filter, with the number of all keys as
// Capacity. If a filter needs a lower rate before it is merged, create it with
// twice or four times the Bits of these Params, and fold it before merging.
func (f *Filter) Fold() error {
	f.made()
	half, err := f.folded()
	if err != nil {
		return err
	}
	*f = *half
	return nil
}

// FoldTo folds f until it cannot be folded again, or until the next
// [Filter.Fold] would raise [Filter.FalsePositiveRate] above rate. Use it
// before storing or sending a filter that received fewer keys than it was
// created for. If the current rate is already higher, FoldTo leaves f
// unchanged. It returns [hashfam.ErrParams] if rate is not above 0 and below 1.
func (f *Filter) FoldTo(rate float64) error {
	f.made()
	if !(rate > 0 && rate < 1) {
		return paramError("rate", rate, fault.RateRange)
	}
	for {
		half, err := f.folded()
		if err != nil || half.FalsePositiveRate() > rate {
			return nil
		}
		*f = *half
	}
}

// folded returns a copy of f with half the Bits, or Fold's errors.
func (f *Filter) folded() (*Filter, error) {
	if f.span%2 != 0 {
		return nil, paramError("Params.Bits", f.params.Bits, "an even number of bits, bits per slice, or lines")
	}
	p := f.params
	p.Bits /= 2
	words := make([]uint64, p.words())
	if p.Layout == Blocked {
		foldLines(words, f.words)
	} else {
		foldBits(words, f.words)
	}
	return newFilter(p, words), nil
}

// foldBits sets bit i of dst if bit 2i or 2i+1 of src is set. Since slices have
// even lengths, such a pair of bits never spans two slices.
func foldBits(dst, src []uint64) {
	for i, w := range src {
		dst[i/2] |= evenBits(w|w>>1) << (i % 2 * 32)
	}
}

// evenBits moves the 32 even-numbered bits of w to its low half. The steps
// close the gaps between groups of 1, 2, 4, 8 and 16 bits.
func evenBits(w uint64) uint64 {
	w &= 0x5555555555555555
	w = (w | w>>1) & 0x3333333333333333
	w = (w | w>>2) & 0x0f0f0f0f0f0f0f0f
	w = (w | w>>4) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return (w | w>>16) & 0x00000000ffffffff
}

// foldLines sets line i of dst to the OR of lines 2i and 2i+1 of src.
func foldLines(dst, src []uint64) {
	for i, w := range src {
		dst[i/(2*lineWords)*lineWords+i%lineWords] |= w
	}
}
