package counting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// The last word of 1,003 counters has five unused counters. If the decoder
// accepted nonzero ones, two filters of the same keys could differ, and the
// fill ratio could exceed 1.
func TestCountersBeyondTheLastAreCorrupt(t *testing.T) {
	f := mustNew(t, Params{Counters: 1003, Hashes: 7})
	f.AddString("kept")
	before := f.Clone()
	for bit := range 20 {
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		b[len(b)-8-3+(4+bit)/8] |= 1 << ((4 + bit) % 8)
		conformance.Reseal(b)
		require.ErrorIs(t, f.UnmarshalBinary(b), ErrCorrupt)
	}
	require.True(t, f.Equal(before))
}

// The error of a damaged filter shows the counters beyond the last, here the
// five of 1,003 counters in 63 words.
func TestTheErrorShowsTheCountersBeyondTheLast(t *testing.T) {
	f := mustNew(t, Params{Counters: 1003, Hashes: 7})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	b[len(b)-9] = 0x70 // the last counter of the last word
	conformance.Reseal(b)
	require.ErrorContains(t, f.UnmarshalBinary(b), "counters beyond the last = 0x70000, want 0")
}
