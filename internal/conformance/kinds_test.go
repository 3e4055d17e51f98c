package conformance_test

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/frame"
)

// kinds contains a golden file and a zero value for each kind.
var kinds = map[frame.Kind]struct {
	file string
	zero io.ReaderFrom
}{
	frame.Bloom:           {"bloom/testdata/classic.bin", new(bloom.Filter)},
	frame.Counting:        {"counting/testdata/counting.bin", new(counting.Filter)},
	frame.Cuckoo:          {"cuckoo/testdata/plain.bin", new(cuckoo.Filter)},
	frame.CountMin:        {"countmin/testdata/plain32.bin", new(countmin.Sketch)},
	frame.HeavyHitters:    {"countmin/testdata/heavy.bin", new(countmin.HeavyHitters)},
	frame.TopK:            {"countmin/testdata/top.bin", new(countmin.HeavyHitters)},
	frame.Static:          {"bloom/static/testdata/static.bin", new(static.Filter)},
	frame.PerfectFunction: {"hashfam/perfect/testdata/function.bin", new(perfect.Function)},
	frame.PerfectFilter:   {"hashfam/perfect/testdata/filter.bin", new(perfect.Filter)},
	frame.ScalableBloom:   {"bloom/testdata/scalable.bin", new(bloom.Scalable)},
	frame.ScalableCuckoo:  {"cuckoo/testdata/scalable.bin", new(cuckoo.Scalable)},
	frame.RotatingBloom:   {"bloom/testdata/rotating.bin", new(bloom.Rotating)},
	frame.Window:          {"countmin/testdata/window.bin", new(countmin.Window)},
}

// Each structure must read exactly its own frame, and reject other kinds and
// arbitrary bytes.
func TestStreamsCanContainAllKinds(t *testing.T) {
	var stream []byte
	order := slices.Sorted(maps.Keys(kinds))
	for i, k := range order {
		b, err := os.ReadFile(filepath.Join("../..", kinds[k].file))
		require.NoError(t, err)
		stream = append(stream, b...)
		if k > frame.Bloom && k != frame.TopK { // a HeavyHitters reads both kinds
			_, err := kinds[order[i-1]].zero.ReadFrom(bytes.NewReader(b))
			require.ErrorIs(t, err, hashfam.ErrCorrupt)
			require.ErrorContains(t, err, k.String())
		}
		n, err := kinds[k].zero.ReadFrom(bytes.NewReader(bytes.Repeat([]byte("no frame. "), 10)))
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.LessOrEqual(t, n, int64(100))
	}
	r := iotest.HalfReader(bytes.NewReader(stream))
	for _, k := range order {
		_, err := kinds[k].zero.ReadFrom(r)
		require.NoError(t, err, k)
	}
	_, err := kinds[frame.Bloom].zero.ReadFrom(r)
	require.ErrorIs(t, err, io.EOF)
}

// A structure in a journal must not be read without its blocks.
func TestJournalsAreRefused(t *testing.T) {
	b, err := os.ReadFile("../../hashfam/journal/testdata/bloom.bin")
	require.NoError(t, err)
	for _, k := range kinds {
		_, err := k.zero.ReadFrom(bytes.NewReader(b))
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, "kind = a journal, want ")
	}
}
