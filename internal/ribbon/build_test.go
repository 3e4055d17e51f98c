package ribbon

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// The words must not depend on the order, on copies, on the number of workers,
// on whether the digests are a stream, or on whether shards are solved
// separately.
func TestBuildsAreDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range sizes() {
		digests := checks.Digests(rng, n)
		want := members(t, percent, digests)
		require.EqualValues(t, n, want.Shape().Keys)
		require.False(t, slices.Contains(want.ContainsAll(nil, digests), false), "n = %d", n)
		copies := append(slices.Clone(digests), digests[:n/3]...)
		rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		b := Build{Workers: 3}
		list, err := Sort(t.Context(), b, copies)
		require.NoError(t, err)
		got, err := Members(t.Context(), b, percent, list)
		require.NoError(t, err)
		require.Equal(t, want, got, "n = %d", n)
		got, err = Stream(t.Context(), one, percent, uint64(n), doubled(list), errs)
		require.NoError(t, err)
		require.Equal(t, want, got, "n = %d", n)
	}
}

// doubled yields every digest twice.
func doubled(list []hashfam.Digest) iter.Seq[hashfam.Digest] {
	return func(yield func(hashfam.Digest) bool) {
		for _, d := range list {
			if !yield(d) || !yield(d) {
				return
			}
		}
	}
}

// A [Scratch] has one shard.
func TestSmallRibbonsHaveOneShard(t *testing.T) {
	require.EqualValues(t, 1, newGeometry(0, Small, percent).shards())
}

func TestStreamRejectsInvalidSequences(t *testing.T) {
	machine.Matters(t)
	list := sorted(t, checks.Digests(rand.New(rand.NewPCG(5, 6)), 2000))
	swapped := slices.Clone(list)
	swapped[1000], swapped[1001] = swapped[1001], swapped[1000]
	for _, c := range []struct {
		n    int
		list []hashfam.Digest
		want string // the error text, or empty
	}{
		{2000, list, ""},
		{2000, slices.Insert(slices.Clone(list), 7, list[6], list[6]), ""},
		{1999, list, "n = 1999, want the number of distinct digests, which is larger"},
		{2001, list, "n = 2001, want the number of distinct digests, which is 2000"},
		{0, list, "n = 0, want the number of distinct digests, which is larger"},
		{1, nil, "n = 1, want the number of distinct digests, which is 0"},
		{1, []hashfam.Digest{0}, ""}, // the lowest rank of all
		{2000, swapped, "digest 1001 = out of order, want ascending by Digest.Probe"},
		{2000, slices.Insert(slices.Clone(swapped), 7, list[6], list[6]), "digest 1003 = out of order"},
	} {
		_, err := Stream(t.Context(), one, percent, uint64(c.n), slices.Values(c.list), errs)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, c.want)
	}
}

// The copies must follow, so that no digest is lost.
func TestSortReturnsDistinctDigests(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 2, 23, 24, 25, 100, compareKeys, compareKeys + 1, 1000, countKeys, countKeys + 1, 150_000} {
		step := 9
		if n > 1000 {
			step = 27
		}
		for bits := 1; bits <= 64; bits += step {
			digests := checks.Digests(rng, n)
			for i := range digests { // few distinct ranks, with a common prefix or suffix
				digests[i] = checks.Probing(uint64(digests[i]) >> (64 - bits) << (i % 2 * (64 - bits)))
			}
			want := slices.Clone(digests)
			slices.SortFunc(want, func(a, b hashfam.Digest) int { return cmp.Compare(rank(a), rank(b)) })
			got, err := Sort(t.Context(), Build{Workers: 3}, digests)
			require.NoError(t, err)
			require.True(t, slices.Equal(slices.Compact(slices.Clone(want)), got), "n = %d, %d bits", n, bits)
			slices.SortFunc(digests, func(a, b hashfam.Digest) int { return cmp.Compare(rank(a), rank(b)) })
			require.True(t, slices.Equal(want, digests), "n = %d, %d bits", n, bits)
		}
	}
}

// A build must end with the step during which the context is canceled.
func TestBuildsCanBeCanceled(t *testing.T) {
	list := sorted(t, checks.Digests(rand.New(rand.NewPCG(13, 14)), 3*shardStarts))
	for name, build := range map[string]func(context.Context, Build) error{
		"Sort":    func(ctx context.Context, b Build) error { _, err := Sort(ctx, b, slices.Clone(list)); return err },
		"Members": func(ctx context.Context, b Build) error { _, err := Members(ctx, b, percent, list); return err },
		"Stream": func(ctx context.Context, b Build) error {
			_, err := Stream(ctx, b, percent, uint64(len(list)), slices.Values(list), errs)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		b := Build{Workers: 1, Did: func(int) { calls++; cancel() }}
		require.ErrorIs(t, build(ctx, b), context.Canceled, name)
		require.ErrorIs(t, build(ctx, b), context.Canceled, name)
		require.LessOrEqual(t, calls, 2, name)
	}
}

// There must be as many goroutines as workers, but no more than tasks, and each
// task must be done once.
func TestParallelLimitsGoroutines(t *testing.T) {
	machine.Matters(t)
	for _, c := range []struct{ workers, tasks, want int }{
		{1, 0, 0}, {1, 1, 1}, {1, 9, 1}, {3, 9, 3}, {9, 3, 3},
	} {
		done := make([]atomic.Int64, c.tasks)
		var running, most atomic.Int64
		var begun sync.WaitGroup
		begun.Add(c.want)
		require.NoError(t, Build{Workers: c.workers}.Parallel(t.Context(), c.tasks, func(task int) {
			now := running.Add(1)
			defer running.Add(-1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			if task < c.want { // the first task of each goroutine, which waits for the others
				begun.Done()
				begun.Wait()
			}
			for range 1000 {
				runtime.Gosched() // for another goroutine, if there is one
			}
			done[task].Add(1)
		}))
		require.EqualValues(t, c.want, most.Load(), "%+v", c)
		for task := range done {
			require.EqualValues(t, 1, done[task].Load(), "%+v, task %d", c, task)
		}
	}
}
