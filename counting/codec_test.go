package counting

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// The last word of 1,003 counters has five unused counters. If the decoder
// accepted nonzero ones, two filters of the same keys could differ, and the
// fill ratio could exceed 1. The error shows them.
func TestCountersBeyondTheLastAreCorrupt(t *testing.T) {
	f := mustNew(t, Params{Counters: 1003, Hashes: 7})
	f.AddString("kept")
	before := f.Clone()
	for bit := range 20 {
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		b[len(b)-8-3+(4+bit)/8] |= 1 << ((4 + bit) % 8)
		conformance.Reseal(b)
		err = f.UnmarshalBinary(b)
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, fmt.Sprintf("counters beyond the last = %#x, want 0", 1<<bit))
	}
	require.True(t, f.Equal(before))
}
