package tracker

import "github.com/filterfam/filterfam/internal/sizing"

// Join returns a tracker with the combined counts of a stream's shards, which
// must have the same Goal. Tracker i of n must have counted exactly the keys
// whose digests d have d.Shard(n) = i. Since no key is in two shards, only the
// totals are added. A counter of the joint tail is the maximum of the shards'
// counters, because it need not exceed the highest count of any of its keys.
// Join copies the records.
func Join(shards []*Tracker) Tracker {
	t := New(shards[0].Goal)
	for _, s := range shards {
		t.total = sizing.SaturatingAdd(t.total, s.total)
		t.floor = max(t.floor, s.floor)
		t.missed = max(t.missed, s.missed)
		theirs := s.tail.clone()
		t.match(&theirs)
		t.tail.cover(&theirs)
		t.log = append(t.log, s.log...)
	}
	if t.grows() {
		t.grow(uint64(len(t.log)))
	}
	t.fit()
	return t
}

// Stray reports whether t, the given one of n shards, tracks a key of another
// shard.
func (t *Tracker) Stray(shard, n int) bool {
	for r := range t.log.all() {
		if t.log.digest(r).Shard(n) != shard {
			return true
		}
	}
	return false
}
