package tracker

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// crowded returns a tracker whose log of 864 words is full. Record i of 216 has
// the count 100 + i, which is far below a heavy hitter's. A sweep frees 54
// words.
func crowded(t *testing.T) *Tracker {
	h := New(Goal{Phi: 1, Memory: 16 << 10})
	h.want = 0 // so that the tail is not halved
	for i := range uint64(216) {
		add(&h, fmt.Sprintf("%07d", i), 100+i)
	}
	require.Equal(t, 216, h.live)
	require.EqualValues(t, 864, h.room)
	require.Zero(t, h.lacks(0))
	require.Zero(t, h.floor)
	return &h
}

// lengthFor returns the length of a key whose record has the given number of
// words, more than 40.
func lengthFor(words uint64) int { return 8 * int(words-recordHead-2) }

// A sweep for a short record frees a sixteenth of the log: 54 words, or 14
// records. For a longer record, it frees only the words that the record needs.
func TestSweepFreesASixteenth(t *testing.T) {
	h := crowded(t)
	for words, bar := range map[uint64]uint64{1: 113, 4: 113, 53: 113, 54: 113, 55: 113, 56: 113, 57: 114, 864: 315} {
		require.Equal(t, bar, h.bar(words), "%d words", words)
	}
	h.sweep(102, 0) // three records, and all others with the same count
	require.Equal(t, 213, h.live)
	require.EqualValues(t, 102, h.floor)
	require.EqualValues(t, 102, h.missed)
	for words, bar := range map[uint64]uint64{1: 116, 54: 116, 55: 113, 12: 116, 864: 315} {
		require.Equal(t, bar, h.bar(words), "%d words lacking %d", words, h.lacks(words))
	}
	h.sweep(103, 0)
	require.Equal(t, 212, h.live)
	require.EqualValues(t, 103, h.estimate(hashfam.Family{}.SumString("0000003")).High)
}

// After merging or decoding, records may have counts below the floor. Sweeping
// them does not raise the floor. Otherwise it would exceed the total here, and
// decoding would fail.
func TestSweepBelowTheFloorDoesNotRaiseIt(t *testing.T) {
	h := crowded(t)
	h.floor = 400
	require.EqualValues(t, 400, h.bar(4))

	var shards []*Tracker
	for i := range 2 {
		forged := New(Goal{Phi: 1, Memory: 16 << 10})
		addMany(&forged, 216*i+1, 216*i+216, 1)
		forged.total, forged.floor, forged.missed = 1, 1, 1
		decoded, err := recode(&forged)
		require.NoError(t, err)
		shards = append(shards, &decoded)
	}
	joint := Join(shards)
	require.Less(t, joint.live, 432, "it was swept")
	require.EqualValues(t, 1, joint.floor)
	_, err := recode(&joint)
	require.NoError(t, err)
}

// A record of up to a sixteenth of the log causes a sweep, and is admitted if
// it has a higher count than the evicted records. If a longer record has no
// higher count, it is refused, and nothing is evicted.
func TestRecordsDisplaceSmallerCounts(t *testing.T) {
	for _, c := range []struct {
		words, count uint64
		floor        uint64 // after it
		live         int
	}{
		{54, 112, 113, 202},
		{54, 113, 113, 202},
		{54, 114, 113, 203},
		{55, 113, 0, 216},
		{55, 114, 113, 203},
		{57, 114, 0, 216},
		{57, 115, 114, 202},
		{864, 315, 0, 216},
		{864, 316, 315, 1},
		{865, 1 << 40, 0, 216},
	} {
		h := crowded(t)
		require.True(t, c.words > 40)
		key := strings.Repeat("k", lengthFor(c.words))
		require.Equal(t, c.words, recordWords(len(key)))
		h.total, h.Phi = 1<<50, 1 // so that the long one is not near
		add(h, key, c.count)
		require.Equal(t, c.floor, h.floor, "%+v", c)
		require.Equal(t, c.live, h.live, "%+v", c)
		admitted := tracked([]Tracker{*h}, hashfam.Family{}.SumString(key))
		require.Equal(t, c.floor > 0 && c.count > c.floor, admitted, "%+v", c)
		require.Equal(t, c.count, h.estimate(hashfam.Family{}.SumString(key)).High, "%+v", c)
		if !admitted {
			require.Equal(t, max(c.floor, c.count), h.missed, "%+v", c)
		}
		require.EqualValues(t, 1024, h.tail.size)
	}
}

// The tail is halved as long as the log has fewer records than it should.
func TestTailIsHalvedUntilThereAreEnoughRecords(t *testing.T) {
	for want, c := range map[int]struct {
		tail uint32
		live int
	}{216: {1024, 203}, 217: {512, 217}} {
		h := crowded(t)
		h.want = want
		add(h, "another", 500)
		require.Equal(t, c.tail, h.tail.size, "%d wanted", want)
		require.Equal(t, c.live, h.live, "%d wanted", want)
	}
}

// A refused key can be refused again without reading the log if it needs at
// least as many words and has no higher count. A record that is longer than the
// room never fits.
func TestLongerKeysAreRefusedWithoutReadingTheLog(t *testing.T) {
	for _, c := range []struct {
		words, now uint64
		reads      bool
	}{{100, 110, false}, {101, 110, false}, {100, 109, false}, {99, 110, true}, {100, 111, true}} {
		h := crowded(t)
		h.refused = refusal{100, 110}
		truncate(h)
		makeRoom := func() { require.False(t, h.makeRoom(c.words, c.now)) }
		if c.reads {
			require.Panics(t, makeRoom, "%+v", c)
		} else {
			makeRoom()
		}
	}
	h := crowded(t) // a near key may still get memory of the tail
	h.refused = refusal{100, 110}
	h.total = 110
	require.True(t, h.makeRoom(100, 110))
	require.EqualValues(t, 512, h.tail.size)
	for words, refused := range map[uint64]refusal{864: {864, 315}, 865: {}} {
		h := crowded(t)
		require.False(t, h.makeRoom(words, 110))
		require.Equal(t, refused, h.refused)
		truncate(h)
		add(h, strings.Repeat("k", lengthFor(words)), 110)
	}
}

// A sweep spares as many records as K requires, if so many fit: those with the
// highest counts, and among equal counts those with the lowest digests. The
// order of the records does not matter.
func TestSweepSparesTheFirstK(t *testing.T) {
	counts := map[string]uint64{"a": 9, "b": 5, "c": 5, "d": 5, "e": 5, "f": 2, "g": 1}
	equal := []string{"b", "c", "d", "e"}
	slices.SortFunc(equal, func(a, b string) int {
		return cmp.Compare(hashfam.Family{}.SumString(a), hashfam.Family{}.SumString(b))
	})
	inOrder := append(append([]string{"a"}, equal...), "f", "g")
	for _, c := range []struct{ k, need, bar, spared int }{
		{1, 0, 5, 0}, {2, 0, 5, 1}, {4, 0, 5, 3}, {5, 0, 5, 4}, {6, 0, 5, 5}, {7, 0, 5, 6}, {9, 0, 5, 6}, {9, 0, 9, 7},
		{9, 4, 5, 5}, {9, 5, 5, 4}, {9, 8, 5, 4}, {9, 24, 5, 0}, {9, 25, 5, 0}, {2, 16, 5, 1}, {0, 0, 5, 0},
	} {
		h := counting(Goal{K: c.k, Phi: 0.1, Memory: 4096}, counts) // in any order
		h.sweep(uint64(c.bar), uint64(c.need))
		above := map[int]int{5: 1, 9: 0}[c.bar]
		require.ElementsMatch(t, inOrder[:above+c.spared], slices.Collect(maps.Keys(keys(h, 0))), "%+v", c)
		require.EqualValues(t, c.bar, h.floor)
		require.EqualValues(t, 5, h.estimate(hashfam.Family{}.SumString("b")).High)
		grown := counting(Goal{K: c.k, Phi: 0.1}, counts)
		grown.sweep(uint64(c.bar), uint64(c.need))
		require.Equal(t, max(above, min(c.k, 7)), grown.live, "if memory grows, %+v", c)
	}
}

// At every moment, K keys are tracked, or all keys that have come. With a
// budget, these can be fewer than K, but then 15/16 of the log are used, except
// just after the log has got more room. The same is true after decoding,
// merging and joining.
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
// budget, all records have four words.
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
	if c.used == 0 || c.live >= c.least(c.room) {
		c.used = c.room
	}
	if least := c.least(min(c.room, c.used)); c.live < least {
		t.Fatalf("%d records of %d keys, want %d, room for %d words", c.live, len(c.seen), least, c.room)
	}
}

// least returns the number of records that a log with this room must have.
func (c *counted) least(room uint64) int {
	least := min(c.K, len(c.seen))
	if c.Memory > 0 {
		least = min(least, int(room-room/sweepShare)/4-1)
	}
	return least
}

// Whether a record is refused does not depend on refusals in the past, so a
// decoded tracker, which does not know them, goes on like the original.
func TestDecodedTrackerRefusesTheSameKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		goal := Goal{
			Phi:    rapid.SampledFrom([]float64{0.5, 0.1, 0.01}).Draw(t, "phi"),
			Memory: rapid.SampledFrom([]uint64{MinMemory, 2000, 4 << 10}).Draw(t, "memory"),
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

// truncate removes the last word of the log, so that reading all records
// panics.
func truncate(t *Tracker) { t.log = t.log[:len(t.log)-1] }

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
