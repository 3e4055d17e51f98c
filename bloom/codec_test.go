package bloom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// The last word of 1,000 bits has 24 unused bits. If the decoder accepted ones
// there, two filters of the same keys could differ, and the fill ratio could
// exceed 1.
func TestBitsBeyondTheLastAreCorrupt(t *testing.T) {
	f := mustNew(t, Params{Bits: 1000, Hashes: 7})
	f.AddString("kept")
	before := f.Clone()
	for bit := range 24 {
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		b[len(b)-8-3+bit/8] |= 1 << (bit % 8)
		conformance.Reseal(b)
		require.ErrorIs(t, f.UnmarshalBinary(b), ErrCorrupt)
	}
	require.True(t, f.Equal(before))
}

// pieces records the lengths of what it is given.
type pieces []int

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, len(b))
	return len(b), nil
}

// A writer may take no bytes for the end of the data. Arrays that fill whole
// lines have no zeros after them.
func TestNoPieceOfAnEncodingIsEmpty(t *testing.T) {
	f := mustNew(t, Params{Bits: 1024, Hashes: 3})
	s := mustScale(t, ScalableConfig{Expected: 10, FPRate: 0.1})
	require.NoError(t, s.Attach(f))
	r, err := NewRotating(RotatingConfig{Capacity: 100, FPRate: 0.1, Layout: Blocked})
	require.NoError(t, err)
	for _, w := range []io.WriterTo{f, s, r} {
		var p pieces
		_, err := w.WriteTo(&p)
		require.NoError(t, err)
		require.NotContains(t, p, 0, "%T", w)
	}
}

// A filter that is a value in a struct is its text, like one behind a pointer,
// and never shows its key.
func TestFiltersAsValues(t *testing.T) {
	p := Params{Bits: 64, Hashes: 1, Family: hashfam.New(hashfam.Key{1, 2, 3, 4, 5})}
	f, c := mustNew(t, p), newConcurrent(mustNew(t, p))
	f.AddString("a")
	require.NoError(t, c.Merge(f))
	text, err := f.MarshalText()
	require.NoError(t, err)
	for _, v := range []any{f, *f, c, *c} {
		encoded, err := json.Marshal(map[string]any{"seen": v})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`{"seen":"%s"}`, text), string(encoded))
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%s", "%x"} {
			require.NotContains(t, fmt.Sprintf(verb, []any{v}), "1 2 3 4 5")
			require.NotContains(t, fmt.Sprintf(verb, []any{v}), fmt.Sprint(uint64(0x0504030201)))
		}
	}
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

// AppendFrame returns what New, AddAll and AppendBinary do, after any bytes.
func TestAppendFrame(t *testing.T) {
	for _, layout := range layouts {
		for _, n := range []uint64{0, 1, 100, 5000} {
			c := Config{Capacity: max(n, 1), FPRate: 0.01, Layout: layout, Family: keyed}
			f, err := New(c)
			require.NoError(t, err)
			digests := sums(f, n)
			f.AddAll(digests)
			for before := range 9 {
				dst := bytes.Repeat([]byte{0xff}, before)
				want, err := f.AppendBinary(dst)
				require.NoError(t, err)
				got, err := AppendFrame(dst, c, digests)
				require.NoError(t, err)
				require.Equal(t, want, got)
				for i := range got[before:] {
					got[before+i] = 0xff // bytes after dst are not zero
				}
				again, err := AppendFrame(got[:before], c, digests)
				require.NoError(t, err)
				require.Equal(t, want, again)
				require.Same(t, &got[:1][0], &again[0])
			}
		}
	}
	got, err := AppendFrame([]byte("before"), Config{Capacity: 1}, nil)
	require.ErrorIs(t, err, ErrParams)
	require.Equal(t, "before", string(got))
}
