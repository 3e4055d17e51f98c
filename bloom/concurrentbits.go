package bloom

import (
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
)

// The functions of this file are those for plain filters in bloom.go and
// blocked.go, with atomic accesses to the words.

// share sets a bit of w. Most bits of a filter in use are set already; to test
// one first takes a tenth of the time of an atomic instruction, and leaves the
// cache line with the other processors.
func share(w *uint64, bit uint64) {
	if atomic.LoadUint64(w)&bit == 0 {
		atomic.OrUint64(w, bit)
	}
}

// sees returns bit i%64 of w, in its place, if it is not set, and zero
// otherwise.
func sees(w *uint64, i uint64) uint64 { return unset(atomic.LoadUint64(w), i) }

func shareClassic(words []uint64, m uint64, k int, d hashfam.Digest) {
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := p.In(m)
		share(&words[i>>6], 1<<(i&63))
	}
}

func seesClassic(words []uint64, m uint64, k int, d hashfam.Digest) bool {
	missing := uint64(0)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := p.In(m)
		missing |= sees(&words[i>>6], i)
	}
	return missing == 0
}

func sharePartitioned(words []uint64, s uint64, k int, d hashfam.Digest) {
	base := uint64(0)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := base + p.In(s)
		share(&words[i>>6], 1<<(i&63))
		base += s
	}
}

func seesPartitioned(words []uint64, s uint64, k int, d hashfam.Digest) bool {
	base, missing := uint64(0), uint64(0)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := base + p.In(s)
		missing |= sees(&words[i>>6], i)
		base += s
	}
	return missing == 0
}

func shareBlocked(words []uint64, lines uint64, k int, d hashfam.Digest) {
	line := lineOf(words, lines, d)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		share(&line[p>>61], 1<<(p>>55&63))
	}
}

// seesBlocked is hasBlocked with atomic loads. The AVX-512 form loads the line
// without them, which is right as well: a bit is never cleared, so each bit of
// what it loads, even of a torn word, is as it was before or after an Add that
// runs at the same time, and as it is after one that has returned. The race
// detector cannot know that; a build with it has no AVX-512 form.
func seesBlocked(words []uint64, lines uint64, k int, d hashfam.Digest) bool {
	line, missing := lineOf(words, lines, d), uint64(0)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		missing |= sees(&line[p>>61], uint64(p)>>55)
	}
	return missing == 0
}
