package countmin

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/merge"
	"github.com/filterfam/filterfam/internal/sizing"
)

// Merge adds the counts of the other sketches to s, counter by counter. Unless
// s is conservative, the result is the sketch that would have been built from
// all keys. In a conservative sketch, the errors of the parts add up, so counts
// are less accurate than in a single sketch, but they are not below the truth.
// Merging s with itself doubles all counts.
//
// If the [Params] of another sketch differ, Merge returns
// [hashfam.ErrIncompatible] and leaves s unchanged. The error names the field
// and, if there are several sketches, the index in others. When s is larger
// than the cache, one call with many sketches is faster than many calls,
// because it passes over s only once.
func (s *Sketch) Merge(others ...*Sketch) error {
	if err := merge.Mergeable(errs, "Params", s.params, others, (*Sketch).Params); err != nil {
		return err
	}
	others = merge.Apart(s, others, (*Sketch).Clone)
	s.rows().merge(others)
	for _, other := range others {
		s.total = sizing.SaturatingAdd(s.total, other.total)
		s.uneven = s.uneven || other.uneven
	}
	return nil
}

// merge adds the cells of others to c, in blocks that fit in the L1 cache.
func (c cells[C]) merge(others []*Sketch) {
	const size = 2048
	for from := 0; from < len(c); from += size {
		block := c[from:min(from+size, len(c))]
		for _, other := range others {
			addCells(block, (*other.rows().(*cells[C]))[from:])
		}
	}
}

// addCells adds each cell of src to the corresponding cell of dst. If it were
// inlined, some of the loop's variables would not be in registers.
//
//go:noinline
func addCells[C counter](dst, src []C) {
	src = src[:len(dst)]
	for i, c := range dst {
		dst[i] = plus[C](uint64(c), uint64(src[i]))
	}
}

// InnerProduct estimates the sum, over all keys, of a key's count in s times
// the same key's count in other. For example, this is the size of the join when
// two streams are joined by key. The estimate is never too low, and with
// probability 1-Delta or more, its error is no more than Epsilon times the
// product of the totals (Cormode and Muthukrishnan 2005, section 4.2).
//
// InnerProduct ignores rows in which the sum does not fit in 64 bits, or in
// which a counter at its maximum is multiplied by one that is not 0. Large
// errors are then more likely. If no row is left, it returns math.MaxUint64.
//
// InnerProduct returns [hashfam.ErrParams] if the sketches are conservative,
// because the product of their counters may be too low, and
// [hashfam.ErrIncompatible] if their [Params] differ.
func (s *Sketch) InnerProduct(other *Sketch) (uint64, error) {
	if other == nil {
		return 0, errs.Field(hashfam.ErrIncompatible, "other", "nil", "a sketch")
	}
	if err := merge.Same(errs, "", "Params", s.params, other.params); err != nil {
		return 0, err
	}
	if s.params.Conservative {
		return 0, errs.Field(hashfam.ErrParams, "Params.Conservative", true, "false for InnerProduct")
	}
	return s.rows().product(other.rows(), s.params.Width), nil
}

// product returns the minimum of the scalar products of corresponding rows.
func (a cells[C]) product(other rows, w uint64) uint64 {
	least := uint64(math.MaxUint64)
	b := *other.(*cells[C])
	for ; len(a) > 0; a, b = a[w:], b[w:] {
		sum := uint64(0)
		full := false
		for i, x := range a[:w] {
			y := b[i]
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			more, carry := bits.Add64(sum, lo, 0)
			sum = more
			full = full || hi|carry != 0 || x != 0 && y != 0 && max(x, y) == ^C(0)
		}
		if !full {
			least = min(least, sum)
		}
	}
	return least
}
