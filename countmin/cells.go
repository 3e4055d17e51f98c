package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A counter saturates: at its maximum it means that or more.
type counter interface {
	uint8 | uint16 | uint32 | uint64
}

// Cells are the counters of a sketch, row after row. A key has one counter in
// each row: in row i it is the i-th value of the digest's sequence, reduced to
// the width.
type cells[C counter] []C

func (c *cells[C]) make(n uint64) { *c = make([]C, n) }

func (c cells[C]) clear() { clear(c) }

// add counts a key n times: its update is conservative or plain.
//
// Conservative update makes every counter of the key at least its least one and
// n (Estan and Varghese, SIGCOMM 2002, section 3.3): no counter is raised
// beyond what the key's own count can need. Plain update adds n to all of them.
// Two rows at a time do not wait for each other, which saves up to a quarter of
// the time.
func (c cells[C]) add(params *Params, d hashfam.Digest, n uint64) {
	p, w, by := d.Probe(), params.Width, min(n, uint64(^C(0)))
	row, end := uint64(0), uint64(len(c))
	if params.Conservative {
		to := uint64(plus(C(c.least(w, d)), C(by)))
		for ; row+w < end; row, p = row+2*w, p.Next().Next() {
			lift(&c[row+p.In(w)], to)
			lift(&c[row+w+p.Next().In(w)], to)
		}
		if row < end {
			lift(&c[row+p.In(w)], to)
		}
		return
	}
	for ; row+w < end; row, p = row+2*w, p.Next().Next() {
		bump(&c[row+p.In(w)], by)
		bump(&c[row+w+p.Next().In(w)], by)
	}
	if row < end {
		bump(&c[row+p.In(w)], by)
	}
}

// lift makes a counter at least to.
func lift[C counter](c *C, to uint64) { *c = C(max(uint64(*c), to)) }

// bump adds n, which fits in a counter, to c, or makes it the maximum. A store
// in each branch is faster than one store that waits for the test. But small
// counters often saturate, and a test that is often mispredicted is slower
// still.
func bump[C counter](c *C, n uint64) {
	if most := uint64(^C(0)); most <= math.MaxUint16 {
		*c = C(min(uint64(*c)+n, most))
	} else if sum := *c + C(n); sum >= C(n) {
		*c = sum
	} else {
		*c = ^C(0)
	}
}

// plus returns a+b, or the maximum if that does not fit.
func plus[C counter](a, b C) C {
	if most := uint64(^C(0)); most <= math.MaxUint16 {
		return C(min(uint64(a)+uint64(b), most))
	}
	if sum := a + b; sum >= a {
		return sum
	}
	return ^C(0)
}

// least returns the least of the key's counters. It compares words: there is no
// conditional move of a byte.
func (c cells[C]) least(w uint64, d hashfam.Digest) uint64 {
	p, low := d.Probe(), uint64(^C(0))
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		low = min(low, uint64(c[row+p.In(w)]))
	}
	return low
}
