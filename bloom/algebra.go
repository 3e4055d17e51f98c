package bloom

import (
	"slices"

	"github.com/filterfam/filterfam/internal/fault"
)

// Merge adds every key of other to f. The result is, bit for bit, the filter
// built from the keys of both, and has that filter's rate. If the [Params]
// differ, Merge returns [ErrIncompatible], or [ErrParams] if f is a zero
// Filter, and leaves f unchanged. O(m) time, no allocation.
func (f *Filter) Merge(other *Filter) error {
	if err := f.compatible("", other); err != nil {
		return err
	}
	or(f.words, other.words)
	return nil
}

// MergeAll adds every key of the others to f, like [Filter.Merge] of each. It
// passes over f once, so it is faster than single calls if f is larger than the
// cache. It returns the errors of Merge, with the place in others, and leaves f
// unchanged then. O(m) time for each of them, no allocation.
func (f *Filter) MergeAll(others ...*Filter) error {
	if f == nil {
		return errs.Nil()
	}
	if err := fault.Each(others, f.compatible); err != nil {
		return err
	}
	for first := 0; first < len(f.words); first += mergeWords {
		piece := f.words[first:min(first+mergeWords, len(f.words))]
		for _, other := range others {
			or(piece, other.words[first:])
		}
	}
	return nil
}

// or sets in dst the bits that are set in src, which is at least as long.
func or(dst, src []uint64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] |= src[i]
	}
}

// mergeWords is the number of words that MergeAll merges at a time: 8 KiB,
// which stay in the first cache.
const mergeWords = 1024

// Intersect clears the bits of f that are not set in other. Every key that is
// in both filters is still found. The result has all bits of the filter built
// from the common keys alone and usually some more. So its rate is at least
// that filter's and at most that of either input. Intersect returns the errors
// of [Filter.Merge] and leaves f unchanged then. O(m) time, no allocation.
func (f *Filter) Intersect(other *Filter) error {
	if err := f.compatible("", other); err != nil {
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
// [ErrParams] and leaves f unchanged. A filter made by [New] can be folded at
// least three times, except a Blocked one with fewer than 1,024 lines.
func (f *Filter) Fold() error {
	half, err := f.folded()
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
// returns [ErrParams] if rate is not above 0 and below 1, or if f is nil or the
// zero Filter. O(m) time; it allocates the smaller arrays.
func (f *Filter) FoldTo(rate float64) error {
	if f == nil {
		return errs.Nil()
	}
	if err := f.params.check(ErrParams); err != nil {
		return err
	}
	if !(rate > 0 && rate < 1) {
		return paramError("rate", rate, "above 0 and below 1")
	}
	for {
		half, err := f.folded()
		if err != nil || half.FalsePositiveRate() > rate {
			return nil
		}
		*f = *half
	}
}

// folded returns f with half of the Bits. Its errors are those of
// [Filter.Fold].
func (f *Filter) folded() (*Filter, error) {
	if f == nil {
		return nil, errs.Nil()
	}
	if f.span == 0 || f.span%2 != 0 {
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

// Reset removes every key. O(m) time, no allocation.
func (f *Filter) Reset() { clear(f.words) }

// Clone returns a copy that shares no memory with f. O(m) time, one allocation
// of the bit array.
func (f *Filter) Clone() *Filter {
	c := *f
	c.words = slices.Clone(f.words)
	return &c
}

// Equal reports whether f and other have the same Params and the same bits. A
// nil other is not equal to f. O(m) time, no allocation.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.words, other.words)
}

// filterKind says how errors about merges name a Filter.
var filterKind = fault.Kind[Filter, Params]{
	Errs: errs, Name: "Filter", One: "a filter", Constructor: "New", Params: "Params",
	Of: func(f *Filter) (Params, bool) { return f.params, f.params.Bits == 0 },
}

// compatible returns an error unless other can be merged into f. place is
// that of other among several, as for fault.Each.
func (f *Filter) compatible(place string, other *Filter) error {
	return filterKind.Compatible(place, f, other)
}
