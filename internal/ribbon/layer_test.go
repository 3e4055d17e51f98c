package ribbon

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Geometry: every start has its own and the next segment, and the segments fill
// the words.
func TestEverySegmentIsInTheLayer(t *testing.T) {
	for _, n := range append(sizes(), 1_000_000, 12_345_678) {
		for _, columns := range []uint32{1, 1 << 16, 1<<16 + 1, percent, seven, MaxColumns} {
			for i := range 2 {
				l := layer{geometry: newGeometry(i, uint64(n), columns)}
				last := segment(l.starts - 1)
				require.Equal(t, l.slotWords(), l.at(last+2), "the last sum ends in the last segment")
				require.LessOrEqual(t, l.narrow, last, "the last segment with starts is not narrow")
				require.GreaterOrEqual(t, l.at(last+2), l.at(last+1)+l.r)
				share := float64(l.r) - float64(columns)/65536
				narrow := 0
				for s := uint64(0); s < l.starts; s += width {
					if segment(s) < l.narrow {
						narrow++
					}
				}
				require.LessOrEqual(t, float64(narrow*width), share*float64(l.starts), "the rate")
				require.Greater(t, float64((narrow+1)*width), share*float64(l.starts)-1e-6)
			}
		}
	}
}

// 1.02 digests for each slot in the first layer, 0.95 in the others, and one
// segment of each shard without starts. The numbers are computed by hand.
func TestGeometryAtItsLimits(t *testing.T) {
	for _, c := range []struct {
		layer                         int
		keys, starts, shards, buckets uint64
	}{
		{0, 1, 64, 1, 1},
		{0, 100, 64, 1, 1},  // 98 slots are 2 segments
		{0, 164, 128, 1, 1}, // 160 slots are rounded up to 3 segments
		{0, 163, 64, 1, 1},  // and 159 down to 2
		{1, 122, 64, 1, 1},  // 128 slots are 2 segments
		{1, 123, 128, 1, 1}, // and 129 are 3
		{0, 327, 256, 1, 1}, // 5 segments, a full bucket
		{0, 392, 320, 1, 2},
		{0, 66_912, 65_536, 1, 256}, // a full shard, and the segment after it
		{0, 67_043, 65_600, 2, 257}, // 1027 segments, two of them without starts
	} {
		l := layer{geometry: newGeometry(c.layer, c.keys, 1<<16)}
		require.Equal(t, c.starts, l.starts, "%d keys", c.keys)
		require.Equal(t, c.shards, l.shards(), "%d keys", c.keys)
		require.Equal(t, c.buckets, l.buckets(), "%d keys", c.keys)
		require.Zero(t, l.narrow)
	}
}

// ContainsAll is Contains for each, also in a layer whose starts need more than
// 32 bits. Only its first segments exist here.
func TestStartsOfMoreThan32Bits(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 35))
	l := layer{geometry{starts: 1<<33 + width, r: 1}, make([]uint64, 1), make([]uint64, 64)}
	for i := range l.words {
		l.words[i] = rng.Uint64()
	}
	r := &Ribbon{columns: 1 << 16, keys: 1, layers: []layer{l}}
	var digests []hashfam.Digest
	var want []bool
	for start := range uint64(width) {
		digests = append(digests, conformance.Probing(start<<31+1<<30))
		require.Equal(t, start, digests[start].Probe().In(l.starts))
		want = append(want, r.Contains(digests[start]))
	}
	require.Equal(t, want, r.ContainsAll(make([]bool, 0, width), digests))
}
