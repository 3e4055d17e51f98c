package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/parts"
)

// buildApart runs a job of Files and returns the filter in parts.
func buildApart(t *testing.T, p Plan, out string, r runner, pattern string) *parts.Filter {
	t.Helper()
	require.NotZero(t, Result(out, runTo(t, out, p, r, files(pattern))).Size)
	f := must(parts.Open(os.DirFS(filepath.Dir(out)), filepath.Base(out), hashfam.Family{}))
	require.Equal(t, p.spec.Parts, f.Parts())
	return f
}

// Each part is the filter that one process builds of its keys, whatever the
// runner. What a job before has written is removed.
func TestPartsAreFiltersOfTheirKeys(t *testing.T) {
	keys := testKeys(3000)
	for _, test := range append(ordered[:2:2], singles[0], singles[4]) {
		pattern := writeKeys(t, t.TempDir(), keys, 4)
		out := filepath.Join(t.TempDir(), "out.bin")
		for i, r := range runners {
			n := 1 + 4*(i%2)
			f := buildApart(t, must(test.plan.Parts(n)), out, r, pattern)
			shards := make([][][]byte, n)
			for _, key := range keys {
				shard := f.Part(hashfam.Family{}.Sum(key))
				shards[shard] = append(shards[shard], key)
				found, err := f.Contains(key)
				require.NoError(t, err)
				require.True(t, found)
			}
			for shard := range n {
				requirePart(t, test, filepath.Join(filepath.Dir(out), f.File(shard)), shards[shard])
			}
			require.Len(t, must(os.ReadDir(filepath.Dir(out))), n+1, "the index and the parts")
		}
	}
}

// requirePart checks that a file is the filter of keys.
func requirePart(t *testing.T, test single, file string, keys [][]byte) {
	t.Helper()
	want, _ := runLocal(t, test.plan, writeKeys(t, t.TempDir(), keys, 2))
	require.True(t, bytes.Equal(want, must(os.ReadFile(file))), test.name)
}

// Parts without keys have no files. A later job with one frame removes the
// parts.
func TestPartsWithoutKeys(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.bin")
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	f := buildApart(t, must(singles[0].plan.Parts(maxTasks)), out, runners[4], pattern)
	written := 0
	for i := range f.Parts() {
		if f.File(i) != "" {
			written++
		}
	}
	require.LessOrEqual(t, written, 10)
	for i := range 100 {
		found, err := f.ContainsString(string(rune('a' + i)))
		require.NoError(t, err)
		require.False(t, found)
	}
	runTo(t, out, singles[0].plan, runners[3], files(pattern))
	require.Len(t, must(os.ReadDir(dir)), 1)
}

func TestWhatCannotBeInPartsIsAnError(t *testing.T) {
	p := bloomPlan(bloom.Classic)
	var failed [6]error
	_, failed[0] = p.Parts(-1)
	_, failed[1] = p.Parts(maxTasks + 1)
	_, failed[2] = Combine[string](must(p.Parts(2)))
	_, failed[3] = Local(t.Context(), must(p.Parts(2)), "out.bin", nil, "*")
	_, failed[4] = must(Sketch(sketchConfig)).Parts(2)
	_, failed[5] = Plan{}.Parts(2)
	for _, err := range failed {
		require.ErrorIs(t, err, ErrParams)
	}
}
