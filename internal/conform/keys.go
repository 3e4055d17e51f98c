package conform

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// families are the families that properties draw from: public, keyed, derived.
var families = []hashfam.Family{
	{},
	hashfam.New(hashfam.Key{1, 2, 3}),
	hashfam.New(hashfam.Key{1, 2, 3}).Derive("derived"),
}

func drawFamily(t *rapid.T) hashfam.Family {
	return rapid.SampledFrom(families).Draw(t, "family")
}

// drawKeys draws a few keys, with empty and long ones and repetitions.
func drawKeys(t *rapid.T, label string) [][]byte {
	return rapid.SliceOfN(rapid.Custom(drawKey), 0, 40).Draw(t, label)
}

func drawKey(t *rapid.T) []byte {
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes")
	case 1: // long keys that differ at the end
		length := rapid.IntRange(21, 300).Draw(t, "length")
		return fmt.Appendf(nil, "%0*d", length, rapid.IntRange(0, 99).Draw(t, "number"))
	case 2:
		return []byte{}
	}
	return fmt.Append(nil, rapid.IntRange(0, 99).Draw(t, "number"))
}

// numberedKeys draws up to 300 keys of 8 bytes, with repetitions.
func numberedKeys(t *rapid.T) [][]byte {
	keys := make([][]byte, rapid.IntRange(0, 300).Draw(t, "n"))
	for i := range keys {
		keys[i] = binary.LittleEndian.AppendUint64(nil, uint64(i)%251*0x9E3779B97F4A7C15)
	}
	return keys
}

// requireAllocations checks how often do allocates.
func requireAllocations(t require.TestingT, want float64, name string, do func()) {
	require.Equal(t, want, testing.AllocsPerRun(5, do), "allocations of %s", name)
}

// copies returns how often it allocates to hash text, which it does in a build
// with the tag purego.
func copies(text string) float64 {
	return testing.AllocsPerRun(5, func() { hashfam.Family{}.SumString(text) })
}
