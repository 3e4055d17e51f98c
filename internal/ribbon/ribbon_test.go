package ribbon

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

var one = Build{Workers: 1}

// seven is the columns of rate 2^-7, and percent those of 1 %.
const (
	seven   = 7 << 16
	percent = 7<<16 - 18350 // 0.01 * 2^7 - 1 = 0.28
)

// random returns n digests.
func random(rng *rand.Rand, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Digest(rng.Uint64())
	}
	return digests
}

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

// sizes are numbers of digests around those at which the shape changes: small
// ones, and one and two shards.
func sizes() []int {
	sizes := []int{31, 32, 33, 63, 64, 65, 95, 96, 97, 128, 163, 195, 196, 197, 500, 1000}
	for n := range 11 {
		sizes = append(sizes, n)
	}
	border := (shardStarts + width) * 51 / 50
	for _, d := range []int{-66, -33, -32, 0, 32, 33, 66, 99} {
		sizes = append(sizes, border+d)
	}
	sizes = append(sizes, 2*border, 2*border+66)
	return sizes
}

func TestNoDigestIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes() {
		for _, columns := range []uint32{percent, 0, 1, 1 << 15, 1 << 16, seven, MaxColumns} {
			if n > 1000 && columns != percent {
				break
			}
			digests := random(rng, n)
			r := members(t, columns, digests)
			require.EqualValues(t, n, r.Len())
			for _, d := range digests {
				require.True(t, r.Contains(d), "n = %d, columns %d", n, columns)
			}
			if n == 0 && columns > 0 {
				require.False(t, r.Contains(1))
			}
		}
	}
}

// Geometry: every start has its own and the next segment, and the segments fill
// the words.
func TestEverySegmentIsInTheLayer(t *testing.T) {
	for _, n := range append(sizes(), 1_000_000, 12_345_678) {
		for _, columns := range []uint32{1, 1 << 16, 1<<16 + 1, percent, seven, MaxColumns} {
			for i := range 2 {
				l := newLayer(i, uint64(n), columns)
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

// The words do not depend on the order, on copies, on the number of workers, or
// on whether the digests come as a stream.
func TestTheResultIsTheSameHoweverItIsBuilt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 5, 100, 3000, 70_000, 200_000} {
		digests := random(rng, n)
		want := members(t, percent, digests)
		copies := append(slices.Clone(digests), digests[:n/3]...)
		rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		for workers := 1; workers <= 5; workers += 2 {
			b := Build{Workers: workers}
			list, err := Sort(t.Context(), b, slices.Clone(copies))
			require.NoError(t, err)
			got, err := Members(t.Context(), b, percent, list)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		list := sorted(t, copies)
		got, err := Stream(t.Context(), one, percent, uint64(n), slices.Values(list))
		require.NoError(t, err)
		require.Equal(t, want, got)
		twice, err := Stream(t.Context(), one, percent, uint64(n), doubled(list))
		require.NoError(t, err)
		require.Equal(t, want, twice, "copies in a row")
	}
}

// doubled yields every digest twice.
func doubled(list []hashfam.Digest) iter.Seq[hashfam.Digest] {
	return func(yield func(hashfam.Digest) bool) {
		for _, d := range list {
			if !yield(d) || !yield(d) {
				return
			}
		}
	}
}

func TestStreamsAreChecked(t *testing.T) {
	list := sorted(t, random(rand.New(rand.NewPCG(5, 6)), 200_000))
	stream := func(n int, list []hashfam.Digest) error {
		_, err := Stream(t.Context(), one, percent, uint64(n), slices.Values(list))
		return err
	}
	require.NoError(t, stream(len(list), list))
	require.ErrorIs(t, stream(len(list)-1, list), ErrCount)
	require.ErrorIs(t, stream(len(list)+1, list), ErrCount)
	require.ErrorIs(t, stream(0, list), ErrCount)
	require.ErrorIs(t, stream(1, nil), ErrCount)
	list[1000], list[1001] = list[1001], list[1000]
	require.ErrorIs(t, stream(len(list), list), ErrOrder)
}

func TestValuesAreTheNumbersOfTheLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{0, 1, 2, 10, 1000, 70_000, 150_000} {
		for _, m := range []int{0, 1, 100, 100_000} {
			lists := [][]hashfam.Digest{sorted(t, random(rng, n)), sorted(t, random(rng, m)), sorted(t, random(rng, m/2))}
			r, err := Values(t.Context(), Build{Workers: 2}, 2<<16, lists...)
			require.NoError(t, err)
			require.EqualValues(t, n+m+m/2, r.Len())
			for i, list := range lists {
				for _, d := range list {
					require.EqualValues(t, i, r.Value(d))
				}
			}
		}
	}
}

func TestADigestInTwoListsIsAnError(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	a, b := random(rng, 1000), random(rng, 1000)
	b[0] = a[0]
	_, err := Values(t.Context(), one, 1<<16, sorted(t, a), sorted(t, b))
	require.ErrorIs(t, err, ErrLayers)
}

// If all values are zero, every equation has a solution: none is refused.
func TestRedundantEquationsAreAccepted(t *testing.T) {
	r, err := Values(t.Context(), one, 1<<16, sorted(t, random(rand.New(rand.NewPCG(23, 24)), 10_000)))
	require.NoError(t, err)
	require.Equal(t, 1, r.Layers())
}

// A bucket that is cut after group 13 bumps everything, also what fits: its
// slots stay free for others.
func TestABucketThatIsBumpedLeavesNothing(t *testing.T) {
	for _, full := range []uint64{14, 20} {
		l := newLayer(0, 500, seven)
		digests := make([]hashfam.Digest, 0, 500)
		for i := range uint64(500) {
			start := full*groupStarts + groupStarts/2 // too many
			if i%25 == 0 {
				start = (full+1)*groupStarts + i/25*4 // these fit
			}
			digests = append(digests, unrank(start*(math.MaxUint64/l.starts)+(i+1)<<20))
		}
		r := members(t, seven, digests)
		for _, d := range digests {
			require.True(t, r.Contains(d))
		}
		require.EqualValues(t, allBumped, r.layers[0].threshold(0))
		for _, word := range r.layers[0].words {
			require.Zero(t, word, "group %d", full)
		}
	}
}

// unrank is the inverse of rank.
func unrank(x uint64) hashfam.Digest {
	m := rank(1)
	inverse := m
	for range 6 {
		inverse *= 2 - m*inverse
	}
	return hashfam.Digest(x * inverse)
}

// A radix sort must not go on after the last bit.
func TestEqualDigests(t *testing.T) {
	list := sorted(t, slices.Repeat([]hashfam.Digest{42}, 1<<17))
	require.Equal(t, []hashfam.Digest{42}, list)
}

func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 2, 23, 24, 25, 100, compareKeys, compareKeys + 1, 1000, countKeys - 1, countKeys, countKeys + 1, 300_000} {
		for bits := 1; bits <= 64; bits += 9 {
			digests := random(rng, n)
			for i := range digests { // few distinct ranks, with a common prefix or suffix
				digests[i] = unrank(uint64(digests[i]) >> (64 - bits) << (i % 2 * (64 - bits)))
			}
			want := slices.Clone(digests)
			slices.SortFunc(want, func(a, b hashfam.Digest) int {
				switch {
				case rank(a) < rank(b):
					return -1
				case rank(a) > rank(b):
					return 1
				}
				return 0
			})
			got, err := Sort(t.Context(), Build{Workers: 3}, digests)
			require.NoError(t, err)
			require.Equal(t, slices.Compact(want), got, "n = %d, %d bits", n, bits)
		}
	}
}

func TestBuildsCanBeCanceled(t *testing.T) {
	digests := random(rand.New(rand.NewPCG(13, 14)), 300_000)
	list := sorted(t, digests)
	for _, after := range []int64{0, 1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int64
		b := Build{Workers: 2, Did: func(int) {
			if calls.Add(1) > after {
				cancel()
			}
		}}
		if after == 0 {
			cancel()
		}
		_, err := Sort(ctx, b, slices.Clone(digests))
		require.ErrorIs(t, err, context.Canceled)
		_, err = Members(ctx, b, percent, list)
		require.ErrorIs(t, err, context.Canceled)
		_, err = Stream(ctx, b, percent, uint64(len(list)), slices.Values(list))
		require.ErrorIs(t, err, context.Canceled)
		cancel()
	}
}

// The rate is that of the columns. A ribbon of 10,000 digests or more is
// compared with many others, so the deviation is that of a binomial
// distribution: 5 sigma have a chance below 1e-6.
func TestTheRateIsThatOfTheColumns(t *testing.T) {
	const asks = 100_000
	rng := rand.New(rand.NewPCG(19, 20))
	for _, columns := range []uint32{1 << 14, 1 << 16, 3<<16 + 1<<15, percent, seven, 10 << 16} {
		whole := math.Ceil(float64(columns) / 65536)
		rate := math.Exp2(-whole) * (1 + whole - float64(columns)/65536)
		found, asked := 0, 0
		for range 10 {
			r := members(t, columns, random(rng, 10_000))
			for range asks {
				if r.Contains(hashfam.Digest(rng.Uint64())) {
					found++
				}
			}
			asked += asks
		}
		sigma := math.Sqrt(rate * (1 - rate) / float64(asked))
		got := float64(found) / float64(asked)
		require.InDelta(t, rate, got, 5*sigma+0.01*rate, "columns %d", columns)
		require.LessOrEqual(t, got, rate+5*sigma, "columns %d", columns)
	}
}

var errs = &fault.Maker{Package: "test"}

// payload returns the words of r's payload.
func payload(r *Ribbon) []uint64 { return slices.Concat(r.parts()...) }

func TestParse(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 100, 10_000, 70_000} {
		for _, columns := range []uint32{0, 1, percent, MaxColumns} {
			r := members(t, columns, random(rng, n))
			words := payload(r)
			require.EqualValues(t, 8*len(words), r.PayloadBytes())
			got, rest, err := Parse(columns, uint64(n), r.Layers(), append(words, 1, 2), errs)
			require.NoError(t, err)
			require.Equal(t, []uint64{1, 2}, rest)
			require.Equal(t, r, got)
			require.NoError(t, r.Verify(errs))
			for cut := range min(len(words), 20) {
				_, _, err := Parse(columns, uint64(n), r.Layers(), words[:len(words)-1-cut], errs)
				require.ErrorIs(t, err, hashfam.ErrCorrupt)
			}
		}
	}
}

func TestParseChecksTheNumbers(t *testing.T) {
	words := make([]uint64, 1000)
	for _, c := range []struct {
		columns uint32
		keys    uint64
		layers  int
	}{
		{MaxColumns + 1, 1, 1}, {1 << 16, MaxKeys + 1, 1}, {1 << 16, 1, 0}, {1 << 16, 1, 33}, {1 << 16, 1, -1},
		{0, 1, 1}, {1 << 16, 0, 1}, {1 << 16, MaxKeys, 1}, {MaxColumns, MaxKeys, 32}, {1 << 16, 1, 32}, {math.MaxUint32, math.MaxUint64, math.MaxInt},
	} {
		_, _, err := Parse(c.columns, c.keys, c.layers, words, errs)
		require.ErrorIs(t, err, hashfam.ErrCorrupt, fmt.Sprint(c))
	}
	words[0] = 101 // more digests in the second layer than in the first
	_, _, err := Parse(1<<16, 100, 2, words, errs)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	words[0] = 100
	r, _, err := Parse(1<<16, 100, 2, words, errs)
	require.NoError(t, err)
	r.layers[1].thresholds[0] = 1 << 63
	require.ErrorIs(t, r.Verify(errs), hashfam.ErrCorrupt)
}

// Any words are a ribbon: queries of arbitrary ones end, and do not panic.
func FuzzAnyWordsAreARibbon(f *testing.F) {
	f.Add(uint32(percent), uint16(1000), uint8(3), uint64(1))
	f.Fuzz(func(t *testing.T, columns uint32, keys uint16, layers uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		words := make([]uint64, 100_000)
		for i := range words {
			words[i] = rng.Uint64()
		}
		for i := range int(layers % 33) {
			words[i] = 1 + rng.Uint64N(uint64(keys)+1)
		}
		slices.SortFunc(words[:layers%33], func(a, b uint64) int { return int(b) - int(a) })
		r, _, err := Parse(columns%(MaxColumns+1), uint64(keys), int(layers%33), words, errs)
		if err != nil {
			return
		}
		for range 1000 {
			d := hashfam.Digest(rng.Uint64())
			r.Contains(d)
			r.Value(d)
		}
	})
}

// A layer after the first has between one digest and as many as the first, so
// the payload is between the bounds.
func TestPayloadsAreWithinTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.Uint32Range(1, MaxColumns).Draw(t, "columns")
		keys := rapid.OneOf(rapid.Uint64Range(1, 300_000), rapid.Uint64Range(1, MaxKeys)).Draw(t, "keys")
		layers := rapid.IntRange(1, MaxLayers).Draw(t, "layers")
		least, most := Bounds(columns, keys, layers)
		size := func(bumped uint64) uint64 {
			first, other := newLayer(0, keys, columns), newLayer(1, bumped, columns)
			return 8 * (first.size() + uint64(layers-1)*(1+other.size()))
		}
		bumped := rapid.Uint64Range(1, keys).Draw(t, "bumped")
		require.LessOrEqual(t, least, size(bumped))
		require.GreaterOrEqual(t, most, size(bumped))
		require.Equal(t, least, size(1))
		require.Equal(t, most, size(keys)+8*uint64(layers-1))
	})
	least, most := Bounds(1<<16, 0, 0)
	require.Zero(t, least+most)
}

// Layers grow with their digests, except by a word.
func TestALayerOfFewerDigestsIsAtMostAWordLarger(t *testing.T) {
	drops := 0
	for _, columns := range []uint32{1, 6554, 1 << 15, 1<<16 - 1, 1 << 16, 1<<16 + 1, percent, MaxColumns - 1} {
		largest := uint64(0)
		for keys := uint64(1); keys < 150_000; keys += 20 { // segments are of 60.8
			l := newLayer(1, keys, columns)
			require.GreaterOrEqual(t, l.size()+1, largest, "%d columns, %d keys", columns, keys)
			if l.size() < largest {
				drops++
			}
			largest = max(largest, l.size())
		}
	}
	require.Positive(t, drops, "the word is needed")
}
