package bloom

import (
	"slices"

	"github.com/filterfam/filterfam/internal/fault"
)

// Merge adds to f every key of other. The result is, bit for bit, the filter
// that would have been built from the keys of both, so its rate is that of
// their union. O(m) time, no allocation. Filters whose [Params] differ are an
// [ErrIncompatible], and f is unchanged.
func (f *Filter) Merge(other *Filter) error {
	if err := f.compatible(other); err != nil {
		return err
	}
	b := other.words[:len(f.words)]
	for i := range f.words {
		f.words[i] |= b[i]
	}
	return nil
}

// Intersect keeps in f the bits that other has too. Every key that is in both
// is still found. The result has at least the bits of the filter built from
// the common keys alone, and usually some more, so its rate is above that
// filter's, but not above that of either input. O(m) time, no allocation.
// Filters whose [Params] differ are an [ErrIncompatible], and f is unchanged.
func (f *Filter) Intersect(other *Filter) error {
	if err := f.compatible(other); err != nil {
		return err
	}
	b := other.words[:len(f.words)]
	for i := range f.words {
		f.words[i] &= b[i]
	}
	return nil
}

// Fold halves the memory of f. The result is, bit for bit, the filter that
// would have been built with half the Bits from the same keys: neighbouring
// bits are united (Blocked: neighbouring lines). The rate rises to that of the
// smaller filter, see [Params.RateAt]. O(m) time; the half is allocated anew
// and the old array released.
//
// What is to be halved must be even: the Bits (Classic), the bits of a slice
// (Partitioned) or the number of lines (Blocked). Where it is odd, the error
// is an [ErrParams] and f is unchanged. Filters made by [New] fold at least
// three times, but for Blocked ones of less than 1,024 lines.
func (f *Filter) Fold() error {
	if f == nil {
		return errs.Nil()
	}
	if f.span == 0 || f.span%2 != 0 {
		return paramError("Params.Bits", f.params.Bits, "an even number of bits, of bits in a slice, or of lines")
	}
	p := f.params
	p.Bits /= 2
	words := make([]uint64, p.words())
	if p.Layout == Blocked {
		foldLines(words, f.words)
	} else {
		foldBits(words, f.words)
	}
	*f = *newFilter(p, words)
	return nil
}

// foldBits sets bit i of dst where bit 2i or 2i+1 of src is set. Slices of an
// even length fold within themselves.
func foldBits(dst, src []uint64) {
	for i, w := range src {
		dst[i/2] |= evenBits(w|w>>1) << (i % 2 * 32)
	}
}

// evenBits gathers the 32 even-numbered bits of w in its low half.
func evenBits(w uint64) uint64 {
	w &= 0x5555555555555555
	w = (w | w>>1) & 0x3333333333333333
	w = (w | w>>2) & 0x0f0f0f0f0f0f0f0f
	w = (w | w>>4) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return (w | w>>16) & 0x00000000ffffffff
}

func foldLines(dst, src []uint64) {
	for i, w := range src {
		dst[i/(2*lineWords)*lineWords+i%lineWords] |= w
	}
}

// Reset removes every key. O(m) time, no allocation.
func (f *Filter) Reset() { clear(f.words) }

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter {
	c := *f
	c.words = slices.Clone(f.words)
	return &c
}

// Equal reports whether f and other have the same Params and the same bits.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.words, other.words)
}

// compatible returns ErrIncompatible, naming the first parameter in which f and
// other differ, or an error if one of them is nil.
func (f *Filter) compatible(other *Filter) error {
	switch {
	case f == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, "other", "nil", "a filter")
	}
	return fault.Same(errs, "Params", f.params, other.params)
}
