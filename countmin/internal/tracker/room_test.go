package tracker

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// crowded returns a tracker whose log of 7,168 bytes is nearly full. It
// contains 183 records of 39 bytes, and record i has the count 100 + i. An
// eviction frees 448 bytes, or 12 records.
func crowded(t *testing.T) *Tracker {
	h := New(Goal{Phi: 1, Memory: 16 << 10})
	for i := range uint64(183) {
		add(&h, fmt.Sprintf("%07d", i), 100+i)
	}
	require.Equal(t, 183, h.live)
	require.EqualValues(t, 7168, h.room())
	require.Len(t, h.log, 7137)
	require.Zero(t, h.floor)
	return &h
}

// The records with the lowest counts make room. A record of up to a sixteenth
// of the log evicts them in any case, and is admitted if its count is higher.
// For a longer record, nothing is evicted unless its count is higher.
func TestRecordsDisplaceSmallerCounts(t *testing.T) {
	for _, c := range []struct {
		size, count uint64
		floor       uint64 // after it
		live        int
	}{
		{448, 110, 111, 171},
		{448, 111, 111, 171},
		{448, 112, 111, 172},
		{449, 111, 0, 183},
		{449, 112, 111, 172},
		{499, 111, 0, 183},
		{499, 112, 111, 172},
		{500, 112, 0, 183},
		{500, 113, 112, 171},
		{7168, 400, 282, 1},
		{7169, 1 << 40, 0, 183},
	} {
		h := crowded(t)
		key := strings.Repeat("k", int(c.size-recordBytes(0)))
		add(h, key, c.count)
		require.Equal(t, c.floor, h.floor, "%+v", c)
		require.Equal(t, c.live, h.live, "%+v", c)
		admitted := tracked([]Tracker{*h}, hashfam.Family{}.SumString(key))
		require.Equal(t, c.floor > 0 && c.count > c.floor, admitted, "%+v", c)
		require.Equal(t, c.count, h.estimate(hashfam.Family{}.SumString(key)).High, "%+v", c)
		if !admitted {
			require.Equal(t, max(c.floor, c.count), h.missed, "%+v", c)
		}
	}
}

// After merging or decoding, records may have counts below the floor. Evicting
// them does not raise the floor. Otherwise it would exceed the total here, and
// decoding would fail.
func TestEvictionBelowTheFloorDoesNotRaiseIt(t *testing.T) {
	var shards []*Tracker
	for i := range 2 {
		forged := New(Goal{Phi: 1, Memory: 16 << 10})
		addMany(&forged, 216*i+1, 216*i+216, 1)
		forged.total, forged.floor, forged.missed = 1, 1, 1
		forged.tail.allocate()
		decoded, err := recode(&forged)
		require.NoError(t, err)
		shards = append(shards, &decoded)
	}
	joint := Join(shards)
	require.Less(t, joint.live, 432, "some were evicted")
	require.EqualValues(t, 1, joint.floor)
	_, err := recode(&joint)
	require.NoError(t, err)
}

// If fewer than K records would remain, as many as possible remain: those with
// the highest counts and, among equal counts, the lowest digests. With a budget,
// the needed bytes are freed in any case. Without one, half of the records
// remain, too. The order of the log does not matter.
func TestKRecordsRemain(t *testing.T) {
	counts := map[string]uint64{"a": 9, "b": 5, "c": 5, "d": 5, "e": 5, "f": 2, "g": 1} // of 33 bytes each
	const budget = 4096
	for _, c := range []struct {
		k       int
		memory  uint64
		size    uint64
		evicted int
		floor   uint64
	}{
		{0, budget, 1, 1, 1}, {0, budget, 34, 2, 2}, {0, budget, 67, 6, 5}, {0, budget, 231, 7, 9},
		{1, budget, 67, 6, 5}, {2, budget, 67, 5, 5}, {3, budget, 67, 4, 5}, {4, budget, 67, 3, 5}, {5, budget, 67, 3, 5},
		{2, budget, 100, 5, 5}, {9, budget, 1, 1, 1}, {9, budget, 67, 3, 5}, {9, budget, 1000, 7, 9},
		{1, 0, 67, 4, 5}, {3, 0, 67, 4, 5}, {4, 0, 67, 3, 5}, {5, 0, 67, 2, 2}, {6, 0, 67, 1, 1}, {7, 0, 67, 0, 0}, {2, 0, 1000, 4, 5},
	} {
		var first map[string]Estimate
		for range 5 {
			goal := Goal{K: c.k, Memory: c.memory}
			if c.k == 0 {
				goal.Phi = 0.1
			}
			h := counting(goal, counts) // in any order
			h.evict(h.log.countFreeing(c.size, h.floor), c.size)
			require.Equal(t, len(counts)-c.evicted, h.live, "%+v", c)
			require.Equal(t, c.floor, h.floor, "%+v", c)
			require.Equal(t, c.floor, h.missed, "%+v", c)
			for key, n := range counts {
				require.GreaterOrEqual(t, h.estimate(hashfam.Family{}.SumString(key)).High, n)
			}
			if first == nil {
				first = keys(h, 0)
			}
			require.Equal(t, first, keys(h, 0))
		}
	}
}

// At every moment, K keys are tracked, or all keys that have come. With a
// budget, these can be fewer than K, but then 15/16 of the log are used. The
// same is true after decoding, merging and joining.
func TestKRecordsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		goal := Goal{
			K:      rapid.SampledFrom([]int{1, 3, 10, 50, 300}).Draw(t, "k"),
			Memory: rapid.SampledFrom([]uint64{0, MinMemory, 4 << 10, 20_000}).Draw(t, "memory"),
		}
		stream := drawStream(t, goal)
		whole := counted{Tracker: counting(goal, nil), seen: map[string]bool{}}
		parts, shards := make([]*Tracker, 3), make([]*Tracker, 2)
		for i := range parts {
			part := counted{Tracker: counting(goal, nil), seen: map[string]bool{}}
			parts[i] = part.Tracker
			for _, key := range stream[i*len(stream)/3 : (i+1)*len(stream)/3] {
				part.count(t, key)
				whole.count(t, key)
			}
		}
		for i := range shards {
			shard := counted{Tracker: counting(goal, nil), seen: map[string]bool{}}
			shards[i] = shard.Tracker
			for _, key := range stream {
				if (hashfam.Family{}).SumString(key).Shard(2) == i {
					shard.count(t, key)
				}
			}
		}
		decoded, err := recode(whole.Tracker)
		require.NoError(t, err)
		joint := Join(shards)
		parts[0].Merge(parts[1:]...)
		for _, h := range []*Tracker{&decoded, &joint, parts[0]} {
			after := counted{Tracker: h, seen: maps.Clone(whole.seen)}
			for i := range 300 {
				after.check(t)
				after.count(t, fmt.Sprintf("m %05d", i))
			}
		}
	})
}

// drawStream draws keys that are new, repeated in a row, or in turn. With a
// budget, all records have 39 bytes.
func drawStream(t *rapid.T, goal Goal) []string {
	row := rapid.SampledFrom([]int{1, 1, 5, 40}).Draw(t, "copies in a row")
	different := rapid.SampledFrom([]int{10_000, 1000, 300, 60}).Draw(t, "different keys")
	length := 1
	if goal.Memory == 0 {
		length = rapid.SampledFrom([]int{1, 40, 900}).Draw(t, "length")
	}
	stream := make([]string, rapid.IntRange(0, 6000).Draw(t, "keys"))
	for i := range stream {
		number := i / row % different
		stream[i] = fmt.Sprintf("%0*d", 7+number*number%length, number)
	}
	return stream
}

// A counted tracker knows which keys it has counted.
type counted struct {
	*Tracker
	seen map[string]bool
	used uint64 // the room of the log when enough of it was last used
}

func (c *counted) count(t *rapid.T, key string) {
	add(c.Tracker, key, 1)
	c.seen[key] = true
	c.check(t)
}

func (c *counted) check(t *rapid.T) {
	if c.used == 0 || c.live >= c.least(c.room()) {
		c.used = c.room()
	}
	if least := c.least(min(c.room(), c.used)); c.live < least {
		t.Fatalf("%d records of %d keys, want %d, room for %d bytes", c.live, len(c.seen), least, c.room())
	}
}

// least returns the number of records that a log with this room must have.
func (c *counted) least(room uint64) int {
	least := min(c.K, len(c.seen))
	if c.Memory > 0 {
		least = min(least, int(room-room/evictShare)/39-1)
	}
	return least
}

// A decoded tracker goes on like the original.
func TestDecodedTrackerAdmitsTheSameKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		goal := Goal{
			Phi:    rapid.SampledFrom([]float64{0, 0.5, 0.1, 0.01}).Draw(t, "phi"),
			Memory: rapid.SampledFrom([]uint64{0, MinMemory, 2000, 4 << 10}).Draw(t, "memory"),
		}
		if goal.Phi == 0 {
			goal.K = 3
		}
		h := counting(goal, nil)
		g := counting(goal, nil)
		for range rapid.IntRange(1, 60).Draw(t, "times") {
			key := strings.Repeat("x", rapid.SampledFrom([]int{1, 30, 60, 100, 300, 3000}).Draw(t, "length"))
			key += rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "key")
			n := rapid.Uint64Range(1, 40).Draw(t, "n")
			add(h, key, n)
			add(g, key, n)
			require.True(t, g.equal(h))
			decoded, err := recode(g)
			require.NoError(t, err)
			g = &decoded
		}
	})
}

// A key is admitted only if its count exceeds floor, even if floor does not fit
// in the tail's counters yet.
func TestAdmittedKeysExceedTheFloor(t *testing.T) {
	h := New(Goal{Phi: 0.1})
	h.total, h.floor, h.missed = 100, 100, 100
	d := hashfam.Family{}.SumString("key")
	add(&h, "key", 100)
	require.Zero(t, h.live)
	require.Equal(t, Estimate{High: 100}, h.estimate(d))
	add(&h, "key", 1)
	require.Equal(t, 1, h.live)
	require.Equal(t, Estimate{Low: 1, High: 101}, h.estimate(d))
	require.EqualValues(t, 100, h.missed)
}

// Without a budget, a long key with a low count does not make the log grow, and
// displaces none.
func TestRareLongKeysAreNotTracked(t *testing.T) {
	h := New(Goal{Phi: 0.1})
	addMany(&h, 1, 314, 2)
	size := h.sizeBytes()
	for i := range 10 {
		add(&h, fmt.Sprintf("%08000d", i), 1)
	}
	require.Equal(t, 314, h.live)
	require.Equal(t, size+8*uint64(h.tail.size), h.sizeBytes())
	long := strings.Repeat("x", 8000)
	add(&h, long, 100)
	require.Equal(t, Estimate{Low: 100, High: 100}, keys(&h, 0)[long])
}
