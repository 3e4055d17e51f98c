package tracker

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// known is the estimate of a key that has been tracked from the start.
func known(n uint64) Estimate { return Estimate{Low: n, High: n} }

// counting returns a tracker that has counted the given keys.
func counting(g Goal, counts map[string]uint64) *Tracker {
	t := New(g)
	for key, n := range counts {
		add(&t, key, n)
	}
	return &t
}

// While all keys are tracked, a merge is exact. Empty trackers change nothing.
func TestMergeAddsCounts(t *testing.T) {
	for _, goal := range []Goal{{Phi: 0.1}, {Phi: 0.1, Memory: 16 << 10}, {K: 3}} {
		a, b, c := counting(goal, map[string]uint64{"x": 1, "y": 2}), counting(goal, map[string]uint64{"y": 3, "z": 4}),
			counting(goal, map[string]uint64{"x": 5, "w": 6, "y": 7})
		empty, blank := New(goal), Tracker{Goal: goal}
		before := a.clone()
		a.Merge(&empty, &blank, &empty)
		a.Merge()
		require.Equal(t, &before, a)
		blank.Merge(&blank, &empty)
		require.True(t, blank.blank())

		a.Merge(b, c)
		sum := map[string]Estimate{"w": known(6), "x": known(6), "y": known(12), "z": known(4)}
		require.Equal(t, sum, keys(a, 0))
		require.EqualValues(t, 28, a.Total())
		require.Zero(t, a.missed)
		require.Equal(t, map[string]Estimate{"y": known(3), "z": known(4)}, keys(b, 0))

		empty.Merge(a)
		require.True(t, empty.equal(a))
		add(&empty, "x", 1) // which shares no memory with the other tracker
		require.Equal(t, sum, keys(a, 0))
		a.Merge(a)
		require.Equal(t, map[string]Estimate{"w": known(12), "x": known(12), "y": known(24), "z": known(8)}, keys(a, 0))
	}
}

// The counts of untracked keys are added up in the tail. If a sum does not fit,
// the tail is widened. At 64 bits, counters saturate.
func TestMergeAddsTails(t *testing.T) {
	machine.Matters(t)
	long := strings.Repeat("x", 9000) // does not fit
	d := hashfam.Family{}.SumString(long)
	for _, c := range []struct {
		a, b, sum uint64
		shift     uint8
	}{
		{7, 8, 15, 2},
		{8, 8, 16, 3},
		{300, 9, 309, 4},
		{1<<32 - 1, 1, 1 << 32, 6},
		{1 << 63, 1<<63 - 1, math.MaxUint64, 6},
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

// A key's count is the sum of what the sides counted since they track it, and
// of its count in the merged tail.
func TestMergeAddsGuesses(t *testing.T) {
	d := hashfam.Family{}.SumString("key")
	side := func(count, guess uint64, tracks bool) *Tracker {
		h := New(Goal{Phi: 0.1})
		h.tail.raise(d, guess)
		h.total, h.missed = 20, 65
		if tracks {
			h.total = count
			admit(&h, count, guess, d, "key")
		}
		return &h
	}
	for i, c := range []struct {
		sides []*Tracker
		sum   Estimate
	}{
		{[]*Tracker{side(15, 10, true), side(27, 20, true)}, Estimate{Low: 12, High: 42}},
		{[]*Tracker{side(1<<40, 1<<39, true), side(27, 20, true)}, Estimate{Low: 1<<39 + 7, High: 1<<40 + 27}},
		{[]*Tracker{side(15, 10, true), side(0, 70, false)}, Estimate{High: 35}}, // no more than the total
	} {
		c.sides[0].Merge(c.sides[1:]...)
		require.Equal(t, c.sum, c.sides[0].estimate(d), "case %d", i)
	}
}

// A log that is much too long for a budget is swept once.
func TestMergeOfManyFitsTheBudget(t *testing.T) {
	for _, goal := range []Goal{{Phi: 0.01}, {Phi: 0.01, Memory: 20_000}} {
		var sides []*Tracker
		for i := range 60 {
			side := counting(goal, map[string]uint64{"common": 2})
			for j := range 300 {
				add(side, fmt.Sprint(i, " ", j), 1+uint64(i))
			}
			sides = append(sides, side)
		}
		atOnce, joint := New(goal), Join(sides)
		atOnce.Merge(sides...)
		require.EqualValues(t, 60*2+300*60*61/2, atOnce.Total())
		require.Equal(t, atOnce.Total(), joint.Total())
		if goal.Memory > 0 {
			require.LessOrEqual(t, max(atOnce.sizeBytes(), joint.sizeBytes()), goal.Memory)
		}
	}
}

// After Join, bounds hold, and a budget is not exceeded. If memory grows, keys
// keep their counts.
func TestJoinKeepsBoundsAndBudget(t *testing.T) {
	for _, memory := range []uint64{0, 1 << 10, 16 << 10} {
		for _, n := range []int{1, 3, 8} {
			shards, goal := make([]*Tracker, n), Goal{Phi: 0.01, Memory: memory}
			for i := range shards {
				shards[i] = counting(goal, nil)
			}
			truth, r := map[string]uint64{}, rand.New(rand.NewPCG(uint64(n), memory))
			for range 3000 {
				key := fmt.Sprint(int(r.ExpFloat64() * 300))
				truth[key]++
				add(shards[hashfam.Family{}.SumString(key).Shard(n)], key, 1)
			}
			joint := Join(shards)
			require.EqualValues(t, 3000, joint.Total())
			require.False(t, shards[0].Stray(0, n))
			require.Equal(t, n > 1, joint.Stray(0, n))
			_, err := recode(&joint)
			require.NoError(t, err)
			for key, times := range truth {
				d := hashfam.Family{}.SumString(key)
				e, before := joint.estimate(d), shards[d.Shard(n)].estimate(d)
				require.True(t, e.Low <= times && times <= e.High, "%s counts %d, not %v", key, times, e)
				require.True(t, memory > 0 || before.Low == 0 || e == before)
			}
			require.True(t, memory == 0 || joint.sizeBytes() <= memory)
		}
	}
}

// After Join, an untracked key has no higher count than in its shard. After
// Merge, it may have been in all parts.
func TestJoinKeepsTheMissBound(t *testing.T) {
	a, b := counting(Goal{Phi: 0.01}, nil), counting(Goal{Phi: 0.01}, nil)
	a.total, a.floor, a.missed = 100, 60, 80
	b.total, b.floor, b.missed = 90, 70, 75
	for _, shards := range [][]*Tracker{{a, b}, {b, a}} {
		joint := Join(shards)
		require.Equal(t, [3]uint64{190, 70, 80}, [3]uint64{joint.total, joint.floor, joint.missed})
		merged := shards[0].clone()
		merged.Merge(shards[1])
		require.Equal(t, [3]uint64{190, 70, 155}, [3]uint64{merged.total, merged.floor, merged.missed})
	}
}
