package ribbon

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// Each layer after the first has at least one digest, and no more than the
// first, so the payload must be within the bounds.
func TestPayloadsAreWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.Uint32Range(1, MaxColumns).Draw(t, "columns")
		keys := rapid.OneOf(rapid.Uint64Range(1, 300_000), rapid.Uint64Range(1, MaxKeys)).Draw(t, "keys")
		layers := rapid.IntRange(1, MaxLayers).Draw(t, "layers")
		least, most := Bounds(Shape{Columns: columns, Keys: keys, Layers: layers})
		size := func(bumped uint64) uint64 {
			first, other := layer{geometry: newGeometry(0, keys, columns)}, layer{geometry: newGeometry(1, bumped, columns)}
			return 8 * (first.size() + uint64(layers-1)*(1+other.size()))
		}
		bumped := rapid.Uint64Range(1, keys).Draw(t, "bumped")
		require.LessOrEqual(t, least, size(bumped))
		require.GreaterOrEqual(t, most, size(bumped))
		require.Equal(t, least, size(1))
		require.Equal(t, most, size(keys)+8*uint64(layers-1))
	})
	least, most := Bounds(Shape{Columns: 1 << 16})
	require.Zero(t, least+most)
}

// A layer that has one segment with starts needs one word for the thresholds
// and two words per column.
func TestEstimatedSizes(t *testing.T) {
	for _, c := range []struct {
		columns        uint32
		keys, estimate uint64
	}{
		{0, 42, 0}, {1 << 16, 0, 0},
		{1 << 16, 42, 8 * 3}, {7 << 16, 42, 8 * 15},
		{1 << 16, 43, 8 * (3 + 3 + 1)}, // a digest is bumped, and a word contains its number
	} {
		require.Equal(t, c.estimate, EstimateBytes(c.columns, c.keys), "%d columns, %d keys", c.columns, c.keys)
	}
	one := layer{geometry{starts: 64, r: 1}, make([]uint64, 1), make([]uint64, 2)}
	require.EqualValues(t, 8*6, (&Ribbon{layers: []layer{one, one}}).SizeBytes())
}

func TestTheoryShowsTheLoads(t *testing.T) {
	const n = 1_000_000
	r := members(t, 7<<16, checks.Digests(rand.New(rand.NewPCG(40, 41)), n))
	require.Len(t, r.layers, 2)
	var loads []any // digests per slot
	for _, l := range r.layers {
		loads = append(loads, float64(l.keys)/float64(width*(l.starts/width+l.shards())))
	}
	checks.Documented(t, "theory.md", "With a million keys and seven columns, the first layer has %.2f keys per slot, and bumps %.1f%% of them. The second has %.2f keys per slot",
		loads[0], 100*float64(r.layers[1].keys)/n, loads[1])
}

// Some of these sets need less, but none may need more.
func TestLeastBytesAreEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 39))
	for _, n := range []int{1, 2, 3, 10, 42, 43, 100, 500, 1000, 1001, 5000, 20_000, 200_000} {
		least := LeastBytes(uint64(n))
		require.GreaterOrEqual(t, least, EstimateBytes(1, uint64(n)))
		for range 1 + 1000/n {
			size := members(t, 1, checks.Digests(rng, n)).PayloadBytes()
			require.LessOrEqual(t, size, least, "%d keys", n)
			require.GreaterOrEqual(t, size+32*3, least, "%d keys", n)
		}
	}
	require.Zero(t, LeastBytes(0))
}

// The rate is 2^-r in a group of 8 starts, twice as high in a narrow group, and
// in a bumped group it is the rate of the next layer.
func TestRatesOfLayers(t *testing.T) {
	made := func(starts, narrow, r, threshold uint64) layer {
		return layer{geometry{starts: starts, narrow: narrow, r: r}, []uint64{threshold}, nil}
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

// ribbonOf returns a ribbon without memory.
func ribbonOf(columns uint32, keys ...uint64) *Ribbon {
	r := &Ribbon{columns: columns}
	for i, n := range keys {
		r.layers = append(r.layers, layer{geometry: newGeometry(i, n, columns)})
	}
	return r
}

// With one more column the payload must be too large.
func TestColumnsWithinReturnsTheMost(t *testing.T) {
	machine.Matters(t)
	size := func(keys []uint64, columns uint32) uint64 {
		words := uint64(len(keys) - 1)
		for i, n := range keys {
			words += newGeometry(i, n, columns).size()
		}
		return 8 * words
	}
	for n := uint64(1); n <= 1e9; n *= 10 {
		keys := []uint64{n, max(1, n/43), max(1, n/10_000)}
		r := ribbonOf(1, keys...)
		for _, bits := range []uint64{0, 1, 3, 9, 20, 40} {
			bytes := n*bits/8 + 100
			columns := r.ColumnsWithin(bytes)
			require.True(t, columns == 0 || size(keys, columns) <= bytes)
			require.True(t, columns == MaxColumns || size(keys, columns+1) > bytes)
			estimate := EstimateColumns(bytes, n)
			require.True(t, estimate == 0 || EstimateBytes(estimate, n) <= bytes)
			require.True(t, estimate == MaxColumns || EstimateBytes(estimate+1, n) > bytes)
		}
	}
}

// If the first build has the wrong number of whole columns, the second build
// must have the largest number of columns that fits.
func TestWithinCorrectsItsEstimate(t *testing.T) {
	build := func(columns uint32) (*Ribbon, error) {
		r := ribbonOf(columns, 10_000, uint64(100*((columns+1<<16-1)>>16))) // many more than in reality
		for i := range r.layers {
			r.layers[i].thresholds = make([]uint64, r.layers[i].thresholdWords())
		}
		return r, nil
	}
	for bytes := uint64(300); bytes < 40_000; bytes += 300 {
		r, err := Within(bytes, EstimateColumns(bytes, 10_000), build)
		require.NoError(t, err)
		if r.PayloadBytes() > bytes {
			require.EqualValues(t, 1, r.columns)
			continue
		}
		require.LessOrEqual(t, r.PayloadBytes(), bytes)
		next, err := build(r.columns + 1)
		require.NoError(t, err)
		require.Greater(t, next.PayloadBytes(), bytes, "%d bytes, %d columns", bytes, r.columns)
	}
	_, err := Within(20_000, 1<<16, func(uint32) (*Ribbon, error) { return nil, ErrLayers })
	require.ErrorIs(t, err, ErrLayers)
}
