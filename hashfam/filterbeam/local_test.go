package filterbeam

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
)

// allPlans returns a plan of every kind.
func allPlans() map[kind]Plan {
	return map[kind]Plan{
		bloomKind:    bloomPlan(bloom.Blocked),
		countingKind: must(Counting(countingConfig(bloom.Blocked))),
		cuckooKind:   must(Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01})),
		staticKind:   must(Static(static.Config{FPRate: 0.01})),
		sketchKind:   must(Sketch(sketchConfig)),
		heavyKind:    must(Heavy(countmin.HeavyConfig{Phi: 0.01})),
		topkKind:     must(TopK(countmin.TopKConfig{K: 10})),
	}
}

// requireUntouched checks that the file out has the text "before", and that
// nothing is beside it.
func requireUntouched(t *testing.T, out string) {
	t.Helper()
	require.Equal(t, "before", string(must(os.ReadFile(out))))
	require.Len(t, must(os.ReadDir(filepath.Dir(out))), 1)
}

// A context that has ended leaves the output as it was, whatever the plan, and
// also if no line is read.
func TestLocalOfAContextThatHasEnded(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.txt")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for k, p := range allPlans() {
		for _, pattern := range []string{empty, writeKeys(t, t.TempDir(), testKeys(100), 3)} {
			_, err := Local(ended, p, out, nil, pattern)
			require.ErrorIs(t, err, context.Canceled, "%s of %s", k, pattern)
			requireUntouched(t, out)
		}
	}
}

// A context that ends while the frame is written leaves the output as it was.
func TestAContextThatEndsBeforeTheFrameHasItsName(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	require.ErrorIs(t, replace(ctx, out, func(w io.Writer) error {
		_, err := w.Write([]byte("after"))
		cancel()
		return err
	}), context.Canceled)
	requireUntouched(t, out)
}

// Local takes the memory of the structure: there is no copy of it.
func TestLocalMakesNoCopyOfTheStructure(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	for _, p := range []Plan{
		must(Bloom(bloom.Config{Capacity: 1e7, FPRate: 0.01})),
		must(Sketch(countmin.Config{Width: 1 << 20, Depth: 3})),
		must(Cuckoo(cuckoo.Config{Capacity: 1e7, FPRate: 0.01})),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sum, err := Local(t.Context(), p, filepath.Join(t.TempDir(), "out.bin"), nil, pattern)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Greater(t, sum.Size, uint64(10e6))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, sum.Size+3e6, p.spec.Kind)
	}
}

// A frame that cannot get its name is removed.
func TestAFrameThatCannotGetItsName(t *testing.T) {
	out := filepath.Join(t.TempDir(), "folder")
	require.NoError(t, os.Mkdir(out, 0o700))
	p := must(Bloom(bloomConfig(bloom.Blocked)))
	_, err := Local(t.Context(), p, out, nil, writeKeys(t, t.TempDir(), testKeys(10), 1))
	require.ErrorContains(t, err, "filterbeam: "+out)
	require.Len(t, must(os.ReadDir(filepath.Dir(out))), 1)
}

// Without a pattern nothing is built: an empty filter would answer every
// question with no.
func TestAtLeastOnePatternIsNeeded(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	for k, p := range allPlans() {
		for _, patterns := range [][]string{nil, {""}} {
			_, err := Local(t.Context(), p, out, nil, patterns...)
			require.ErrorIs(t, err, ErrParams, k)
			require.ErrorContains(t, err, "one that matches a file", k)
			requireUntouched(t, out)
			if k == bloomKind || k == staticKind {
				pipeline, s := beam.NewPipelineWithRoot()
				Files(s, p, out, patterns...)
				err = ptest.Run(pipeline)
				require.ErrorContains(t, err, ErrParams.Error(), k)
				require.ErrorContains(t, err, "one that matches a file", k)
				requireUntouched(t, out)
			}
		}
	}
}

// The summary of a filter has a rate, also if the filter counts.
func TestTheSummaryOfEveryFilterHasARate(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(testCapacity), 3)
	for k, p := range allPlans() {
		sum, err := Local(t.Context(), p, filepath.Join(t.TempDir(), "out.bin"), nil, pattern)
		require.NoError(t, err)
		switch k {
		case sketchKind, heavyKind, topkKind:
			require.Zero(t, sum.FPRate, k)
		default:
			require.InDelta(t, 0.01, sum.FPRate, 0.004, k)
		}
	}
}
