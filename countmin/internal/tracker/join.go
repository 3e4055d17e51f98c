package tracker

import "math"

// Shards are trackers that share the keys of a stream: the key with digest d is
// counted by the tracker d.Shard(n) of n.

// Join returns a tracker that has counted what the shards have, which have the
// same Goal. No key is known to two of them, so nothing is added up but the
// totals: a counter of the joint tail has to be no less than the count of any
// single key, which the largest of the shards' counters is. Records stay as
// they are. O(memory) time; it allocates.
func Join(shards []*Tracker) Tracker {
	t := New(shards[0].Goal)
	t.log = t.log[:0]
	for _, s := range shards {
		t.total = AddSat(t.total, s.total)
		t.floor, t.missed = max(t.floor, s.floor), max(t.missed, s.missed)
		theirs := s.tail.clone()
		t.match(&theirs)
		t.tail.cover(&theirs)
		t.log = append(t.log, s.log...)
	}
	if t.grows() && t.lacks(0) > 0 {
		t.grow(uint64(len(t.log)))
	}
	t.fit()
	return t
}

// Stray reports whether t tracks a key that another one of n shards should. t
// is the shard with the given number. O(records) time.
func (t *Tracker) Stray(shard, n int) bool {
	for r := range t.log.all() {
		if t.log.digest(r).Shard(n) != shard {
			return true
		}
	}
	return false
}

// fit settles a log that was built elsewhere, and sweeps it if there is no room
// for all of it.
func (t *Tracker) fit() {
	t.settle()
	if t.lacks(0) > 0 {
		t.makeRoom(0, math.MaxUint64)
		t.settle()
	}
}
