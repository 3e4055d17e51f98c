package bloom

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A longest is the length of the longest piece that was written to it.
type longest int

func (l *longest) Write(b []byte) (int, error) {
	*l = max(*l, longest(len(b)))
	return len(b), nil
}

// The table of 5,000 stages is longer than 64 KiB.
func TestScalableIsWrittenInPieces(t *testing.T) {
	s := hashfam.Must(NewScalable(ScalableConfig{Expected: 1, FPRate: 0.5}))
	attached := mustNew(t, Params{Bits: 64, Hashes: 1})
	for range 5000 {
		require.NoError(t, s.Attach(attached))
	}
	var l longest
	_, err := s.WriteTo(&l)
	require.NoError(t, err)
	require.LessOrEqual(t, int(l), 64<<10)
}
