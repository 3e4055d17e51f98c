package bloom

import (
	"testing"

	"github.com/stretchr/testify/require"

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

func TestFalsePositiveRateOfUnevenSlicesAndLines(t *testing.T) {
	f := mustNew(t, Params{Bits: 128, Hashes: 2, Layout: Partitioned})
	f.words[0], f.words[1] = 0xf, 0xff
	require.Equal(t, 4.0/64*8/64, f.FalsePositiveRate())

	f = mustNew(t, Params{Bits: 1024, Hashes: 2, Layout: Blocked})
	f.words[0] = 1<<16 - 1
	require.Equal(t, 16.0/512*16/512/2, f.FalsePositiveRate())
}

// docs/format.md shows the encoding of this filter byte by byte.
func TestTheFormatDocumentShowsThisFilter(t *testing.T) {
	f := mustNew(t, Params{Bits: 128, Hashes: 2})
	f.AddString("a")
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	conformance.RequireDocumented(t, "Kind 1", b)
	require.Equal(t, []uint64{1 << 40, 1 << (102 - 64)}, f.words)
}

// The document shows filters of stages and of generations too.
func TestTheFormatDocumentShowsStagesAndGenerations(t *testing.T) {
	s := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.5})
	s.AddAllStrings([]string{"a", "b"})
	b, err := s.MarshalBinary()
	require.NoError(t, err)
	conformance.RequireDocumented(t, "Kind 11", b)
	r := mustRotate(t, RotatingConfig{Capacity: 2, FPRate: 0.5, Generations: 1})
	r.AddAllStrings([]string{"a", "b", "c"})
	b, err = r.MarshalBinary()
	require.NoError(t, err)
	conformance.RequireDocumented(t, "Kind 13", b)
}
