package countmin

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// headerBytes is the length of the header, and totalAt the place of a sketch's
// total in it.
const (
	headerBytes = 64
	totalAt     = 40
)

// word returns the place of a word of the payload.
func word(b []byte, i int) []byte { return b[headerBytes+8*i:] }

// Rows must add up to the total, or a forged one could undercount.
func TestRowsThatDoNotAddUpAreCorrupt(t *testing.T) {
	for _, bits := range []int{32, 64} {
		for _, conservative := range []bool{false, true} {
			s := mustNew(t, Params{Width: 5, Depth: 3, CounterBits: bits, Conservative: conservative})
			s.AddN([]byte("a"), 10)
			b := must(s.MarshalBinary())
			for at, change := range map[int]uint64{totalAt: 9, headerBytes: 11} { // the total, and the first counters
				forged := append([]byte(nil), b...)
				binary.LittleEndian.PutUint64(forged[at:], change)
				conformance.Reseal(forged)
				g := s.Clone()
				require.ErrorIs(t, g.UnmarshalBinary(forged), ErrCorrupt, "offset %d", at)
				require.True(t, g.Equal(s))
			}
		}
	}
}

func TestACounterBeyondTheLastIsCorrupt(t *testing.T) {
	s := mustNew(t, Params{Width: 5, Depth: 3, CounterBits: 32})
	b := must(s.MarshalBinary())
	b[len(b)-12] = 1
	conformance.Reseal(b)
	require.ErrorIs(t, s.UnmarshalBinary(b), ErrCorrupt)
}
