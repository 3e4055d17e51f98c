package countmin

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// mergeBlock is how many counters Merge adds up at a time: those of one sketch
// fit into the smallest cache.
const mergeBlock = 2048

// Merge adds the counts of others to s, counter by counter, so that s is then
// the sketch that would have been built from the keys of all. If s is
// conservative, its counts are still never below the truth, but its error is
// the sum of the parts' errors, more than that of a joint build. O(k w d) time
// for k others, in which s is read and written once; no allocation. Merge
// returns [ErrIncompatible] if the [Params] of one of them differ, and s is
// then unchanged.
func (s *Sketch) Merge(others ...*Sketch) error {
	if err := s.compatible(others); err != nil {
		return err
	}
	s.rows().merge(others)
	for _, other := range others {
		s.total = tracker.AddSat(s.total, other.total)
	}
	return nil
}

// compatible returns an error unless all others can be merged into s.
func (s *Sketch) compatible(others []*Sketch) error {
	return fault.Mergeable(errs, "Params", s.params, others, (*Sketch).Params)
}

// merge adds the cells of others to c, block by block.
func (c cells[C]) merge(others []*Sketch) {
	length := mergeBlock
	if len(others) == 1 {
		length = len(c) // nothing is read twice
	}
	for from := 0; from < len(c); from += length {
		block := c[from:min(from+length, len(c))]
		for _, other := range others {
			addCells(block, (*other.rows().(*cells[C]))[from:])
		}
	}
}

// addCells adds to each cell of dst the one of src. It has a frame of its own,
// so that the loop keeps all it needs in registers.
//
//go:noinline
func addCells[C counter](dst, src []C) {
	src = src[:len(dst)]
	for i, c := range dst {
		dst[i] = plus(c, src[i])
	}
}

// InnerProduct estimates the sum over all keys of their count in s times their
// count in other: the size of the join of two streams. It is never too low, and
// too high by more than Epsilon times the product of the totals with
// probability at most Delta (Cormode and Muthukrishnan 2005, section 4.2). A
// row in which it does not fit, or a counter at its maximum takes part, is left
// out; without any row it is the largest uint64. O(w d) time, no allocation.
// InnerProduct returns [ErrParams] if the sketches are conservative, since a
// product of their counters may be too low, and the errors of [Sketch.Merge].
func (s *Sketch) InnerProduct(other *Sketch) (uint64, error) {
	if err := s.compatible([]*Sketch{other}); err != nil {
		return 0, err
	}
	if s.params.Conservative {
		return 0, paramError("Params.Conservative", true, "false for InnerProduct")
	}
	return s.rows().product(other.rows(), s.params.Width), nil
}

// product returns the least scalar product of a row of a and the same of other.
func (a cells[C]) product(other rows, w uint64) uint64 {
	least, b := uint64(math.MaxUint64), *other.(*cells[C])
	for ; len(a) > 0; a, b = a[w:], b[w:] {
		sum, full := uint64(0), false
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

// Reset sets every counter to zero. O(w d) time, no allocation.
func (s *Sketch) Reset() {
	s.rows().clear()
	s.total = 0
}

// Clone returns a copy that shares no memory with s. O(w d) time.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.of8, c.of16 = slices.Clone(s.of8), slices.Clone(s.of16)
	c.of32, c.of64 = slices.Clone(s.of32), slices.Clone(s.of64)
	return &c
}

// Equal reports whether s and other have the same Params, total and counters.
// O(w d) time.
func (s *Sketch) Equal(other *Sketch) bool {
	return s.params == other.params && s.total == other.total &&
		slices.Equal(s.of8, other.of8) && slices.Equal(s.of16, other.of16) &&
		slices.Equal(s.of32, other.of32) && slices.Equal(s.of64, other.of64)
}

// Remove takes back n counts of key, all of them or none. It is for keys that
// are counted at least as often as they are removed: then every count stays at
// least the truth (strict turnstile; Cormode and Muthukrishnan 2005, section
// 4.1). O(depth) time, no allocation.
//
// A counter at its maximum is not decremented. The counts of other keys in it
// may then exceed the truth by more than [Sketch.ErrorBound] more often than
// with probability Delta.
//
// Removing what was never counted takes it from other keys, whose counts may
// then be too low. Remove returns [ErrParams] only when that is detectable,
// because the key's count or the total is less, and if s is conservative: its
// counters are shared by keys that never raised them. After an error s is
// unchanged.
func (s *Sketch) Remove(key []byte, n uint64) error {
	return s.RemoveDigest(s.hash.Sum(key), n)
}

// RemoveDigest is [Sketch.Remove] for a digest under its family.
func (s *Sketch) RemoveDigest(d hashfam.Digest, n uint64) error {
	if s.params.Conservative {
		return paramError("Params.Conservative", true, "false for Remove")
	}
	if most := s.removable(d); n > most {
		return paramError("n", n, fmt.Sprintf("at most the key's count, %d", most))
	}
	s.rows().subtract(s.params.Width, d, n)
	if s.total != math.MaxUint64 {
		s.total -= n
	}
	return nil
}

// removable returns how often the key may have been counted. A count at the
// maximum of the counters means that or more, so only the total bounds it; no
// counter of the key changes then.
func (s *Sketch) removable(d hashfam.Digest) uint64 {
	if count := s.CountDigest(d); !s.params.stuck(count) {
		return min(count, s.total)
	}
	return s.total
}

// subtract takes n from the key's counter in every row. A counter at its
// maximum means that or more, and stays; all others are at least n, or all
// stay.
func (c cells[C]) subtract(w uint64, d hashfam.Digest, n uint64) {
	p := d.Probe()
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		if cell := &c[row+p.In(w)]; *cell != ^C(0) {
			*cell -= C(n)
		}
	}
}

// Halve divides every count by two, for sketches that let old counts fade: the
// counters and the total, rounded down. O(w d) time, no allocation. It returns
// [ErrParams] if s is not conservative: rounding would break what Remove and
// the encoding rely on, that each row of a plain sketch adds up to the total.
//
// A counter at its maximum is halved, too, though it means that or more;
// otherwise the most frequent keys would never fade. So no count is less than
// what a single counter of the key would have, of [Params].CounterBits bits,
// which stops at its maximum and is halved as often. It is less than half the
// truth only if such a counter has been at its maximum. [Sketch.Bounds] and
// [Sketch.ErrorBound] are about the count of that counter, and may be off by
// one more, because of rounding. A total of 2^64-1 stays.
func (s *Sketch) Halve() error {
	rows := s.rows()
	if !s.params.Conservative {
		return paramError("Params.Conservative", false, "true for Halve")
	}
	if most := rows.halve(s.params.Width); s.total != math.MaxUint64 {
		s.total = max(s.total/2, most) // most is less, except after decoding forged rows
	}
	return nil
}

// halve halves every counter, rounding down. It returns the greatest sum of a
// row.
func (c cells[C]) halve(w uint64) (most uint64) {
	for ; len(c) > 0; c = c[w:] {
		sum := uint64(0)
		for i, n := range c[:w] {
			c[i] = n / 2
			sum = tracker.AddSat(sum, uint64(n/2))
		}
		most = max(most, sum)
	}
	return most
}
