package tracker

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// known is what is known of a key that has been tracked from its first
// occurrence.
func known(n uint64) Estimate { return Estimate{Low: n, High: n} }

// counting returns a tracker that has counted these keys.
func counting(g Goal, counts map[string]uint64) *Tracker {
	t := New(g)
	for key, n := range counts {
		add(&t, key, n)
	}
	return &t
}

// While all keys are tracked, a merge is exact.
func TestMergeAddsCounts(t *testing.T) {
	for _, goal := range []Goal{{Phi: 0.1}, {Phi: 0.1, Memory: 16 << 10}, {K: 3}} {
		a, b, c := counting(goal, map[string]uint64{"x": 1, "y": 2}), counting(goal, map[string]uint64{"y": 3, "z": 4}),
			counting(goal, map[string]uint64{"x": 5, "w": 6, "y": 7})
		a.Merge(b, c)
		sum := map[string]Estimate{"w": known(6), "x": known(6), "y": known(12), "z": known(4)}
		require.Equal(t, sum, keys(a, 0))
		require.EqualValues(t, 28, a.Total())
		require.Zero(t, a.missed)
		require.Equal(t, map[string]Estimate{"y": known(3), "z": known(4)}, keys(b, 0))

		empty := New(goal) // takes what the others have
		empty.Merge(a)
		require.Equal(t, sum, keys(&empty, 0))
		require.EqualValues(t, 28, empty.Total())
		add(&empty, "x", 1) // and shares no memory with them
		require.Equal(t, sum, keys(a, 0))

		a.Merge(a) // doubles
		require.Equal(t, map[string]Estimate{"w": known(12), "x": known(12), "y": known(24), "z": known(8)}, keys(a, 0))
		require.EqualValues(t, 56, a.Total())
	}
}

// What has counted nothing changes nothing.
func TestMergeOfNothingChangesNothing(t *testing.T) {
	for _, goal := range []Goal{{Phi: 0.1}, {Phi: 0.1, Memory: 1024}} {
		h, empty := counting(goal, map[string]uint64{"x": 1, "y": 2}), New(goal)
		before := h.clone()
		h.Merge(&empty, &Tracker{Goal: goal}, &empty)
		h.Merge()
		require.Equal(t, &before, h)
		empty.Merge(&Tracker{Goal: goal})
		require.Zero(t, empty.Total())
		blank := Tracker{Goal: goal}
		blank.Merge(&Tracker{Goal: goal}, &empty)
		require.True(t, blank.blank())
	}
}

// Counts of untracked keys are added up in the tail. It is widened if a sum
// does not fit; at 64 bits a sum stops at the largest number.
func TestMergeAddsTails(t *testing.T) {
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
			require.Equal(t, Estimate{High: c.sum}, a.estimate(d), "%+v", c)
			require.Equal(t, c.sum, a.Total())
			require.Equal(t, c.sum, a.missed)
			require.Equal(t, c.shift, a.tail.shift, "%+v", c)
		}
	}
}

// A count whose guess is at its maximum is exact in no part: the upper bounds
// of all sides are added.
func TestMergeAddsLargestGuesses(t *testing.T) {
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
		// The tails add up to the guess: 10 + 20, and 5 + 7 have been counted
		// since.
		{side(15, 10), side(27, 20), Estimate{Low: 12, High: 42}},
		{side(1<<40, maxGuess), side(27, 20), Estimate{High: 1<<40 + 27}},
		{side(27, 20), side(1<<40, maxGuess), Estimate{High: 1<<40 + 27}},
		{side(1<<40, maxGuess-1), side(27, 1), Estimate{High: 1<<40 + 27}},
	} {
		c.a.Merge(c.b)
		require.Equal(t, c.sum, c.a.estimate(d))
	}
}

// A side that does not track a key may have counted it, whichever side comes
// first.
func TestMergeOfLargestGuessCountsAllSides(t *testing.T) {
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
		require.Equal(t, Estimate{High: sum}, sides[0].estimate(d), "side %d tracks it", tracks)
	}
}

// Panes are added up key by key, a key that several of them track once.
func TestRankedAddsUpPanes(t *testing.T) {
	goal := Goal{Phi: 0.1}
	panes := []Tracker{
		*counting(goal, map[string]uint64{"x": 1, "y": 2}),
		{},
		*counting(goal, map[string]uint64{"y": 3, "z": 5, "w": 4}),
	}
	for least, want := range map[uint64][]string{0: {"y", "z", "w"}, 4: {"y", "z", "w"}, 5: {"y", "z"}, 6: nil} {
		var got []string
		for key, e := range Ranked(panes, least, 3) {
			require.Equal(t, known(map[string]uint64{"x": 1, "y": 5, "z": 5, "w": 4}[key]), e)
			got = append(got, key)
		}
		require.Equal(t, want, got, "at least %d", least)
	}
}

// many returns trackers that have counted different keys, and one in common.
func many(goal Goal, n, keys int) []*Tracker {
	sides := make([]*Tracker, n)
	for i := range sides {
		side := New(goal)
		for j := range keys {
			add(&side, fmt.Sprint(i, " ", j), 1+uint64(i))
		}
		add(&side, "common", 2)
		sides[i] = &side
	}
	return sides
}

// The log of many sides has each key once, with all that was counted exactly.
func TestTheExactLogOfManySides(t *testing.T) {
	sides := many(Goal{Phi: 0.01, Memory: 20_000}, 20, 300)
	want := map[hashfam.Digest]uint64{}
	for _, side := range sides {
		for r := range side.log.all() {
			want[side.log.digest(r)] += side.log.exact(r)
		}
	}
	joint, got := exactLog(sides), map[hashfam.Digest]uint64{}
	for r := range joint.all() {
		require.Zero(t, got[joint.digest(r)])
		got[joint.digest(r)] = joint.count(r)
	}
	require.Equal(t, want, got)
}

// A log that is many times too long for a budget has a head for each record
// until it is swept, so that chains are short. After that it is within the
// budget. That takes seconds if chains are long.
func TestMergeOfManyFitsTheBudget(t *testing.T) {
	for _, goal := range []Goal{{Phi: 0.01}, {Phi: 0.01, Memory: 20_000}} {
		sides := many(goal, 500, 300)
		inTurn, atOnce, unswept := New(goal), New(goal), New(goal)
		for _, side := range sides {
			inTurn.Merge(side)
		}
		unswept.log = exactLog(sides)
		unswept.settle()
		require.Len(t, unswept.index.heads, unswept.live)
		atOnce.Merge(sides...)
		joint := Join(sides)
		require.Equal(t, inTurn.Total(), atOnce.Total())
		require.Equal(t, inTurn.Total(), joint.Total())
		if goal.Memory > 0 {
			require.LessOrEqual(t, max(atOnce.sizeBytes(), joint.sizeBytes()), uint64(goal.Memory))
			require.LessOrEqual(t, max(len(atOnce.index.heads), len(joint.index.heads)), atOnce.maxHeads())
		}
	}
}

// sharded returns n trackers that share the keys.
func sharded(goal Goal, n int) (shards []*Tracker, add func(key string)) {
	for range n {
		t := New(goal)
		shards = append(shards, &t)
	}
	return shards, func(key string) {
		d := hashfam.Family{}.SumString(key)
		observe(shards[d.Shard(n)], d, key, 1)
	}
}

// Whatever is joined: bounds hold, tracked keys keep their counts if memory
// grows, and what is joined within a budget stays within it.
func TestJoin(t *testing.T) {
	for _, memory := range []int{0, 1 << 10, 3 << 10, 16 << 10} {
		for _, n := range []int{1, 2, 3, 8} {
			shards, add := sharded(Goal{Phi: 0.01, Memory: memory}, n)
			truth, missed := map[string]uint64{}, uint64(0)
			r := rand.New(rand.NewPCG(uint64(n), uint64(memory)))
			for range 10_000 {
				key := fmt.Sprint(int(r.ExpFloat64() * 300))
				truth[key]++
				add(key)
			}
			joint := Join(shards)
			require.Equal(t, uint64(10_000), joint.Total())
			back, err := recode(&joint)
			require.NoError(t, err)
			require.True(t, back.equal(&joint))
			for key, times := range truth {
				d := hashfam.Family{}.SumString(key)
				shard := shards[d.Shard(n)]
				e := joint.estimate(d)
				require.True(t, e.Low <= times && times <= e.High, "%s counts %d, not %v", key, times, e)
				if memory == 0 && tracked([]Tracker{*shard}, d) {
					require.Equal(t, shard.estimate(d), e)
				}
			}
			for _, shard := range shards {
				missed = max(missed, shard.missed)
			}
			require.LessOrEqual(t, missed, joint.missed)
			if memory > 0 {
				require.LessOrEqual(t, joint.sizeBytes(), uint64(memory))
			}
		}
	}
}

// A shard has the keys whose digests are its, and no other has them.
func TestStrayKeysAreFound(t *testing.T) {
	shards, add := sharded(Goal{Phi: 0.01}, 3)
	for i := range 60 {
		add(fmt.Sprint(i))
	}
	for i, shard := range shards {
		require.NotZero(t, shard.live)
		for number := range shards {
			require.Equal(t, i != number, shard.Stray(number, 3))
		}
	}
	joint := Join(shards)
	require.True(t, joint.Stray(0, 3))
	require.Equal(t, 60, joint.live)
}

// What is not tracked counts no more than in any of the shards.
func TestJoinKeepsTheMissBound(t *testing.T) {
	for _, first := range []int{0, 1} {
		shards, _ := sharded(Goal{Phi: 0.01}, 2)
		a, b := shards[first], shards[1-first]
		a.total, a.floor, a.missed = 100, 60, 80
		b.total, b.floor, b.missed = 90, 70, 75
		joint := Join(shards)
		require.Equal(t, [3]uint64{190, 70, 80}, [3]uint64{joint.total, joint.floor, joint.missed})
	}
}
