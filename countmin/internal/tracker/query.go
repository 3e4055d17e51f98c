package tracker

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// An Estimate is what is known of how often a key was counted.
type Estimate struct{ Count, Low, High uint64 }

// Total returns how much has been counted. O(1) time.
func (t *Tracker) Total() uint64 { return t.total }

// MissBound returns an upper bound on the count of any key without a record.
// The zero Tracker returns the largest number. O(1) time.
func (t *Tracker) MissBound() uint64 {
	if t.blank() {
		return math.MaxUint64
	}
	return t.missed
}

// Estimate returns what is known of the key with digest d. O(1) time.
func (t *Tracker) Estimate(d hashfam.Digest) Estimate {
	if t.blank() {
		return Estimate{Count: math.MaxUint64, High: math.MaxUint64}
	}
	if r := t.index.find(t.log, d); r != none {
		return t.estimateOf(r)
	}
	high := min(t.tail.count(d), t.missed)
	return Estimate{Count: high, High: high}
}

// estimateOf returns what is known of the key of r.
func (t *Tracker) estimateOf(r record) Estimate {
	e := Estimate{Count: t.log.count(r), Low: t.log.exact(r), High: t.log.count(r)}
	if t.log.guess(r) == maxGuess {
		e.Low = 0
	}
	return e
}

// Ranked yields the tracked keys that count at least least, in falling order of
// their counts and rising order of the keys, and of those the first few. It
// sorts them when it is called: O(r log r) time and O(r) memory for r keys.
func (t *Tracker) Ranked(least uint64, few int) iter.Seq2[string, Estimate] {
	return ranked(t.appendItems(nil, least), few)
}

// An item is a tracked key with what is known of it.
type item struct {
	key string
	e   Estimate
}

// appendItems appends the tracked keys that count at least least.
func (t *Tracker) appendItems(items []item, least uint64) []item {
	var buf []byte
	for r := range t.log.all() {
		if t.log.count(r) >= least {
			buf = t.log.appendKey(buf[:0], r)
			items = append(items, item{string(buf), t.estimateOf(r)})
		}
	}
	return items
}

// ranked sorts items and yields the first few.
func ranked(items []item, few int) iter.Seq2[string, Estimate] {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.e.Count, a.e.Count), cmp.Compare(a.key, b.key))
	})
	return func(yield func(string, Estimate) bool) {
		for _, i := range items[:min(few, len(items))] {
			if !yield(i.key, i.e) {
				return
			}
		}
	}
}

// Equal reports whether t and o have counted the same. The order of records in
// the log, in which keys were admitted, does not matter. O(memory) time.
func (t *Tracker) Equal(o *Tracker) bool {
	if t.total != o.total || t.floor != o.floor || t.missed != o.missed ||
		t.tail.shift != o.tail.shift || !slices.Equal(t.tail.words, o.tail.words) ||
		t.live != o.live || len(t.log) != len(o.log) {
		return false
	}
	for r := range t.log.all() {
		q := o.index.find(o.log, t.log.digest(r))
		if q == none || t.log.count(r) != o.log.count(q) || t.log.guess(r) != o.log.guess(q) {
			return false
		}
	}
	return true
}

// SizeBytes returns the memory that t holds, with the structure around it. O(1)
// time.
func (t *Tracker) SizeBytes() uint64 {
	return structBytes + 8*uint64(len(t.tail.words)) + 4*uint64(cap(t.index.heads)) + 8*uint64(cap(t.log))
}
