package tracker

import "slices"

// Total returns how much has been counted. O(1) time.
func (t *Tracker) Total() uint64 { return t.total }

// sizeBytes returns the memory that t holds, with the structure around it. O(1)
// time.
func (t *Tracker) sizeBytes() uint64 {
	return structBytes + 8*uint64(len(t.tail.words)) + 4*uint64(cap(t.index.heads)) + 8*uint64(cap(t.log))
}

// clone returns a copy that shares no memory with t. O(memory) time.
func (t *Tracker) clone() Tracker {
	c := *t
	c.tail = t.tail.clone()
	c.index.heads = slices.Clone(t.index.heads)
	c.log = append(make(log, 0, cap(t.log)), t.log...)
	return c
}

// equal reports whether t and o have counted the same. The order of records in
// the log, in which keys were admitted, does not matter. O(memory) time.
func (t *Tracker) equal(o *Tracker) bool {
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
