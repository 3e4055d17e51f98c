package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
	"github.com/filterfam/filterfam/hashfam/filterbeam/parts"
)

// buildApart runs a job of Files and returns the filter in parts.
func buildApart(t *testing.T, p Plan, out string, r runner, pattern string) *parts.Filter {
	t.Helper()
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, cutScheme+out, cutScheme+pattern)
	result, err := r.run(t.Context(), pipeline)
	require.NoError(t, err)
	require.NotZero(t, Result(out, result).Size)
	f, err := parts.Open(os.DirFS(filepath.Dir(out)), filepath.Base(out), hashfam.Family{})
	require.NoError(t, err)
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
			p, err := test.plan()
			require.NoError(t, err)
			p, err = p.Parts(n)
			require.NoError(t, err)
			f := buildApart(t, p, out, r, pattern)
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
			left, err := os.ReadDir(filepath.Dir(out))
			require.NoError(t, err)
			require.Len(t, left, n+1, "the index and the parts")
		}
	}
}

// requirePart checks that a file is the filter of keys.
func requirePart(t *testing.T, test single, file string, keys [][]byte) {
	t.Helper()
	p, err := test.plan()
	require.NoError(t, err)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, bytes.Equal(localFrame(t, p, writeKeys(t, t.TempDir(), keys, 2)), got), test.name)
}

// Parts without keys have no files. A later job with one frame removes the
// parts.
func TestPartsWithoutKeys(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.bin")
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	whole, err := singles[0].plan()
	require.NoError(t, err)
	p, err := whole.Parts(maxWindows)
	require.NoError(t, err)
	f := buildApart(t, p, out, runners[4], pattern)
	files := 0
	for i := range f.Parts() {
		if f.File(i) != "" {
			files++
		}
	}
	require.LessOrEqual(t, files, 10)
	for i := range 100 {
		found, err := f.ContainsString(string(rune('a' + i)))
		require.NoError(t, err)
		require.False(t, found)
	}
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, whole, cutScheme+out, cutScheme+pattern)
	_, err = cutrunner.Run(t.Context(), pipeline, cutrunner.Options{})
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestWhatCannotBeInPartsIsAnError(t *testing.T) {
	p, err := Bloom(bloomConfig(bloom.Classic))
	require.NoError(t, err)
	for _, n := range []int{-1, maxWindows + 1} {
		_, err = p.Parts(n)
		require.ErrorIs(t, err, ErrParams)
	}
	p, err = p.Parts(2)
	require.NoError(t, err)
	_, err = Combine[string](p)
	require.ErrorIs(t, err, ErrParams)
	_, err = Local(t.Context(), p, "out.bin", nil, "*")
	require.ErrorIs(t, err, ErrParams)
	sketch, err := Sketch(countmin.Config{Epsilon: 0.01, Delta: 0.01})
	require.NoError(t, err)
	_, err = sketch.Parts(2)
	require.ErrorIs(t, err, ErrParams)
	_, err = Plan{}.Parts(2)
	require.ErrorIs(t, err, ErrParams)
}
