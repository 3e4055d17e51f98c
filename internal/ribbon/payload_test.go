package ribbon

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// payloadOf returns words as bytes at an odd address, with no room after them.
func payloadOf(words []uint64) []byte {
	b := make([]byte, 1, 1+8*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return slices.Clip(b[1:])
}

// A payload is asked for any words, number of columns, and number of layers.
// Without its last word the last layer is refused.
func TestContainsInIsContains(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 3))
	for columns := uint32(1 << 14); columns <= MaxColumns; columns += 1 << 14 {
		n := 1 + rng.Uint64N(3000)
		counts := []uint64{n / 2, n / 3, n / 4}[:rng.IntN(4)]
		words := slices.Clone(counts)
		for range 20_000 + n*uint64(columns>>16+1)/16 {
			words = append(words, rng.Uint64()&rng.Uint64()) // low thresholds
		}
		layers := len(counts) + 1
		r, rest, err := Parse(columns, n, layers, words, new(Room), errs)
		if err != nil {
			require.Contains(t, counts, uint64(0))
			continue
		}
		payload := payloadOf(words[:len(words)-len(rest)])
		for _, d := range random(rng, 300) {
			found, ok := ContainsIn(columns, n, layers, payload, d)
			require.True(t, ok)
			require.Equal(t, r.Contains(d), found)
			found, ok = ContainsIn(columns, n, layers, payload[:len(payload)-8], d)
			require.False(t, ok && (layers == 1 || found != r.Contains(d)))
		}
	}
}

// ContainsIn refuses what Parse does.
func TestContainsInChecksTheNumbers(t *testing.T) {
	payload := payloadOf(make([]uint64, 1000))
	for _, c := range []struct {
		columns uint32
		keys    uint64
		layers  int
	}{
		{MaxColumns + 1, 1, 1}, {1, MaxKeys + 1, 1}, {1, 1, MaxLayers + 1}, {1, 1, 0}, {1, 1, -1}, {0, 1, 1}, {1, 0, 1},
		{MaxColumns, MaxKeys, MaxLayers}, {1 << 16, MaxKeys, 1}, {0, 1, 0}, {1 << 16, 100, 1},
	} {
		_, ok := ContainsIn(c.columns, c.keys, c.layers, payload, 1)
		require.False(t, ok, "%+v", c)
	}
	_, ok := ContainsIn(0, 1, 0, nil, 1)
	require.True(t, ok)
	_, ok = ContainsIn(1<<16, 1, 2, payload[:7], 1)
	require.False(t, ok, "less than the numbers of digests")
	for next, want := range map[uint64]bool{0: false, 1: true, 100: true, 101: false} {
		words := []uint64{next, ^uint64(0)} // all buckets bump
		for l := range uint64(2) {
			g := newGeometry(int(l), []uint64{100, next}[l], 1<<16)
			words = append(words, make([]uint64, g.size()-(1-l))...)
		}
		_, ok := ContainsIn(1<<16, 100, 2, payloadOf(words), hashfam.Digest(1))
		require.Equal(t, want, ok, next)
	}
}
