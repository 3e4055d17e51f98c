package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A counter stops at its maximum. The true count may then be higher.
type counter interface {
	uint8 | uint16 | uint32 | uint64
}

// Cells are the counters of a sketch, row after row. A key has one counter in
// each row: its position in row i is the i-th value of the digest's probe
// sequence, mapped to a number below the width. docs/theory.md explains why
// there are rows.
type cells[C counter] []C

// Rows are the cells of a sketch with counters of any width. Calls through this
// interface would slow down Add and Count, so these two methods switch on
// CounterBits instead.
type rows interface {
	make(n uint64)
	read(r *frame.Reader, n uint64)
	payload() frame.Payload
	check(s *Sketch) error
	addAll(w uint64, digests []hashfam.Digest)
	countAll(counts []uint64, w uint64, digests []hashfam.Digest)
	subtract(w uint64, d hashfam.Digest, n uint64)
	merge(others []*Sketch)
	product(other rows, w uint64) uint64
	quantile(w uint64, delta float64) uint64
	halve(w uint64) uint64
	clear()
}

func (c *cells[C]) make(n uint64) { *c = make([]C, n) }

func (c cells[C]) clear() { clear(c) }

// add adds n to each of the key's counters (plain update). The loop processes
// two rows at a time, so that the CPU can update two counters in parallel.
//
// The functions add, raise and addRows are not methods, because in methods the
// address of the counters would not stay in a register.
func add[C counter](c cells[C], w uint64, d hashfam.Digest, n uint64) {
	p := d.Probe()
	by := min(n, uint64(^C(0)))
	row := uint64(0)
	end := uint64(len(c))
	for ; row+w < end; row, p = row+2*w, p.Next().Next() {
		bump(&c[row+p.In(w)], by)
		bump(&c[row+w+p.Next().In(w)], by)
	}
	if row < end {
		bump(&c[row+p.In(w)], by)
	}
}

// raise sets each of the key's counters that is lower than the given count to
// this count. To count a key n times, the caller passes the minimum of the
// key's counters plus n. This is an upper bound on the key's new count, so no
// counter must be raised further (conservative update; Estan and Varghese,
// SIGCOMM 2002, section 3.3).
func raise[C counter](c cells[C], w uint64, d hashfam.Digest, to C) {
	p := d.Probe()
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		cell := &c[row+p.In(w)]
		*cell = C(max(uint64(*cell), uint64(to))) // see least
	}
}

// bump adds n, which must fit in a counter, to c, which stops at its maximum.
// Narrow counters often reach the maximum, and the CPU would mispredict a
// branch on this, so bump computes a minimum instead. For wide counters, a
// branch with two stores is faster than a single store that waits for the
// comparison.
func bump[C counter](c *C, n uint64) {
	if most := uint64(^C(0)); most <= math.MaxUint16 {
		*c = C(min(uint64(*c)+n, most))
	} else if sum := *c + C(n); sum >= C(n) {
		*c = sum
	} else {
		*c = ^C(0)
	}
}

// plus returns a+b, or a counter's maximum if the sum does not fit.
func plus[C counter](a, b uint64) C { return C(min(sizing.SaturatingAdd(a, b), uint64(^C(0)))) }

// least returns the minimum of the key's counters. It compares words because
// there is no conditional move for bytes.
func (c cells[C]) least(w uint64, d hashfam.Digest) uint64 {
	p := d.Probe()
	low := uint64(^C(0))
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		low = min(low, uint64(c[row+p.In(w)]))
	}
	return low
}
