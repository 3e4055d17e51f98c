package tracker

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

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
func TestAJoinMissesWhatItsShardsMiss(t *testing.T) {
	for _, first := range []int{0, 1} {
		shards, _ := sharded(Goal{Phi: 0.01}, 2)
		a, b := shards[first], shards[1-first]
		a.total, a.floor, a.missed = 100, 60, 80
		b.total, b.floor, b.missed = 90, 70, 75
		joint := Join(shards)
		require.Equal(t, [3]uint64{190, 70, 80}, [3]uint64{joint.total, joint.floor, joint.missed})
	}
}
