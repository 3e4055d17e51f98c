package bloom

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/sizing"
)

// The sets have 30,000 and 20,000 keys, 10,000 of them in common. At fill 1/2
// and k = 7 the standard error of an estimated size is below 0.2 % of that
// size, and six of them on each of three terms are a tenth of the intersection.
func TestEstimatesOfSetsUnionsAndSimilarity(t *testing.T) {
	for _, layout := range layouts {
		p, err := Config{Capacity: 50_000, FPRate: 0.01, Layout: layout}.Params()
		require.NoError(t, err)
		a, b := mustNew(t, p), mustNew(t, p)
		for i := range uint64(40_000) {
			d := p.Family.SumUint64(i)
			if i < 30_000 {
				a.AddDigest(d)
			}
			if i >= 20_000 {
				b.AddDigest(d)
			}
		}
		union, err := a.EstimatedUnionLen(b)
		require.NoError(t, err)
		jaccard, err := a.Jaccard(b)
		require.NoError(t, err)
		require.InDelta(t, 30_000, a.EstimatedLen(), 400)
		require.InDelta(t, 20_000, b.EstimatedLen(), 400)
		require.InDelta(t, 40_000, union, 500)
		require.InDelta(t, 0.25, jaccard, 0.025, "the ratio of set bits is 0.385")

		merged := a.Clone()
		require.NoError(t, merged.Merge(b))
		require.Equal(t, union, merged.EstimatedLen())
	}
}

func TestEstimatesOfEmptyAndFullFilters(t *testing.T) {
	for _, layout := range layouts {
		p := Params{Bits: 1024, Hashes: 4, Layout: layout}
		empty, full := mustNew(t, p), mustNew(t, p)
		for i := range full.words {
			full.words[i] = ^uint64(0)
		}
		require.Zero(t, empty.EstimatedLen())
		require.Zero(t, empty.FillRatio())
		require.Zero(t, empty.FalsePositiveRate())
		require.True(t, math.IsInf(full.EstimatedLen(), 1))
		require.Equal(t, 1.0, full.FalsePositiveRate())
		same, err := empty.Jaccard(empty)
		require.NoError(t, err)
		require.Equal(t, 1.0, same)
		unknown, err := full.Jaccard(empty)
		require.NoError(t, err)
		require.True(t, math.IsNaN(unknown))
		none, err := empty.Cosine(full)
		require.NoError(t, err)
		require.Zero(t, none)
		one, err := full.Cosine(full)
		require.NoError(t, err)
		require.Equal(t, 1.0, one)
	}
}

// The estimates of the layouts differ in small filters.
func TestEstimatesAreThoseOfTheLayout(t *testing.T) {
	for layout, want := range map[Layout]float64{
		Classic:     sizing.ClassicLen(70, 7, 50),
		Partitioned: sizing.PartitionedLen(70, 7, 50),
	} {
		require.Equal(t, want, Params{Bits: 70, Hashes: 7, Layout: layout}.estimate(50))
	}
	require.NotEqual(t, sizing.ClassicLen(70, 7, 50), sizing.PartitionedLen(70, 7, 50))
	require.Equal(t, sizing.BlockedLen(1024, 7, 50), Params{Bits: 1024, Hashes: 7, Layout: Blocked}.estimate(50))
}

func TestFalsePositiveRateMatchesTheMeasuredRate(t *testing.T) {
	for _, layout := range layouts {
		f, err := New(Config{Capacity: 20_000, FPRate: 0.02, Layout: layout})
		require.NoError(t, err)
		for i := range uint64(20_000) {
			f.AddDigest(sum(f, i))
		}
		hits, queries := 0, uint64(1_000_000)
		for i := range queries {
			if f.ContainsDigest(sum(f, i|1<<40)) {
				hits++
			}
		}
		rate := f.FalsePositiveRate()
		sd := math.Sqrt(rate * (1 - rate) / float64(queries)) // binomial: the filter is fixed
		require.InDelta(t, rate, float64(hits)/float64(queries), sigmas*sd, "%v", layout)
	}
}

func TestFalsePositiveRateOfUnevenSlicesAndLines(t *testing.T) {
	f := mustNew(t, Params{Bits: 128, Hashes: 2, Layout: Partitioned})
	f.words[0], f.words[1] = 0xf, 0xff
	require.Equal(t, 4.0/64*8/64, f.FalsePositiveRate())

	f = mustNew(t, Params{Bits: 1024, Hashes: 2, Layout: Blocked})
	f.words[0] = 1<<16 - 1
	require.Equal(t, 16.0/512*16/512/2, f.FalsePositiveRate())
}

func TestOnesInCountsTheBitsOfARange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Uint64(), 1, 5).Draw(t, "words")
		end := rapid.IntRange(1, 64*len(words)).Draw(t, "end")
		start := rapid.IntRange(0, end-1).Draw(t, "start")
		want := uint64(0)
		for i := start; i < end; i++ {
			want += words[i/64] >> (i % 64) & 1
		}
		require.Equal(t, want, onesIn(words, uint64(start), uint64(end)))
	})
}

func TestCosineOfEqualFiltersIsOne(t *testing.T) {
	for n := uint64(1); n < 50; n++ {
		f, err := New(Config{Capacity: n, FPRate: 0.4})
		require.NoError(t, err)
		for i := range n {
			f.AddDigest(sum(f, i))
		}
		c, err := f.Cosine(f.Clone())
		require.NoError(t, err)
		require.Equal(t, 1.0, c)
	}
}

// The ones of a union may be more than an int of 32 bits can count.
func TestAUnionOfMoreThanTwoToThe31OnesIsCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 512 MiB")
	}
	f := mustNew(t, Params{Bits: 1<<32 - 64, Hashes: 7})
	for i := range f.words {
		f.words[i] = 0xeeeeeeeeeeeeeeee // three in four
	}
	n, err := f.EstimatedUnionLen(f)
	require.NoError(t, err)
	require.False(t, math.IsInf(n, 1))
	require.InEpsilon(t, f.EstimatedLen(), n, 1e-12)
}
