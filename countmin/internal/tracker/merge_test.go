package tracker

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// known is what is known of a key that has been tracked from its first
// occurrence.
func known(n uint64) Estimate { return Estimate{Count: n, Low: n, High: n} }

// counting returns a tracker that has counted these keys.
func counting(g Goal, counts map[string]uint64) *Tracker {
	t := New(g)
	for key, n := range counts {
		add(&t, key, n)
	}
	return &t
}

// While all keys are tracked, a merge is exact.
func TestAMergeAddsUp(t *testing.T) {
	for _, goal := range []Goal{{Phi: 0.1}, {Phi: 0.1, Memory: 16 << 10}, {K: 3}} {
		a, b, c := counting(goal, map[string]uint64{"x": 1, "y": 2}), counting(goal, map[string]uint64{"y": 3, "z": 4}),
			counting(goal, map[string]uint64{"x": 5, "w": 6, "y": 7})
		a.Merge(b, c)
		sum := map[string]Estimate{"w": known(6), "x": known(6), "y": known(12), "z": known(4)}
		require.Equal(t, sum, keys(a, 0))
		require.EqualValues(t, 28, a.Total())
		require.Zero(t, a.MissBound())
		require.Equal(t, map[string]Estimate{"y": known(3), "z": known(4)}, keys(b, 0))

		empty := New(goal) // takes what the others have
		empty.Merge(a)
		require.Equal(t, sum, keys(&empty, 0))
		require.EqualValues(t, 28, empty.Total())
		add(&empty, "x", 1) // and shares nothing with them
		require.Equal(t, sum, keys(a, 0))

		a.Merge(a) // doubles
		require.Equal(t, map[string]Estimate{"w": known(12), "x": known(12), "y": known(24), "z": known(8)}, keys(a, 0))
		require.EqualValues(t, 56, a.Total())
	}
}

// What has counted nothing changes nothing.
func TestAMergeOfNothing(t *testing.T) {
	for _, goal := range []Goal{{Phi: 0.1}, {Phi: 0.1, Memory: 1024}} {
		h, empty := counting(goal, map[string]uint64{"x": 1, "y": 2}), New(goal)
		before := h.Clone()
		h.Merge(&empty, &Tracker{}, &empty)
		h.Merge()
		require.Equal(t, &before, h)
		empty.Merge(&Tracker{})
		require.Zero(t, empty.Total())
		var zero Tracker
		zero.Merge(&Tracker{}, &empty)
		require.True(t, zero.blank())
	}
}

// After a merge there is a head for each record, and the log is full to the
// word.
func TestSizeAfterAMerge(t *testing.T) {
	a, b := New(Goal{Phi: 0.1}), New(Goal{Phi: 0.1})
	addMany(&a, 1, 10, 1)
	addMany(&b, 8, 20, 1)
	a.Merge(&b)
	require.Equal(t, 20, a.live)
	require.EqualValues(t, 256+8*512+4*20+8*4*20, a.SizeBytes())
}

// Counts of untracked keys are added up in the tail. It is widened if a sum
// does not fit; at 64 bits a sum stops at the largest number.
func TestAMergeAddsUpTails(t *testing.T) {
	long := strings.Repeat("x", 9000) // does not fit
	d := hashfam.Family{}.SumString(long)
	for _, c := range []struct {
		a, b, sum uint64
		shift     uint8
	}{
		{7, 8, 15, 2},
		{8, 8, 16, 3},
		{15, 15, 30, 3},
		{15, 200, 215, 3},
		{300, 9, 309, 4},
		{1<<32 - 1, 1, 1 << 32, 6},
		{1 << 63, 1<<63 - 1, math.MaxUint64, 6},
		{1 << 63, 1 << 63, math.MaxUint64, 6},
		{math.MaxUint64, 5, math.MaxUint64, 6},
	} {
		for _, pair := range [][2]uint64{{c.a, c.b}, {c.b, c.a}} {
			goal := Goal{Phi: 1, Memory: 4096}
			a, b := counting(goal, map[string]uint64{long: pair[0]}), counting(goal, map[string]uint64{long: pair[1]})
			a.Merge(b)
			require.Equal(t, Estimate{Count: c.sum, High: c.sum}, a.Estimate(d), "%+v", c)
			require.Equal(t, c.sum, a.Total())
			require.Equal(t, c.sum, a.MissBound())
			require.Equal(t, c.shift, a.tail.shift, "%+v", c)
		}
	}
}

// A count whose guess is at its maximum is exact in no part: the upper bounds
// of all sides are added.
func TestAMergeWithAGuessAtItsMaximum(t *testing.T) {
	d := hashfam.Family{}.SumString("key")
	side := func(count, guess uint64) *Tracker {
		h := New(Goal{Phi: 0.1})
		h.raise(d, guess)
		h.total = count
		h.log = appendRecord(nil, count, guess, d, "key")
		h.settle()
		return &h
	}
	for _, c := range []struct {
		a, b *Tracker
		sum  Estimate
	}{
		// The tails add up to the guess: 10 + 20, and 5 + 7 have been
		// counted since.
		{side(15, 10), side(27, 20), Estimate{Count: 42, Low: 12, High: 42}},
		{side(1<<40, maxGuess), side(27, 20), Estimate{Count: 1<<40 + 27, High: 1<<40 + 27}},
		{side(27, 20), side(1<<40, maxGuess), Estimate{Count: 1<<40 + 27, High: 1<<40 + 27}},
		{side(1<<40, maxGuess-1), side(27, 1), Estimate{Count: 1<<40 + 27, High: 1<<40 + 27}},
	} {
		c.a.Merge(c.b)
		require.Equal(t, c.sum, c.a.Estimate(d))
	}
}

// A side that does not track a key may have counted it, whichever side comes
// first.
func TestAMergeWithAGuessAtItsMaximumAsksAllSides(t *testing.T) {
	d := hashfam.Family{}.SumString("key")
	for _, tracks := range []int{0, 1, 2} {
		sides := make([]*Tracker, 3)
		for i := range sides {
			h := New(Goal{Phi: 0.1})
			h.total, h.missed = 1<<40, 100
			h.raise(d, 70)
			if i == tracks {
				h.raise(d, maxGuess)
				h.log = appendRecord(nil, 1<<40, maxGuess, d, "key")
				h.settle()
			}
			sides[i] = &h
		}
		sides[0].Merge(sides[1:]...)
		sum := uint64(1<<40 + 2*70)
		require.Equal(t, Estimate{Count: sum, High: sum}, sides[0].Estimate(d), "side %d tracks it", tracks)
	}
}

// Panes are added up key by key, a key that several of them track once.
func TestRankedSumByHand(t *testing.T) {
	goal := Goal{Phi: 0.1}
	panes := []Tracker{
		*counting(goal, map[string]uint64{"x": 1, "y": 2}),
		{},
		*counting(goal, map[string]uint64{"y": 3, "z": 5, "w": 4}),
	}
	for least, want := range map[uint64][]string{0: {"y", "z", "w", "x"}, 4: {"y", "z", "w"}, 5: {"y", "z"}, 6: nil} {
		var got []string
		for key, e := range RankedSum(panes, least) {
			require.Equal(t, known(map[string]uint64{"x": 1, "y": 5, "z": 5, "w": 4}[key]), e)
			got = append(got, key)
		}
		require.Equal(t, want, got, "at least %d", least)
	}
}

// A shard has the keys whose digests are its, and no other has them.
func TestStrayKeysAreFound(t *testing.T) {
	whole := New(Goal{Phi: 0.01})
	addMany(&whole, 1, 60, 1)
	shards := whole.Split(Goal{Phi: 0.01, Shards: 3})
	for i := range shards {
		require.NotZero(t, shards[i].live)
		require.EqualValues(t, 512/3, shards[i].room)
		for number := range shards {
			require.Equal(t, i != number, shards[i].Stray(number, 3))
		}
	}
	joint := Join(Goal{Phi: 0.01}, func(yield func(*Tracker) bool) {
		_ = yield(&shards[0]) && yield(&shards[1]) && yield(&shards[2])
	})
	require.True(t, joint.Stray(0, 3))
	require.EqualValues(t, 512, joint.room)
	require.Equal(t, keys(&whole, 0), keys(&joint, 0))
}

// Many are merged at once, or joined, in about the time of one merge after the
// other: not in a multiple of that which grows with their number.
func TestMergesOfMany(t *testing.T) {
	const many, keys = 500, 300
	for _, goal := range []Goal{{Phi: 0.01}, {Phi: 0.01, Memory: 20_000}} {
		sides := make([]*Tracker, many)
		for i := range sides {
			side := New(goal)
			for j := range keys {
				add(&side, fmt.Sprint(i, " ", j), 1)
			}
			sides[i] = &side
		}
		inTurn, atOnce := New(goal), New(goal)
		start := time.Now()
		for _, side := range sides {
			inTurn.Merge(side)
		}
		most := 10*time.Since(start) + time.Second/2
		start = time.Now()
		atOnce.Merge(sides...)
		require.Less(t, time.Since(start), most)
		start = time.Now()
		joint := Join(goal, slices.Values(sides))
		require.Less(t, time.Since(start), most)
		require.Equal(t, inTurn.Total(), atOnce.Total())
		require.Equal(t, inTurn.Total(), joint.Total())
		if goal.Memory > 0 {
			require.LessOrEqual(t, max(atOnce.SizeBytes(), joint.SizeBytes()), uint64(goal.Memory))
		}
	}
}
