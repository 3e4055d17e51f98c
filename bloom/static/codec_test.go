package static

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// builtFrame returns the frame of the filter that New returns.
func builtFrame(t testing.TB, c Config, digests []hashfam.Digest) []byte {
	t.Helper()
	f, err := New(context.Background(), c, slices.Clone(digests))
	require.NoError(t, err)
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// Pooled memory has other sizes and old contents, which must not matter.
func TestSmallFramesAreThoseOfNew(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	rates := []float64{0.9, 0.5, 0.3, 0.01, 1.0 / 256, 1e-6, 1e-9}
	for range 3 {
		for _, n := range []int{0, 1, 2, 10, 63, 64, 100, 1000, 10_000, ribbon.Small, ribbon.Small + 1, 500, 3} {
			digests := checks.Digests(rng, n)
			digests = append(digests, digests[:min(n, 3)]...) // copies
			if len(digests) > ribbon.Small && n <= ribbon.Small {
				digests = digests[:n]
			}
			c := Config{FPRate: rates[rng.IntN(len(rates))], Family: hashfam.Family{}.Derive("small frames")}
			want := builtFrame(t, c, digests)
			got, err := AppendFrame(t.Context(), []byte("before"), c, slices.Clone(digests))
			require.NoError(t, err)
			require.Equal(t, "before"+string(want), string(got), "%d digests at %g", n, c.FPRate)
		}
	}
}

// Digests that were chosen to start at one place are bumped through many
// layers.
func TestSmallFramesOfClusteredDigests(t *testing.T) {
	for _, n := range []int{10, 500, 3000} {
		digests := make([]hashfam.Digest, n)
		for i := range digests {
			digests[i] = hashfam.Probe(1<<40 + uint64(i)).Digest()
		}
		c := Config{FPRate: 0.01}
		_, wanted := New(t.Context(), c, slices.Clone(digests))
		got, err := AppendFrame(t.Context(), nil, c, slices.Clone(digests))
		require.Equal(t, wanted == nil, err == nil)
		if err == nil {
			require.Equal(t, builtFrame(t, c, digests), got)
		} else {
			require.EqualError(t, err, wanted.Error())
		}
	}
}

func TestSmallFramesHardlyAllocate(t *testing.T) {
	if checks.Race {
		t.Skip("the race detector makes the pool drop memory")
	}
	const n, runs = 10_000, 50
	digests := checks.Digests(rand.New(rand.NewPCG(1, 2)), n)
	c := Config{FPRate: 0.01}
	slot := builtFrame(t, c, digests)
	build := func() {
		var err error
		slot, err = AppendFrame(context.Background(), slot[:0], c, digests)
		require.NoError(t, err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would empty the pool
	allocations := testing.AllocsPerRun(runs, build)
	require.LessOrEqual(t, allocations, 5.0)
	perKey := float64(checks.LeastAllocated(runs, build)) / n
	t.Logf("%.0f allocations, %.4f bytes per key", allocations, perKey)
	require.LessOrEqual(t, perKey, 0.2)
}

func TestSmallFramesCanBeBuiltConcurrently(t *testing.T) {
	var group sync.WaitGroup
	for worker := range uint64(4) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(worker, 3))
			for n := 1; n < 3000; n += 500 {
				digests := checks.Digests(rng, n)
				got, err := AppendFrame(context.Background(), nil, Config{FPRate: 0.01}, slices.Clone(digests))
				if err != nil || string(got) != string(builtFrame(t, Config{FPRate: 0.01}, digests)) {
					t.Errorf("%d digests: %v", n, err)
				}
			}
		})
	}
	group.Wait()
}
