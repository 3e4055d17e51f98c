// Package tracker finds the most frequent keys of a stream. It is used by
// countmin's HeavyHitters and Window.
//
// To read the code, start with tracker.go, which counts a key. The other files
// are
//
//   - room.go: which records make room for others, and how memory grows
//   - log.go: the records of the tracked keys, and their order
//   - index.go: finding a record
//   - tail.go: counters for all other keys
//   - goal.go: sizes that follow from the goal
//   - panes.go: trackers of consecutive parts of a stream
//   - query.go: estimates and lists of keys
//   - merge.go: trackers of other streams, and of shards of one stream
//   - codec.go: encodings
package tracker

import (
	"bytes"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Tracker counts the most frequent keys exactly, from the moment it admits
// them by adding records of them to its log. All other keys are counted in its
// tail, and a key is admitted when the tail's estimate exceeds floor.
//
// When there is no room, the records with the lowest counts are evicted, and
// their counts are written back to the tail. floor is the highest count that
// was evicted. missed is equal to floor at first, but becomes higher when a
// long key is refused, or in a merge. The following is always true:
//
//   - A record's count, which began as an estimate, is not below the truth.
//   - A key without a record has a count of no more than missed.
//   - The tail's estimate of a key without a record is not below the truth.
//
// The arrays grow with the keys that are counted, up to the budget if there is
// one, so a Goal alone does not use memory. A Tracker that contains only a Goal
// is blank: it has counted nothing, and its payload has no bytes.
type Tracker struct {
	// The fields that Observe uses come first, so they share few cache lines.
	total  uint64
	floor  uint64
	missed uint64
	tail   tail
	index  index
	log    log
	live   int // number of records in the log

	Goal
	want int // number of records that the log should hold if memory allows
}

// New returns an empty tracker.
func New(g Goal) Tracker {
	return Tracker{Goal: g, want: g.wanted(), tail: newTail(g), index: newIndex(1)}
}

// Observe counts key n > 0 times in the last pane, or in a new pane if the last
// one is full. The pane must have room for n keys. Observe runs in O(1)
// amortized time and does not retain key. It allocates only if memory grows,
// the tail is resized, records are evicted or a pane begins.
func Observe[K Key](p *Panes, d hashfam.Digest, key K, n uint64) {
	t := p.Last
	if t == nil || t.total == p.next {
		p.begin()
		t = p.Last
	}
	t.total = sizing.SaturatingAdd(t.total, n)
	if r := t.index.find(t.log, d); r != none {
		t.log.setCount(r, sizing.SaturatingAdd(t.log.count(r), n))
		return
	}
	before, added := t.tail.add(d, n, min(t.floor, t.tail.limit()))
	if added {
		return // the key's count does not exceed floor
	}
	now := sizing.SaturatingAdd(before, n)
	if now > t.floor && t.makeRoom(recordBytes(uint64(len(key))), now) {
		admit(t, now, before, d, key)
		return
	}
	t.missed = max(t.missed, now)
	t.tail.raise(d, now)
}

// admit appends a record. If the log's array is full, it becomes four times as
// large, but not larger than the log's room, so that memory is proportional to
// the size of the admitted keys.
func admit[K Key](t *Tracker, count, guess uint64, d hashfam.Digest, key K) {
	length := uint64(len(t.log)) + recordBytes(uint64(len(key)))
	if length > uint64(cap(t.log)) {
		t.resize(max(length, min(4*uint64(cap(t.log)), t.roomFor(length))))
	}
	r := record(len(t.log) + linkBytes)
	t.log = appendRecord(t.log, count, guess, d, key)
	t.index.link(t.log, r)
	t.live++
}

// blank reports whether t contains only a Goal.
func (t *Tracker) blank() bool { return t.tail.size == 0 }

// Total returns the sum of all counts.
func (t *Tracker) Total() uint64 { return t.total }

// sizeBytes returns the memory that t and the structure around it hold.
func (t *Tracker) sizeBytes() uint64 {
	return structBytes + 8*uint64(len(t.tail.words)) + 4*uint64(len(t.index.heads)) + uint64(cap(t.log))
}

// clone returns a deep copy of t.
func (t *Tracker) clone() Tracker {
	c := *t
	c.tail = t.tail.clone()
	c.index.heads = slices.Clone(t.index.heads)
	c.log = append(make(log, 0, cap(t.log)), t.log...)
	return c
}

// equal reports whether t and o have the same goal and have counted the same.
// The order of the records in the log does not matter.
func (t *Tracker) equal(o *Tracker) bool {
	if t.Goal != o.Goal || t.blank() != o.blank() || t.total != o.total || t.floor != o.floor || t.missed != o.missed {
		return false
	}
	return t.live == o.live && t.tail.equal(&o.tail) && slices.EqualFunc(t.byDigest(), o.byDigest(), func(a, b record) bool {
		return bytes.Equal(t.log.encoded(a), o.log.encoded(b))
	})
}
