package bloom

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// viewable reports whether this platform supports views, given NewView's error.
func viewable(err error) bool { return !errors.Is(err, errors.ErrUnsupported) }

func TestZeroAndNilViewsReturnErrors(t *testing.T) {
	require.ErrorIs(t, (*View)(nil).Verify(), ErrParams)
	require.ErrorIs(t, new(View).Verify(), ErrParams)
	_, err := new(View).Decode()
	require.ErrorIs(t, err, ErrParams)
	require.True(t, new(View).ContainsString("any"), "like the zero Filter")
}

// ReadFrom allocates the filter once if the reader tells its size, and less
// than twice its size in total if it does not.
func TestMemoryToReadAFilter(t *testing.T) {
	f := mustNew(t, Params{Bits: 64 << 20, Hashes: 7})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	file, err := os.Create(filepath.Join(t.TempDir(), "filter"))
	require.NoError(t, err)
	defer file.Close()
	_, err = f.WriteTo(file)
	require.NoError(t, err)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		r    io.Reader
		most float64
	}{{"memory", bytes.NewReader(b), 1.1}, {"file", file, 1.1}, {"stream", io.MultiReader(bytes.NewReader(b)), 2.02}} {
		var before, after runtime.MemStats
		g := NewReceiver(hashfam.Family{})
		runtime.ReadMemStats(&before)
		_, err := g.ReadFrom(c.r)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.True(t, g.Equal(f))
		require.LessOrEqual(t, float64(after.TotalAlloc-before.TotalAlloc), c.most*float64(f.SizeBytes()), c.name)
	}
}

func TestViewsAnswerForIntegers(t *testing.T) {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	for i := range uint64(500) {
		f.AddUint64(i)
	}
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	v, err := NewView(b, hashfam.Family{})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	for i := range uint64(1000) {
		require.True(t, i >= 500 || v.ContainsUint64(i), "lost key %d", i)
		require.Equal(t, f.ContainsUint64(i), v.ContainsUint64(i))
	}
}
