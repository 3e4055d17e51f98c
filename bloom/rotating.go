package bloom

import (
	"math"
	"time"

	"github.com/filterfam/filterfam/hashfam"
)

// A Rotating is a Bloom filter that forgets: it answers whether a key was seen
// within the last N keys, or within the last hour. It is a ring of filters, its
// generations. Keys go into the newest one; if that is full or its time is
// over, the oldest one is cleared and becomes the newest. This extends the
// double buffering of Chang, Feng and Li (INFOCOM 2004) to more generations.
//
// With G generations in the window there are G+1, each for a G-th of it,
// rounded up to a whole number of keys or nanoseconds. So a key is remembered
// for the window at least, and for G+1 of these parts at most. A key of a
// window costs 16 bits at 1 % and G = 4; a lookup asks every generation.
//
// Make one with [NewRotating]. A Rotating must not be copied by value; use
// [Rotating.Clone]. It has no clock and no goroutine: time comes from the
// caller. Reads may run at the same time; a method that changes a Rotating must
// run alone. A zero Rotating is only a receiver for decoding: it contains every
// key, and adding to it changes nothing.
//
// Two Rotatings cannot be merged: their windows end at different keys or times.
type Rotating struct {
	config      RotatingConfig
	generations stages
	used        uint64 // calls of Add in the newest generation, if Span is 0
	epoch       int64  // number of the newest generation by time, if Span is not 0
}

// start is the epoch before any time is known.
const start = math.MinInt64

// Add records key as seen now: at the time of the last [Rotating.Advance], or
// as the last key of the window. O(k) time, no allocation, except that it
// clears a generation if the newest one is full: that takes time in proportion
// to its size. Add does not keep key.
func (r *Rotating) Add(key []byte) { r.AddDigest(r.config.Family.Sum(key)) }

// AddString is [Rotating.Add] for a string.
func (r *Rotating) AddString(key string) { r.AddDigest(r.config.Family.SumString(key)) }

// AddUint64 is [Rotating.Add] for an integer: the key is its eight
// little-endian bytes.
func (r *Rotating) AddUint64(key uint64) { r.AddDigest(r.config.Family.SumUint64(key)) }

// AddDigest is [Rotating.Add] for a key already hashed by the filter's family,
// Config().Family. A digest made by another family stands for another key.
func (r *Rotating) AddDigest(d hashfam.Digest) {
	if len(r.generations) == 0 {
		return
	}
	if r.config.Span == 0 {
		if r.used == r.config.perGeneration() {
			r.rotate(1)
			r.used = 0
		}
		r.used++
	}
	r.generations.newest().AddDigest(d)
}

// AddAt is [Rotating.Advance] to t and then [Rotating.Add].
func (r *Rotating) AddAt(key []byte, t time.Time) { r.AddDigestAt(r.config.Family.Sum(key), t) }

// AddStringAt is [Rotating.AddAt] for a string.
func (r *Rotating) AddStringAt(key string, t time.Time) {
	r.AddDigestAt(r.config.Family.SumString(key), t)
}

// AddUint64At is [Rotating.AddAt] for an integer.
func (r *Rotating) AddUint64At(key uint64, t time.Time) {
	r.AddDigestAt(r.config.Family.SumUint64(key), t)
}

// AddDigestAt is [Rotating.AddAt] for a key already hashed by the filter's
// family.
func (r *Rotating) AddDigestAt(d hashfam.Digest, t time.Time) {
	r.Advance(t)
	r.AddDigest(d)
}

// Contains reports whether key may have been seen within the window. False is
// certain: key was not seen within the last Capacity keys, or within Span
// before the time of the last [Rotating.Advance] or AddAt. True is wrong with a
// probability of at most FPRate; it may also mean that key was seen up to a
// G-th of a window earlier. O(G k) time, no allocation. It asks the newest
// generation first, and three positions of a generation before the others.
func (r *Rotating) Contains(key []byte) bool { return r.ContainsDigest(r.config.Family.Sum(key)) }

// ContainsString is [Rotating.Contains] for a string.
func (r *Rotating) ContainsString(key string) bool {
	return r.ContainsDigest(r.config.Family.SumString(key))
}

// ContainsUint64 is [Rotating.Contains] for an integer.
func (r *Rotating) ContainsUint64(key uint64) bool {
	return r.ContainsDigest(r.config.Family.SumUint64(key))
}

// ContainsDigest is [Rotating.Contains] for a key already hashed by the
// filter's family.
func (r *Rotating) ContainsDigest(d hashfam.Digest) bool {
	return r.generations.has(d) || len(r.generations) == 0
}

// ContainsOrAdd reports whether key may have been seen within the window, and
// records it as seen now in either case. It is a Contains and an Add, less one
// hash. O(G k) time, no allocation.
func (r *Rotating) ContainsOrAdd(key []byte) bool {
	return r.ContainsOrAddDigest(r.config.Family.Sum(key))
}

// ContainsOrAddString is [Rotating.ContainsOrAdd] for a string.
func (r *Rotating) ContainsOrAddString(key string) bool {
	return r.ContainsOrAddDigest(r.config.Family.SumString(key))
}

// ContainsOrAddUint64 is [Rotating.ContainsOrAdd] for an integer.
func (r *Rotating) ContainsOrAddUint64(key uint64) bool {
	return r.ContainsOrAddDigest(r.config.Family.SumUint64(key))
}

// ContainsOrAddDigest is [Rotating.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (r *Rotating) ContainsOrAddDigest(d hashfam.Digest) bool {
	found := r.ContainsDigest(d)
	r.AddDigest(d)
	return found
}

// ContainsOrAddAt is [Rotating.Advance] to t and then
// [Rotating.ContainsOrAdd].
func (r *Rotating) ContainsOrAddAt(key []byte, t time.Time) bool {
	return r.ContainsOrAddDigestAt(r.config.Family.Sum(key), t)
}

// ContainsOrAddStringAt is [Rotating.ContainsOrAddAt] for a string.
func (r *Rotating) ContainsOrAddStringAt(key string, t time.Time) bool {
	return r.ContainsOrAddDigestAt(r.config.Family.SumString(key), t)
}

// ContainsOrAddUint64At is [Rotating.ContainsOrAddAt] for an integer.
func (r *Rotating) ContainsOrAddUint64At(key uint64, t time.Time) bool {
	return r.ContainsOrAddDigestAt(r.config.Family.SumUint64(key), t)
}

// ContainsOrAddDigestAt is [Rotating.ContainsOrAddAt] for a key already hashed
// by the filter's family.
func (r *Rotating) ContainsOrAddDigestAt(d hashfam.Digest, t time.Time) bool {
	r.Advance(t)
	return r.ContainsOrAddDigest(d)
}

// Advance moves the window on so that it ends at t, and forgets the keys that
// were seen more than Span, and a G-th of it, before t. It does nothing if Span
// is 0, or if t is before an earlier time: the window never moves back, and a
// key added then counts as seen at that earlier time. O(1) time, except that it
// clears the generations whose time is over: each takes time in proportion to
// its size.
//
// All times before 1678 count as one, and so do those after 2262.
func (r *Rotating) Advance(t time.Time) {
	if r.config.Span == 0 || len(r.generations) == 0 {
		return
	}
	epoch := r.config.epochOf(t)
	if r.epoch == start {
		r.epoch = epoch // keys added before any time was known count as seen at t
	}
	if epoch > r.epoch {
		r.rotate(uint64(epoch) - uint64(r.epoch)) // right even if epoch - r.epoch overflows
		r.epoch = epoch
	}
}

// rotate clears the n oldest generations and makes them the newest ones.
func (r *Rotating) rotate(n uint64) {
	for range min(n, uint64(len(r.generations))) {
		oldest := r.generations[0]
		oldest.Reset()
		copy(r.generations, r.generations[1:])
		*r.generations.newest() = oldest
	}
}
