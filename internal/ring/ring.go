// Package ring keeps the position of a structure that forgets. Such a structure
// is a ring of parts: the newest one takes what is added, and when it is full,
// or its time is over, the oldest one is cleared and becomes the newest. With
// parts for a G-th of a window there are G+1 of them, so that all of the window
// is remembered while one part fills.
package ring

import (
	"math"
	"slices"
	"time"
)

// A Ring tells which part is the newest. Its parts are for a number of keys,
// see [OfKeys], or for a length of time, see [OfTime]. It has no clock: time
// comes from the caller. Two Rings are equal (==) if they are at the same
// position of the same window.
type Ring struct {
	keys   uint64 // that a part is for, or 0
	length int64  // of a part in nanoseconds, or 0
	used   uint64 // keys in the newest part, if the parts are for keys
	part   int64  // number of the newest part since 1970, if they are for time
}

// unknown is the number of the newest part before any time is known.
const unknown = math.MinInt64

// OfKeys returns a ring whose parts are for one of so many parts of a window of
// keys, rounded up to whole keys. Both numbers are at least 1.
func OfKeys(keys uint64, parts int) Ring {
	return Ring{keys: (keys-1)/uint64(parts) + 1}
}

// OfTime returns a ring whose parts are for one of so many parts of span,
// rounded up to whole nanoseconds. Both numbers are at least 1.
func OfTime(span time.Duration, parts int) Ring {
	return Ring{length: (int64(span)-1)/int64(parts) + 1, part: unknown}
}

// Keys returns the number of keys that a part is for, or 0 if the parts are for
// time.
func (r *Ring) Keys() uint64 { return r.keys }

// Count counts a key and reports whether a new part begins with it. It reports
// false if the parts are for time.
func (r *Ring) Count() (turn bool) {
	if r.keys == 0 {
		return false
	}
	if turn = r.used == r.keys; turn {
		r.used = 0
	}
	r.used++
	return turn
}

// Advance moves a ring of time on to t and returns the number of parts that
// have begun since the latest time. A time before that changes nothing: a ring
// never moves back. No part begins at the first time: what was added before any
// time was known counts as of then.
//
// All times before 1678 count as one, and so do those after 2262, so that a
// clock that is wrong by any amount moves the ring to a time that can be
// encoded. Advance returns 0 if the parts are for keys.
func (r *Ring) Advance(t time.Time) (begun uint64) {
	if r.length == 0 {
		return 0
	}
	part := r.at(int64(t.Sub(time.Unix(0, 0)))) // Sub returns the nearest Duration
	if r.part == unknown {
		r.part = part
	}
	if part > r.part {
		begun = uint64(part) - uint64(r.part) // right even if part - r.part overflows
		r.part = part
	}
	return begun
}

// at returns the number of the part at a nanosecond since 1970.
func (r *Ring) at(nanosecond int64) int64 {
	part := nanosecond / r.length
	if nanosecond%r.length < 0 {
		part-- // round down, not towards 0
	}
	return max(part, unknown+1)
}

// Known reports whether r has been advanced to a time.
func (r *Ring) Known() bool { return r.length != 0 && r.part != unknown }

// Word returns the position as a number for an encoding: the number of keys in
// the newest part; or the number of that part since 1970, in two's complement,
// which is -2^63 before any time is known.
func (r *Ring) Word() uint64 {
	if r.length == 0 {
		return r.used
	}
	return uint64(r.part)
}

// SetWord sets the position to a Word, which may come from anyone. It reports
// whether a ring of this window can be there; if not, r is unchanged.
func (r *Ring) SetWord(word uint64) bool {
	if r.length == 0 {
		if word <= r.keys {
			r.used = word
		}
		return word <= r.keys
	}
	part := int64(word)
	ok := part == unknown || part >= r.at(math.MinInt64) && part <= r.at(math.MaxInt64)
	if ok {
		r.part = part
	}
	return ok
}

// Reset moves r back to where it began: no keys, and no time is known.
func (r *Ring) Reset() {
	r.used = 0
	if r.length != 0 {
		r.part = unknown
	}
}

// Turn makes the oldest of parts the newest, n times: it rotates them, the
// oldest of which come first, and returns those that have become the newest and
// are to be cleared. That is all of them if n is larger than their number.
func Turn[T any](parts []T, n uint64) []T {
	k := int(min(n, uint64(len(parts))))
	slices.Reverse(parts[:k])
	slices.Reverse(parts[k:])
	slices.Reverse(parts)
	return parts[len(parts)-k:]
}
