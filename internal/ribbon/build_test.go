package ribbon

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// The words must not depend on the order, on copies, on the number of workers,
// or on whether the digests are a stream.
func TestBuildsAreDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 5, 100, 3000, 70_000, 200_000} {
		digests := conformance.Digests(rng, n)
		want := members(t, percent, digests)
		copies := append(slices.Clone(digests), digests[:n/3]...)
		rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		for workers := 1; workers <= 5; workers += 2 {
			b := Build{Workers: workers}
			list, err := Sort(t.Context(), b, slices.Clone(copies))
			require.NoError(t, err)
			got, err := Members(t.Context(), b, percent, list)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		list := sorted(t, copies)
		for name, digests := range map[string]iter.Seq[hashfam.Digest]{
			"once": slices.Values(list), "copies in a row": doubled(list),
		} {
			got, err := Stream(t.Context(), one, percent, uint64(n), digests)
			require.NoError(t, err)
			require.Equal(t, want, got, name)
		}
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

func TestStreamRejectsInvalidSequences(t *testing.T) {
	list := sorted(t, conformance.Digests(rand.New(rand.NewPCG(5, 6)), 200_000))
	stream := func(n int, list []hashfam.Digest) error {
		_, err := Stream(t.Context(), one, percent, uint64(n), slices.Values(list))
		return err
	}
	require.NoError(t, stream(len(list), list))
	require.ErrorIs(t, stream(len(list)-1, list), ErrCount)
	require.ErrorIs(t, stream(len(list)+1, list), ErrCount)
	require.ErrorIs(t, stream(0, list), ErrCount)
	require.ErrorIs(t, stream(1, nil), ErrCount)
	require.NoError(t, stream(1, []hashfam.Digest{0}), "the lowest rank of all")
	list[1000], list[1001] = list[1001], list[1000]
	require.ErrorIs(t, stream(len(list), list), ErrOrder)
}

func TestSortReturnsDistinctDigests(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 2, 23, 24, 25, 100, compareKeys, compareKeys + 1, 1000, countKeys - 1, countKeys, countKeys + 1, 300_000} {
		for bits := 1; bits <= 64; bits += 9 {
			digests := conformance.Digests(rng, n)
			for i := range digests { // few distinct ranks, with a common prefix or suffix
				digests[i] = conformance.Probing(uint64(digests[i]) >> (64 - bits) << (i % 2 * (64 - bits)))
			}
			want := slices.Clone(digests)
			slices.SortFunc(want, func(a, b hashfam.Digest) int { return cmp.Compare(rank(a), rank(b)) })
			got, err := Sort(t.Context(), Build{Workers: 3}, digests)
			require.NoError(t, err)
			require.Equal(t, slices.Compact(want), got, "n = %d, %d bits", n, bits)
		}
	}
}

func TestBuildsCanBeCanceled(t *testing.T) {
	digests := conformance.Digests(rand.New(rand.NewPCG(13, 14)), 300_000)
	list := sorted(t, digests)
	for _, after := range []int64{0, 1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int64
		b := Build{Workers: 2, Did: func(int) {
			if calls.Add(1) > after {
				cancel()
			}
		}}
		if after == 0 {
			cancel()
		}
		_, err := Sort(ctx, b, slices.Clone(digests))
		require.ErrorIs(t, err, context.Canceled)
		_, err = Members(ctx, b, percent, list)
		require.ErrorIs(t, err, context.Canceled)
		_, err = Stream(ctx, b, percent, uint64(len(list)), slices.Values(list))
		require.ErrorIs(t, err, context.Canceled)
		_, _, _, err = NewShards(percent, 1000).Solve(ctx, 0, 1, nil)
		require.ErrorIs(t, err, context.Canceled)
		cancel()
	}
}

// There must be no more goroutines than workers or tasks, and each task must be
// done once.
func TestParallelLimitsGoroutines(t *testing.T) {
	for _, c := range []struct{ workers, tasks, want int }{
		{1, 0, 1}, {1, 1, 1}, {1, 9, 1}, {3, 9, 3}, {9, 3, 3},
	} {
		var calls, tasks atomic.Int64
		require.NoError(t, Build{Workers: c.workers}.Parallel(t.Context(), c.tasks, func(next func() (int, bool)) {
			calls.Add(1)
			for _, ok := next(); ok; _, ok = next() {
				tasks.Add(1)
			}
		}))
		require.EqualValues(t, c.want, calls.Load(), "%+v", c)
		require.EqualValues(t, c.tasks, tasks.Load(), "%+v", c)
	}
}
