package ribbon

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

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
		l := newLayer(c.layer, c.keys, 1<<16)
		require.Equal(t, c.starts, l.starts, "%d keys", c.keys)
		require.Equal(t, c.shards, l.shards(), "%d keys", c.keys)
		require.Equal(t, c.buckets, l.buckets(), "%d keys", c.keys)
		require.Zero(t, l.narrow)
	}
}

func TestFingerprintsHaveABitForEachColumn(t *testing.T) {
	for columns, want := range map[uint32]uint32{
		0: 0, 1: 1, 1<<16 - 1: 1, 1 << 16: 1, 1<<16 + 1: 3, 7 << 16: 127, MaxColumns - 1: math.MaxUint32, MaxColumns: math.MaxUint32,
	} {
		require.Equal(t, want, fingerprints(columns), "%d columns", columns)
	}
}

// A layer of one segment with starts has a word of thresholds and two words for
// each column.
func TestSizesByHand(t *testing.T) {
	for _, c := range []struct {
		columns        uint32
		keys, estimate uint64
	}{
		{0, 42, 0}, {1 << 16, 0, 0},
		{1 << 16, 42, 8 * 3}, {7 << 16, 42, 8 * 15},
		{1 << 16, 43, 8 * (3 + 3 + 1)}, // a digest is bumped, and counted in a word
	} {
		require.Equal(t, c.estimate, EstimateBytes(c.columns, c.keys), "%d columns, %d keys", c.columns, c.keys)
	}
	for _, c := range []struct {
		layers      int
		least, most uint64
	}{
		{0, 0, 0}, {1, 8 * 3, 8 * 3}, {3, 8 * (3 + 2*4), 8 * (3 + 2*5)},
	} {
		least, most := Bounds(1<<16, 100, c.layers)
		require.Equal(t, []uint64{c.least, c.most}, []uint64{least, most}, "%d layers", c.layers)
	}
	one := layer{starts: 64, r: 1, thresholds: make([]uint64, 1), words: make([]uint64, 2)}
	require.EqualValues(t, 8*6, (&Ribbon{layers: []layer{one, one}}).SizeBytes())
}

// A group of 8 starts is found with chance 2^-r, one of the narrow ones with
// twice that, and a bumped one as in the next layer.
func TestRatesByHand(t *testing.T) {
	made := func(starts, narrow, r, threshold uint64) layer {
		return layer{starts: starts, narrow: narrow, r: r, thresholds: []uint64{threshold}}
	}
	for _, c := range []struct {
		columns uint32
		layers  []layer
		rate    float64
	}{
		{0, nil, 1},
		{1 << 16, nil, 0},
		{1 << 16, []layer{made(64, 0, 1, 0)}, 1. / 2},
		{1 << 15, []layer{made(128, 1, 1, 0)}, 3. / 4},
		{2 << 16, []layer{made(64, 0, 2, 2)}, 3. / 4 / 4},
		{2 << 16, []layer{made(64, 0, 2, 2), made(64, 0, 2, 4)}, 3./4/4 + 1./4*1/2/4},
		{2 << 16, []layer{made(256, 0, 2, 15), made(64, 0, 2, 0)}, 1. / 4},
	} {
		require.Equal(t, c.rate, (&Ribbon{columns: c.columns, layers: c.layers}).Rate(), "%+v", c)
	}
}

// The words of a payload may end with the last layer, and no earlier. The error
// tells what is lacking.
func TestParseAtTheEndOfTheWords(t *testing.T) {
	whole := slices.Clip([]uint64{50, 40, 0, 1, 2, 0, 3, 4, 0, 5, 6}) // two numbers, three layers of 3 words
	r, rest, err := Parse(1<<16, 100, 3, whole, errs)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.EqualValues(t, 8*len(whole), r.PayloadBytes())
	for n, want := range map[int]string{
		0: "at least 2", 1: "at least 2", 2: "at least 3", 4: "at least 3", 5: "at least 3", 8: "at least 3", 10: "at least 3",
	} {
		_, _, err := Parse(1<<16, 100, 3, slices.Clone(whole[:n:n])[:n:n], errs)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, want, "%d words", n)
	}
}

func TestCheckAtItsLimits(t *testing.T) {
	for _, c := range []struct {
		columns uint32
		keys    uint64
		layers  int
		field   string
	}{
		{MaxColumns, MaxKeys, MaxLayers, ""}, {1, 1, 1, ""}, {0, MaxKeys, 0, ""}, {MaxColumns, 0, 0, ""},
		{MaxColumns + 1, 1, 1, "columns"}, {1, MaxKeys + 1, 1, "keys"}, {1, 1, MaxLayers + 1, "layers"}, {1, 1, 0, "layers"},
	} {
		err := Check(c.columns, c.keys, c.layers, errs)
		if c.field == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, c.field)
	}
}

// A ribbon without layers answers every digest alike.
func TestRibbonsWithoutLayers(t *testing.T) {
	for _, columns := range []uint32{0, 1 << 16} {
		r := &Ribbon{columns: columns}
		want := slices.Repeat([]bool{columns == 0}, 3)
		require.Equal(t, want, r.ContainsAll(make([]bool, 0, 3), make([]hashfam.Digest, 3)))
	}
	r, err := Stream(t.Context(), one, 0, 2, slices.Values([]hashfam.Digest{unrank(1), unrank(2)}))
	require.NoError(t, err)
	require.Zero(t, r.Layers(), "no columns")
	require.EqualValues(t, 2, r.Len())
}

// The lowest rank of all may come first.
func TestStreamsMayBeginWithZero(t *testing.T) {
	r, err := Stream(t.Context(), one, seven, 1, slices.Values([]hashfam.Digest{0}))
	require.NoError(t, err)
	require.True(t, r.Contains(0))
}

// ContainsAll is Contains for each, also in a layer whose starts need more than
// 32 bits. Only its first segments exist here.
func TestStartsOfMoreThan32Bits(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 35))
	l := layer{starts: 1<<33 + width, r: 1, thresholds: make([]uint64, 1), words: make([]uint64, 64)}
	for i := range l.words {
		l.words[i] = rng.Uint64()
	}
	r := &Ribbon{columns: 1 << 16, keys: 1, layers: []layer{l}}
	var digests []hashfam.Digest
	var want []bool
	for start := range uint64(width) {
		digests = append(digests, unrank(start<<31+1<<30))
		require.Equal(t, start, digests[start].Probe().In(l.starts))
		want = append(want, r.Contains(digests[start]))
	}
	require.Equal(t, want, r.ContainsAll(make([]bool, 0, width), digests))
}

// No more goroutines than workers, or than tasks, and each task once.
func TestParallelStartsNoMoreWorkersThanItMay(t *testing.T) {
	for _, c := range []struct{ workers, tasks, want int }{
		{1, 0, 1}, {1, 1, 1}, {1, 9, 1}, {3, 9, 3}, {9, 3, 3},
	} {
		var calls, tasks atomic.Int64
		require.NoError(t, Build{Workers: c.workers}.Parallel(t.Context(), c.tasks, func(next func() (int, bool)) {
			calls.Add(1)
			for _, ok := next(); ok; _, ok = next() {
				tasks.Add(1)
			}
		}))
		require.EqualValues(t, c.want, calls.Load(), "%+v", c)
		require.EqualValues(t, c.tasks, tasks.Load(), "%+v", c)
	}
}

func TestClonesAreEqualAndShareNoMemory(t *testing.T) {
	digests := random(rand.New(rand.NewPCG(36, 37)), 3000)
	r := members(t, percent, digests)
	require.Greater(t, r.Layers(), 1)
	c := r.Clone()
	require.True(t, r.Equal(&c))
	require.Equal(t, *r, c)
	for i := range c.layers {
		for _, words := range [][]uint64{c.layers[i].thresholds, c.layers[i].words} {
			words[0]++
			require.False(t, r.Equal(&c))
			words[0]--
		}
	}
	for _, other := range []*Ribbon{{columns: 1}, {keys: 1}} {
		require.False(t, new(Ribbon).Equal(other))
		require.False(t, other.Equal(new(Ribbon)))
	}
	none := Ribbon{columns: 1}
	require.Equal(t, none, none.Clone())
}
