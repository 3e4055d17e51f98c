package cuckoo

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

// together is the number of buckets that take whole words, whatever their
// width.
const together = 16

// A shared table is a [table] that is read and written word by word, each
// atomically. Its own array is empty.
// To write to a bucket takes the lock of its group, so no other goroutine
// writes to its words.
type shared struct {
	table
	words []atomic.Uint64
}

// newShared returns an empty shared table.
func newShared(p Params) shared {
	return shared{newTable(p, nil), make([]atomic.Uint64, p.bytes()/8)}
}

// load returns the word that begins at a bit. It reads the lower part first, as
// Concurrent.warn expects.
func (t *shared) load(bit uint64) uint64 {
	i := bit >> 6
	w := t.words[i : i+2]
	return w[0].Load()>>(bit&63) | w[1].Load()<<1<<(63-bit&63)
}

// flip inverts, from a bit on, the bits that are set in change.
func (t *shared) flip(bit, change uint64) {
	w := t.words[bit>>6:]
	w[0].Store(w[0].Load() ^ change<<(bit&63))
	if rest := change >> 1 >> (63 - bit&63); rest != 0 {
		w[1].Store(w[1].Load() ^ rest)
	}
}

// lanes is [table.lanes].
func (t *shared) lanes(i uint64) (uint64, uint64) {
	bit := i * t.stride
	switch t.kind {
	case single:
		w := t.load(bit)
		return w, w
	case paired:
		return t.load(bit), t.load(bit + 2*t.width)
	case compact:
		w := t.decode(t.load(bit))
		return w, w
	}
	n := uint64(nibbles[t.load(bit)&codeMask])
	bit += codeBits
	return t.pair(t.load(bit), n), t.pair(t.load(bit+2*t.rest), n>>8)
}

// hasEither is [table.hasEither].
func (t *shared) hasEither(i, j, fp uint64) bool {
	if t.kind == single {
		return t.anyMatches(t.load(i*t.stride), t.load(j*t.stride), fp)
	}
	a, b := t.lanes(i)
	c, d := t.lanes(j)
	return t.matches(a, fp)|t.matches(b, fp)|t.matches(c, fp)|t.matches(d, fp) != 0
}

// copies is [table.copies].
func (t *shared) copies(i, fp uint64) int {
	a, b := t.lanes(i)
	n := bits.OnesCount64(t.matches(a, fp))
	if t.width > maxSingle {
		n += bits.OnesCount64(t.matches(b, fp))
	}
	return n
}

// exchange is [table.exchange]. Its caller has the lock of the bucket.
func (t *shared) exchange(i, old, fp uint64) bool {
	if t.kind != single {
		return t.exchangeCopy(i, old, fp)
	}
	bit := i * t.stride
	m := t.matches(t.load(bit), old)
	if m == 0 {
		return false
	}
	t.flip(bit+t.lowest(m), old^fp)
	return true
}

// exchangeCopy changes a copy of the words of a bucket and stores those that
// differ. The copy is of a whole group, so that the bucket begins at a bit of a
// multiple of its stride, but only its own words are filled in.
func (t *shared) exchangeCopy(i, old, fp uint64) bool {
	const most = together*slots*maxBits/8 + 8 // bytes
	var room [most]byte
	local := t.table
	local.bytes = room[:]
	words := t.words[i/together*(t.stride*together/64):]
	i %= together
	first, last := i*t.stride/64, ((i+1)*t.stride-1)/64
	for w := first; w <= last; w++ {
		binary.LittleEndian.PutUint64(room[8*w:], words[w].Load())
	}
	if !local.exchange(i, old, fp) {
		return false
	}
	for w := first; w <= last; w++ {
		if x := binary.LittleEndian.Uint64(room[8*w:]); x != words[w].Load() {
			words[w].Store(x)
		}
	}
	return true
}
