package counting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// The last word of 1,003 counters has five to spare. Were they believed, two
// filters of the same keys could differ, and the fill could be above 1.
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
