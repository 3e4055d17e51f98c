//lint:file-ignore SA1019 jobs must also work on the direct runner

package filterbeam

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// buildOnce builds p by the loop or by a job, and returns how many keys were
// read.
func buildOnce(t *testing.T, loop bool, p Plan, out string, patterns ...string) (uint64, error) {
	t.Helper()
	if loop {
		sum, err := Local(t.Context(), p, out, nil, patterns...)
		return sum.Keys, err
	}
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, out, patterns...)
	result, err := direct.Execute(t.Context(), pipeline)
	if err != nil {
		return 0, err
	}
	return Result(out, result).Keys, nil
}

// A file is read once, however often and in whatever way it is named.
func TestAFileWithSeveralNamesIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("keys.txt", []byte("ada\ngrace\n"), 0o600))
	p := must(Sketch(sketchConfig))
	for _, loop := range []bool{true, false} {
		n, err := buildOnce(t, loop, p, filepath.Join(t.TempDir(), "out.bin"),
			"keys.txt", "./keys.txt", "k*", filepath.Join(dir, "keys.txt"), filepath.Join("..", filepath.Base(dir), "keys.txt"))
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
	}
}

// The output is never read as keys, and neither is what a job has made or left,
// whatever its output. That is an error before anything is written.
func TestWhatAJobMakesIsNeverInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("keys.txt", []byte("ada\ngrace\n"), 0o600))
	p := bloomPlan(bloom.Blocked)
	for _, made := range []string{
		"out.bin", unique("out.bin", partPurpose), unique("other.bin", shardPurpose), unique("other.bin", temporaryPurpose),
	} {
		require.NoError(t, os.WriteFile(made, []byte("before"), 0o600))
		for _, loop := range []bool{true, false} {
			for _, out := range []string{"out.bin", filepath.Join(dir, "out.bin")} {
				_, err := buildOnce(t, loop, p, out, "*")
				require.ErrorContains(t, err, "input = "+made)
				text, err := os.ReadFile(made)
				require.NoError(t, err)
				require.Equal(t, "before", string(text))
				left, err := os.ReadDir(dir)
				require.NoError(t, err)
				require.Len(t, left, 2)
			}
		}
		require.NoError(t, os.Remove(made))
	}
	require.NoError(t, os.WriteFile("keys.part-1", nil, 0o600)) // of somebody else
	_, err := buildOnce(t, true, p, "out.bin", "keys*")
	require.NoError(t, err)
}

// Clean removes what jobs have left, and neither the output nor its parts.
func TestWhatAJobHasLeftIsRemoved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	p := bloomPlan(bloom.Blocked)
	pattern := writeKeys(t, t.TempDir(), testKeys(100), 2)
	removed, err := Clean(t.Context(), out)
	require.NoError(t, err)
	require.Empty(t, removed)
	for n := range 3 { // a frame, then filters in one and in two parts
		made := must(p.Parts(n))
		_, err = buildOnce(t, false, made, out, pattern)
		require.NoError(t, err)
		before, err := os.ReadDir(filepath.Dir(out))
		require.NoError(t, err)
		require.Len(t, before, 1+n)
		left := []string{unique(out, partPurpose), unique(out, shardPurpose), unique(out, temporaryPurpose)}
		for _, name := range left {
			require.NoError(t, os.WriteFile(name, nil, 0o600))
		}
		removed, err := Clean(t.Context(), out)
		require.NoError(t, err)
		require.Equal(t, left, removed)
		after, err := os.ReadDir(filepath.Dir(out))
		require.NoError(t, err)
		require.Equal(t, len(before), len(after))
	}
	require.NoError(t, os.WriteFile(out, []byte("{damaged"), 0o600))
	require.NoError(t, os.WriteFile(unique(out, shardPurpose), nil, 0o600))
	_, err = Clean(t.Context(), out)
	require.Error(t, err, "the parts to keep are not known")
}
