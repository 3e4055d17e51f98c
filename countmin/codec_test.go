package countmin

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// word returns the place of a word of the payload.
func word(b []byte, i int) []byte { return b[48+8*i:] }

// Rows must add up to the total, or a forged one could undercount.
func TestRowsThatDoNotAddUpAreCorrupt(t *testing.T) {
	for _, bits := range []int{32, 64} {
		for _, conservative := range []bool{false, true} {
			s := mustNew(t, Params{Width: 5, Depth: 3, CounterBits: bits, Conservative: conservative})
			s.AddNString("a", 10)
			b := must(s.MarshalBinary())
			for i, change := range map[int]uint64{0: 9, 1: 11} { // the total, and the first counters
				forged := append([]byte(nil), b...)
				binary.LittleEndian.PutUint64(word(forged, i), change)
				conformance.Reseal(forged)
				g := s.Clone()
				require.ErrorIs(t, g.UnmarshalBinary(forged), ErrCorrupt, "word %d", i)
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
