package ribbon

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

var one = Build{Workers: 1}

// seven is the number of columns for the rate 2^-7, and percent the number for
// 1%.
const (
	seven   = 7 << 16
	percent = 7<<16 - 18350 // 0.01 * 2^7 - 1 = 0.28
)

func sorted(t testing.TB, digests []hashfam.Digest) []hashfam.Digest {
	t.Helper()
	list, err := Sort(context.Background(), one, slices.Clone(digests))
	require.NoError(t, err)
	return list
}

func members(t testing.TB, columns uint32, digests []hashfam.Digest) *Ribbon {
	t.Helper()
	r, err := Members(context.Background(), one, columns, sorted(t, digests))
	require.NoError(t, err)
	return r
}

// sizes returns numbers of digests near the ones for which the shape changes:
// small numbers, a full shard, one and a segment, and several.
func sizes() []int {
	return []int{
		31, 32, 33, 63, 64, 65, 95, 96, 97, 128, 163, 195, 196, 197, 500, 1000,
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 66_912, 67_043, 200_000,
	}
}

func TestSecondRibbonsSeparateBothLists(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(7, 8))
	for _, sizes := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {2, 0}, {1, 10}, {10, 1}, {500, 1000}, {1000, 1}, {70_000, 40_000}} {
		members := sorted(t, checks.Digests(rng, sizes[0]))
		others := sorted(t, checks.Digests(rng, sizes[1]))
		for _, columns := range []uint32{0, 1, 1 << 15, 1 << 16, percent, 20 << 16} {
			for _, inverse := range []bool{false, true} {
				r, err := Separated(t.Context(), Build{Workers: 2}, columns, members, slices.Clone(others), inverse)
				require.NoError(t, err)
				require.EqualValues(t, sizes[0], r.Shape().Keys)
				for want, list := range map[bool][]hashfam.Digest{!inverse: members, inverse: others} {
					require.NotContains(t, each(r, nil, list), !want, "%d digests", sizes)
					require.NotContains(t, r.ContainsAll(nil, list), !want, "%d digests", sizes)
				}
			}
		}
	}
}

func TestDigestsInTwoListsAreRejected(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(9, 10))
	a, b := checks.Digests(rng, 1000), checks.Digests(rng, 1000)
	b[0] = a[0]
	_, err := Separated(t.Context(), one, 1<<16, sorted(t, a), sorted(t, b), false)
	require.ErrorIs(t, err, ErrLayers)
}

// If all values are zero, every equation has a solution, so none may be
// rejected.
func TestRedundantEquationsAreAccepted(t *testing.T) {
	r := &Ribbon{columns: 1 << 16, keys: 10_000}
	digests := sorted(t, checks.Digests(rand.New(rand.NewPCG(23, 24)), 10_000))
	require.NoError(t, r.build(t.Context(), one, 0, [][]hashfam.Digest{digests}))
	require.Equal(t, 1, r.Shape().Layers)
}

// When a bucket is cut after group 13, all digests must be bumped, even the
// ones that fit. The slots must remain free for other buckets.
func TestBumpedBucketsStayEmpty(t *testing.T) {
	for _, full := range []uint64{14, 20} {
		l := layer{geometry: newGeometry(0, 500, seven)}
		digests := make([]hashfam.Digest, 0, 500)
		for i := range uint64(500) {
			start := full*groupStarts + groupStarts/2 // too many
			if i%25 == 0 {
				start = (full+1)*groupStarts + i/25*4 // these fit
			}
			digests = append(digests, checks.Probing(start*(math.MaxUint64/l.starts)+(i+1)<<20))
		}
		r := members(t, seven, digests)
		require.NotContains(t, each(r, nil, digests), false)
		require.EqualValues(t, allBumped, r.layers[0].thresholds[0]&15)
		require.Equal(t, make([]uint64, len(r.layers[0].words)), r.layers[0].words, "group %d", full)
	}
}

// A ribbon without layers returns the same result for every digest.
func TestRibbonsWithoutLayers(t *testing.T) {
	for _, columns := range []uint32{0, 1 << 16} {
		r := &Ribbon{columns: columns, keys: 3}
		want := slices.Repeat([]bool{columns == 0}, 3)
		require.Equal(t, want, r.ContainsAll(make([]bool, 0, 3), make([]hashfam.Digest, 3)))
		require.Equal(t, want, each(r, nil, make([]hashfam.Digest, 3)))
	}
	r, err := Stream(t.Context(), one, 0, 2, slices.Values([]hashfam.Digest{checks.Probing(1), checks.Probing(2)}), errs)
	require.NoError(t, err)
	require.Zero(t, r.Shape().Layers, "no columns")
	require.EqualValues(t, 2, r.Shape().Keys)
}

// Equal must compare the words in every layer, the columns, and the number of
// digests.
func TestEqualComparesEverything(t *testing.T) {
	list := checks.Digests(rand.New(rand.NewPCG(36, 37)), 3000)
	r, same := members(t, percent, list), members(t, percent, list)
	require.True(t, r.Equal(same))
	for i := range same.layers {
		for _, words := range [][]uint64{same.layers[i].thresholds, same.layers[i].words} {
			words[0]++
			require.False(t, r.Equal(same))
			words[0]--
		}
	}
	require.False(t, new(Ribbon).Equal(&Ribbon{columns: 1}))
	require.False(t, new(Ribbon).Equal(&Ribbon{keys: 1}))
}

// For every start, its segment and the next one must be in the layer. The
// segments must fill the words.
func TestEverySegmentIsInTheLayer(t *testing.T) {
	for _, n := range append(sizes(), 66_846, 66_944, 67_011, 133_824, 133_890, 1_000_000, 12_345_678) {
		for _, columns := range []uint32{1, 1 << 16, 1<<16 + 1, percent, seven, MaxColumns} {
			for i := range 2 {
				l := layer{geometry: newGeometry(i, uint64(n), columns)}
				last := segment(l.starts - 1)
				require.Equal(t, l.slotWords(), l.at(last+2), "the last sum must end in the last segment")
				require.LessOrEqual(t, l.narrow, last, "the last segment with starts must not be narrow")
				require.GreaterOrEqual(t, l.at(last+2), l.at(last+1)+l.r)
				want, narrow := (float64(l.r)-float64(columns)/65536)*float64(l.starts), 0.0
				for s := uint64(0); s < l.starts && segment(s) < l.narrow; s += width {
					narrow += width
				}
				require.LessOrEqual(t, narrow, want, "the rate")
				require.Greater(t, narrow+width, want-1e-6)
			}
		}
	}
}

// The numbers were computed by hand: 1.02 digests per slot in the first layer,
// 0.95 in the others, and one segment without starts in each shard.
func TestGeometryLimits(t *testing.T) {
	machine.Matters(t)
	for _, c := range []struct {
		layer                         int
		keys, starts, shards, buckets uint64
	}{
		{0, 1, 64, 1, 1}, {0, 163, 64, 1, 1}, // 159 slots are rounded down to 2 segments
		{0, 164, 128, 1, 1},                     // and 160 up to 3
		{1, 122, 64, 1, 1}, {1, 123, 128, 1, 1}, // 128 slots are 2 segments, and 129 are 3
		{0, 327, 256, 1, 1}, {0, 392, 320, 1, 2}, // 5 segments are a full bucket
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

// ContainsAll must match Contains even if a layer's starts need more than 32
// bits. The test uses only the first segments of such a layer.
func TestStartsAbove32Bits(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(34, 35))
	l := layer{geometry{starts: 1<<33 + width, r: 1}, make([]uint64, 1), make([]uint64, 64)}
	for i := range l.words {
		l.words[i] = rng.Uint64()
	}
	r := &Ribbon{columns: 1 << 16, keys: 1, layers: []layer{l}}
	var digests []hashfam.Digest
	for start := range uint64(width) {
		digests = append(digests, checks.Probing(start<<31+1<<30))
		require.Equal(t, start, digests[start].Probe().In(l.starts))
	}
	require.Equal(t, each(r, nil, digests), r.ContainsAll(nil, digests))
}
