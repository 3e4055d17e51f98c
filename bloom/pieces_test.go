package bloom

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

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
	require.NoError(t, s.Merge(f))
	r, err := NewRotating(RotatingConfig{Capacity: 100, FPRate: 0.1, Layout: Blocked})
	require.NoError(t, err)
	for _, w := range []io.WriterTo{f, s, r} {
		var p pieces
		_, err := w.WriteTo(&p)
		require.NoError(t, err)
		require.NotContains(t, p, 0, "%T", w)
	}
}
