// Package ring implements windows for structures that forget old keys. Such a
// structure consists of parts. Keys are added to the newest part until it is
// full or its time is over. Then the oldest part is cleared and becomes the
// newest. To cover a window of G parts, G+1 are used, because the newest is
// still filling.
package ring

import (
	"math"
	"slices"
	"time"
)

// A Ring is a position in a window of keys ([OfKeys]) or of time ([OfTime]).
// The caller provides the time. Rings can be compared with ==.
type Ring struct {
	keys   uint64 // per part, or 0 in a window of time
	length int64  // of a part in nanoseconds, or 0 in a window of keys
	used   uint64 // keys in the newest part
	part   int64  // number of the newest part since 1970
}

// unknown is the number of the newest part before any time is known.
const unknown = math.MinInt64

// OfKeys returns a Ring whose parts hold keys/parts keys each, rounded up. Both
// numbers must be positive.
func OfKeys(keys uint64, parts int) Ring {
	return Ring{keys: (keys-1)/uint64(parts) + 1}
}

// OfTime returns a Ring whose parts last span/parts each, rounded up to whole
// nanoseconds. Both numbers must be positive.
func OfTime(span time.Duration, parts int) Ring {
	return Ring{length: (int64(span)-1)/int64(parts) + 1, part: unknown}
}

// Keys returns the number of keys per part, or 0 in a window of time.
func (r *Ring) Keys() uint64 { return r.keys }

// Count counts a key and reports whether it begins a new part. In a window of
// time it returns false.
func (r *Ring) Count() (turn bool) {
	if r.keys == 0 {
		return false
	}
	turn = r.used == r.keys
	if turn {
		r.used = 0
	}
	r.used++
	return turn
}

// Advance moves a Ring of time to t and returns the number of parts that have
// begun since the last call. If t is earlier than a previous time, Advance
// ignores it and returns 0. The first call also returns 0, since all previous
// keys belong to the part that contains t. For a window of keys, it always
// returns 0.
//
// Only times from September 1677 to April 2262 can be encoded, so Advance
// replaces earlier and later times by the first or the last of these.
func (r *Ring) Advance(t time.Time) (begun uint64) {
	if r.length == 0 {
		return 0
	}
	part := r.at(int64(t.Sub(time.Unix(0, 0)))) // Sub returns the nearest Duration
	if r.part == unknown {
		r.part = part
	}
	if part > r.part {
		begun = uint64(part) - uint64(r.part) // correct even if part - r.part overflows
		r.part = part
	}
	return begun
}

// at returns the number of the part that contains a nanosecond since 1970.
func (r *Ring) at(nanosecond int64) int64 {
	part := nanosecond / r.length
	if nanosecond%r.length < 0 {
		part-- // round down instead of towards 0
	}
	return max(part, unknown+1)
}

// Known reports whether the time is known. In a window of keys it returns
// false.
func (r *Ring) Known() bool { return r.length != 0 && r.part != unknown }

// Word returns the position for an encoding. In a window of keys, this is the
// number of keys in the newest part. In a window of time, it is the number of
// the newest part since 1970 in two's complement, or -2^63 if the time is
// unknown.
func (r *Ring) Word() uint64 {
	if r.length == 0 {
		return r.used
	}
	return uint64(r.part)
}

// SetWord sets the position to a Word. It returns false and does not change r
// if this window has no such position.
func (r *Ring) SetWord(word uint64) bool {
	part := int64(word)
	switch {
	case r.length == 0 && word <= r.keys:
		r.used = word
	case r.length != 0 && (part == unknown || part >= r.at(math.MinInt64) && part <= r.at(math.MaxInt64)):
		r.part = part
	default:
		return false
	}
	return true
}

// Reset moves r to the initial position, with no keys and no known time.
func (r *Ring) Reset() {
	r.used = 0
	if r.length != 0 {
		r.part = unknown
	}
}

// Turn makes the oldest part the newest, n times, by rotating parts, which
// begin with the oldest. It returns the new parts, which the caller should
// clear.
func Turn[T any](parts []T, n uint64) []T {
	if n == 0 {
		return nil
	}
	k := int(min(n, uint64(len(parts))))
	slices.Reverse(parts[k:]) // the order of the others does not matter
	slices.Reverse(parts)
	return parts[len(parts)-k:]
}
