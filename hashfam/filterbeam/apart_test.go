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

// In every runner, each part is the filter that a single process builds from
// its keys. The files of an earlier job are removed.
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
				require.True(t, must(f.Contains(key)))
			}
			for shard := range n {
				want, _ := runLocal(t, test.plan, writeKeys(t, t.TempDir(), shards[shard], 2))
				got := must(os.ReadFile(filepath.Join(filepath.Dir(out), f.File(shard))))
				require.True(t, bytes.Equal(want, got), test.name)
			}
			requireFiles(t, filepath.Dir(out), n+1) // the index and the parts
		}
	}
}

// Parts without keys have no files. A later job that writes one frame removes
// the parts.
func TestPartsWithoutKeys(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	buildApart(t, must(singles[0].plan.Parts(maxTasks)), out, runners[4], pattern)
	require.LessOrEqual(t, len(must(os.ReadDir(filepath.Dir(out)))), 1+10)
	runTo(t, out, singles[0].plan, runners[3], files(pattern))
	requireFiles(t, filepath.Dir(out), 1)
}

func TestPartsRequireAFilterAndAnEngine(t *testing.T) {
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
