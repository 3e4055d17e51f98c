package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A counter saturates: at its maximum it means that or more.
type counter interface {
	uint8 | uint16 | uint32 | uint64
}

// Cells are the counters of a sketch, row after row. The counter of a key in
// row i is the i-th value of its digest's sequence, reduced to the width.
type cells[C counter] []C

func (c *cells[C]) make(n uint64) { *c = make([]C, n) }

func (c cells[C]) clear() { clear(c) }

// add counts a key n times. It adds n to the key's counter in every row, in two
// rows at a time: the two additions do not wait for each other, which saves a
// quarter of the time.
func (c cells[C]) add(params *Params, d hashfam.Digest, n uint64) {
	w, by := params.Width, C(min(n, uint64(^C(0))))
	if params.Conservative {
		c.raise(w, d, by)
		return
	}
	p, row, end := d.Probe(), uint64(0), uint64(len(c))
	for ; row+w < end; row, p = row+2*w, p.Next().Next() {
		bump(&c[row+p.In(w)], by)
		bump(&c[row+w+p.Next().In(w)], by)
	}
	if row < end {
		bump(&c[row+p.In(w)], by)
	}
}

// bump is [plus] in place. A store in each branch is faster than one store that
// waits for the test; but a small counter often saturates, and then it is worse
// to mispredict the test.
func bump[C counter](c *C, n C) {
	if small[C]() {
		*c = plus(*c, n)
	} else if sum := *c + n; sum >= n {
		*c = sum
	} else {
		*c = ^C(0)
	}
}

// plus returns a+b, or the maximum if that does not fit.
func plus[C counter](a, b C) C {
	if small[C]() {
		return C(min(uint64(a)+uint64(b), uint64(^C(0)))) // without a branch
	}
	if sum := a + b; sum >= a {
		return sum
	}
	return ^C(0)
}

// small reports whether a counter often saturates.
func small[C counter]() bool { return uint64(^C(0)) <= math.MaxUint16 }

// least returns the least of the key's counters. It compares words: there is no
// conditional move of a byte.
func (c cells[C]) least(w uint64, d hashfam.Digest) uint64 {
	p, low := d.Probe(), uint64(^C(0))
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		low = min(low, uint64(c[row+p.In(w)]))
	}
	return low
}

// raise makes every counter of the key at least its least one and n. That is
// conservative update (Estan and Varghese, SIGCOMM 2002, section 3.3): no
// counter is raised beyond what the key's own count can need.
func (c cells[C]) raise(w uint64, d hashfam.Digest, n C) {
	p, to := d.Probe(), uint64(plus(C(c.least(w, d)), n))
	for row := uint64(0); row < uint64(len(c)); row, p = row+w, p.Next() {
		cell := &c[row+p.In(w)]
		*cell = C(max(uint64(*cell), to))
	}
}
