package countmin

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// set returns a copy of a frame with other words at some offsets and correct
// checksums.
func set(frame []byte, words map[int]uint64) []byte {
	b := bytes.Clone(frame)
	for at, word := range words {
		binary.LittleEndian.PutUint64(b[at:], word)
	}
	conformance.Reseal(b)
	return b
}

// Rows must add up to the total, or a forged one could undercount.
func TestRowsThatDoNotAddUpAreCorrupt(t *testing.T) {
	for _, bits := range []int{8, 16, 32, 64} {
		for _, conservative := range []bool{false, true} {
			s := mustNew(t, Params{Width: 5, Depth: 3, CounterBits: bits, Conservative: conservative})
			s.AddN([]byte("a"), 10)
			b := must(s.MarshalBinary())
			for at, change := range map[int]uint64{40: 9, 64: 11} { // the total, and the first counters
				require.ErrorIs(t, s.UnmarshalBinary(set(b, map[int]uint64{at: change})), ErrCorrupt, "offset %d", at)
				require.Equal(t, b, must(s.MarshalBinary()))
			}
			more := s.UnmarshalBinary(set(b, map[int]uint64{40: 11}))
			require.Equal(t, conservative, more == nil, "a total above the rows")
		}
	}
}

// docs/format.md has no rule for a row whose sum does not fit in 64 bits, nor
// for one whose sum is the largest number.
func TestRowsWithTheLargestSumAreAccepted(t *testing.T) {
	for _, conservative := range []bool{false, true} {
		s := mustNew(t, Params{Width: 2, Depth: 1, CounterBits: 64, Conservative: conservative})
		s.AddN([]byte("a"), 10)
		b := must(s.MarshalBinary())
		for second, reason := range map[uint64]error{1<<63 - 2: ErrCorrupt, 1<<63 - 1: nil, 1 << 63: nil, 1<<64 - 2: nil} {
			f := set(b, map[int]uint64{64: 1 << 63, 72: second})
			require.ErrorIs(t, s.UnmarshalBinary(f), reason)
			if reason == nil {
				require.Equal(t, f, must(s.MarshalBinary()))
			}
		}
	}
}
