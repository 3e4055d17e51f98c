package bloom

import "github.com/filterfam/filterfam/internal/fault"

// Merge adds every key of the others to f. The result is, bit for bit, the
// filter built from the keys of all, and has that filter's rate. If the
// [Params] of one differ, Merge returns [ErrIncompatible], naming the field and
// the place in others, and leaves f unchanged. It passes over f once, so that
// one call with many filters is faster than many calls if f is larger than the
// cache. O(m) time for each of them, no allocation.
func (f *Filter) Merge(others ...*Filter) error {
	if err := f.used().compatible(others...); err != nil {
		return err
	}
	length := mergeWords
	if len(others) == 1 {
		length = len(f.words) // nothing is read twice
	}
	for first := 0; first < len(f.words); first += length {
		piece := f.words[first:min(first+length, len(f.words))]
		for _, other := range others {
			or(piece, other.words[first:])
		}
	}
	return nil
}

// mergeWords is the number of words that Merge merges at a time: 8 KiB, which
// stay in the first cache.
const mergeWords = 1024

// compatible returns ErrIncompatible unless the others have the Params of s.
func (s *shape) compatible(others ...*Filter) error {
	return fault.Mergeable(errs, "Params", s.params, others, func(other *Filter) Params { return other.params })
}

// or sets in dst the bits that are set in src, which is at least as long.
func or(dst, src []uint64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] |= src[i]
	}
}

// Intersect clears the bits of f that are not set in other. Every key that is
// in both filters is still found. The result has all bits of the filter of the
// common keys and usually some more. So its rate is at least that filter's and
// at most that of either input. Intersect returns the errors of [Filter.Merge]
// and leaves f unchanged then. O(m) time, no allocation.
func (f *Filter) Intersect(other *Filter) error {
	if err := f.used().compatible(other); err != nil {
		return err
	}
	b := other.words[:len(f.words)]
	for i := range f.words {
		f.words[i] &= b[i]
	}
	return nil
}

// Fold halves the memory of f. The result is, bit for bit, the filter with half
// the Bits built from the same keys: Fold combines adjacent bits with OR
// (Blocked: adjacent lines). The rate rises to that of the smaller filter, see
// [Params.RateAt]. O(m) time; Fold allocates the smaller array and releases the
// larger one.
//
// The length being halved must be even: the Bits (Classic), the bits of a slice
// (Partitioned) or the number of lines (Blocked). If it is odd, Fold returns
// [ErrParams] and leaves f unchanged. A filter that [New] made for a Capacity
// and an FPRate can be folded at least three times, except a Blocked one with
// fewer than 1,024 lines. A filter that uses all of MemoryBytes can be folded
// six times if it is Classic, and possibly not at all in the other layouts.
func (f *Filter) Fold() error {
	half, err := f.used().folded()
	if err != nil {
		return err
	}
	*f = *half
	return nil
}

// FoldTo folds f as often as its rate allows: until it cannot be folded, or the
// next [Filter.Fold] would raise [Filter.FalsePositiveRate] above rate. Use it
// for a filter that got fewer keys than it was made for, before it is stored or
// sent. A filter whose rate is above rate already stays as it is. FoldTo
// returns [ErrParams] if rate is not above 0 and below 1. O(m) time; it
// allocates the smaller arrays.
func (f *Filter) FoldTo(rate float64) error {
	f.used()
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

// folded returns f with half of the Bits, or the errors of [Filter.Fold].
func (f *Filter) folded() (*Filter, error) {
	if f.span%2 != 0 {
		return nil, paramError("Params.Bits", f.params.Bits, "an even number of bits, of bits in a slice, or of lines")
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

// foldBits sets bit i of dst if bit 2i or 2i+1 of src is set. A pair of bits
// never crosses from one slice to the next, because slices have even lengths.
func foldBits(dst, src []uint64) {
	for i, w := range src {
		dst[i/2] |= evenBits(w|w>>1) << (i % 2 * 32)
	}
}

// evenBits moves the 32 even-numbered bits of w to its low half: each step
// closes the gaps between groups of 1, 2, 4, 8 and 16 bits.
func evenBits(w uint64) uint64 {
	w &= 0x5555555555555555
	w = (w | w>>1) & 0x3333333333333333
	w = (w | w>>2) & 0x0f0f0f0f0f0f0f0f
	w = (w | w>>4) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return (w | w>>16) & 0x00000000ffffffff
}

// foldLines sets line i of dst to line 2i OR line 2i+1 of src.
func foldLines(dst, src []uint64) {
	for i, w := range src {
		dst[i/(2*lineWords)*lineWords+i%lineWords] |= w
	}
}
