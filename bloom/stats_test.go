package bloom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
)

// The filters have between 0 and 100 keys, and different numbers of hashes.
func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			planned, p, rate := -1, Params{}, 0.0 // for a number of keys
			checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
				if n := uint64(len(keys)); planned != len(keys) {
					c := Config{Capacity: max(1, n), FPRate: []float64{0.03, 0.003}[n%2], Layout: layout}
					var err error
					p, err = c.Params()
					require.NoError(t, err)
					planned, rate = len(keys), p.RateAt(n)
					require.LessOrEqual(t, rate, c.FPRate)
				}
				p.Family = fam
				f := mustNew(t, p)
				f.AddAll(keys)
				return checks.Rated{Contains: f.ContainsAll, Rate: rate}
			})
		})
	}
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := uint64(100_000)
	if checks.Long(t, 1.5, 0.3) {
		n = 100_000_000
	}
	for _, layout := range layouts {
		for _, want := range []float64{0.03, 0.003} {
			t.Run(fmt.Sprint(layout, want), func(t *testing.T) {
				f, err := New(Config{Capacity: n, FPRate: want, Layout: layout})
				require.NoError(t, err)
				add := func(keys []hashfam.Digest) error { f.AddAll(keys); return nil }
				rate := f.Params().RateAt(n)
				require.LessOrEqual(t, rate, want)
				checks.LargeSet(t, n, add, checks.Rated{Contains: f.ContainsAll, Rate: rate})
			})
		}
	}
}

// A filter that contains a single shard has the same rate as any other. Hits
// are binomial, and the relative standard deviation of the fill ratio is below
// 1/sqrt(bits).
func TestShardingDoesNotChangeTheRate(t *testing.T) {
	const n, queries = 20_000, 200_000
	for _, layout := range layouts {
		for _, s := range checks.Shardings() {
			p, err := Config{Capacity: n, FPRate: 0.01, Layout: layout}.Params()
			require.NoError(t, err)
			f, r := mustNew(t, p), rand.New(rand.NewPCG(11, uint64(layout)))
			for range n {
				f.AddDigest(s.Draw(r))
			}
			hits := 0
			for range queries {
				if f.ContainsDigest(s.Draw(r)) {
					hits++
				}
			}
			want := p.RateAt(n)
			stderr := math.Hypot(math.Sqrt(want/queries), want*float64(p.Hashes)/math.Sqrt(float64(p.Bits)))
			require.InDelta(t, want, float64(hits)/queries, 6*stderr, "%v, %s", layout, s.Name)
		}
	}
}

func TestCapacityAtInvertsRateAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, hashfam.Family{})
		if rapid.Bool().Draw(t, "large") {
			c := Config{
				Capacity: uint64(math.Exp(rapid.Float64Range(0, math.Log(1e9)).Draw(t, "ln n"))),
				FPRate:   math.Exp(rapid.Float64Range(math.Log(1e-6), math.Log(0.5)).Draw(t, "ln rate")),
				Layout:   p.Layout,
			}
			var err error
			p, err = c.Params()
			require.NoError(t, err)
			require.GreaterOrEqual(t, p.CapacityAt(c.FPRate), c.Capacity)
		}
		rate := math.Exp(rapid.Float64Range(math.Log(1e-7), math.Log(0.99)).Draw(t, "ln asked"))
		n := p.CapacityAt(rate)
		require.LessOrEqual(t, p.RateAt(n), rate)
		require.Greater(t, p.RateAt(n+1), rate)
	})
	p := Params{Bits: 1024, Hashes: 7}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		require.Zero(t, p.CapacityAt(rate))
	}
	require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(1))
	require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(math.Inf(1)))
	require.Zero(t, Params{}.CapacityAt(0.5))
}

// In a Classic filter, a digest that is a member's digest times a small power
// of the multiplier has most of the member's positions. This test queries the
// positive powers in a half-full filter. The number found, twice to count the
// negative powers as well, plus one for the member itself, is the factor that
// RateAt applies to n/2^64.
func TestRateAtCountsDigestsNearAMember(t *testing.T) {
	const multiplier, n = 0xD1342543DE82EF95, 50_000
	p, err := Config{Capacity: n, FPRate: 0.001}.Params()
	require.NoError(t, err)
	f, r := mustNew(t, p), rand.New(rand.NewPCG(1, 2))
	members := make([]uint64, n)
	for i := range members {
		members[i] = r.Uint64()
		f.AddDigest(hashfam.Digest(members[i]))
	}
	hits := 0.0
	for _, x := range members {
		for s, d := 1, x*multiplier; s < p.Hashes; s, d = s+1, d*multiplier {
			if f.ContainsDigest(hashfam.Digest(d)) {
				hits += 2.0 / n
			}
		}
	}
	factor := sizing.ClassicDigestRate(p.Bits, p.Hashes, n) / sizing.DigestRate(n)
	// The standard deviation is about 1/sqrt(n) for each power.
	require.InDelta(t, factor, 1+hits, 0.1)
	require.InDelta(t, 3, factor, 0.1)
}

// Sums of probabilities may round up, but no rate exceeds 1.
func TestRatesDoNotExceedOne(t *testing.T) {
	for _, layout := range layouts {
		for _, k := range []int{1, 14, 255} {
			for size := 12; size <= 36; size += 24 {
				p := Params{Bits: 1 << size, Hashes: k, Layout: layout}
				p.Bits -= p.Bits % p.unit()
				for n := p.Bits / 64; n < 4*p.Bits; n *= 4 {
					rate := p.RateAt(n)
					require.True(t, rate >= 0 && rate <= 1, "%v: %g at %d", p, rate, n)
				}
				require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(1), "%v", p)
			}
		}
	}
}

// The sets have 30,000 and 20,000 keys, 10,000 of them in common. At fill ratio
// 1/2 and k = 7 the standard error of an estimated size is below 0.2% of this
// size, and six of these on each of three terms are a tenth of the
// intersection.
func TestEstimatesOfSetsUnionsAndSimilarity(t *testing.T) {
	for _, layout := range layouts {
		p, err := Config{Capacity: 50_000, FPRate: 0.01, Layout: layout}.Params()
		require.NoError(t, err)
		a, b := mustNew(t, p), mustNew(t, p)
		digests := sums(a, 40_000)
		a.AddAll(digests[:30_000])
		b.AddAll(digests[20_000:])
		jaccard, err := a.Jaccard(b)
		require.NoError(t, err)
		require.InDelta(t, 30_000, a.EstimatedLen(), 400)
		require.InDelta(t, 20_000, b.EstimatedLen(), 400)
		require.InDelta(t, 0.25, jaccard, 0.025, "the ratio of set bits is 0.385")
		require.NoError(t, a.Merge(b))
		require.InDelta(t, 40_000, a.EstimatedLen(), 500)
	}
}

func TestStatisticsOfEmptyAndFullFilters(t *testing.T) {
	for _, layout := range layouts {
		p := Params{Bits: 1024, Hashes: 4, Layout: layout}
		empty, full := mustNew(t, p), mustNew(t, p)
		for i := range full.words {
			full.words[i] = ^uint64(0)
		}
		require.Zero(t, empty.EstimatedLen()+empty.FillRatio()+empty.FalsePositiveRate())
		require.True(t, math.IsInf(full.EstimatedLen(), 1))
		require.Equal(t, 1.0, full.FalsePositiveRate())
		same, err := empty.Jaccard(empty)
		require.NoError(t, err)
		require.Equal(t, 1.0, same)
		unknown, err := full.Jaccard(empty)
		require.NoError(t, err)
		require.True(t, math.IsNaN(unknown))
		left, right := full.Clone(), full.Clone() // the union is full
		left.words[0], right.words[1] = 0, 0
		unknown, err = left.Jaccard(right)
		require.NoError(t, err)
		require.True(t, math.IsNaN(unknown), "%v: the Jaccard similarity is %v", layout, unknown)
		for i := range uint64(50) {
			empty.AddDigest(sum(empty, i))
			equal, err := empty.Jaccard(empty.Clone())
			require.NoError(t, err)
			require.Equal(t, 1.0, equal)
		}
	}
}

// In small filters, the estimates differ between layouts.
func TestEstimatesDependOnTheLayout(t *testing.T) {
	want := []float64{sizing.ClassicLen(3584, 7, 50), sizing.PartitionedLen(3584, 7, 50), sizing.BlockedLen(3584, 7, 50)}
	for _, layout := range layouts {
		require.Equal(t, want[layout], Params{Bits: 3584, Hashes: 7, Layout: layout}.estimate(50))
	}
}

func TestFalsePositiveRateOfUnevenSlicesAndLines(t *testing.T) {
	machine.Matters(t)
	f := mustNew(t, Params{Bits: 128, Hashes: 2, Layout: Partitioned})
	f.words[0], f.words[1] = 0xf, 0xff
	require.InEpsilon(t, 4.0/64*8/64, f.FalsePositiveRate(), 1e-12)

	f = mustNew(t, Params{Bits: 1024, Hashes: 2, Layout: Blocked})
	f.words[0] = 1<<16 - 1
	require.InEpsilon(t, 16.0/512*16/512/2, f.FalsePositiveRate(), 1e-12)
}

func TestOnesInRanges(t *testing.T) {
	machine.Matters(t)
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

// If a filter has many more bits than it needs, false positives are keys with
// the digest of a member, or near it in the probe sequence, as in RateAt.
func TestRateIncludesEqualDigests(t *testing.T) {
	for _, layout := range layouts {
		f := mustNew(t, Params{Bits: 1 << 21, Hashes: 8, Layout: layout})
		for i := range uint64(10) {
			f.AddDigest(sum(f, i))
		}
		require.Greater(t, f.FalsePositiveRate(), 5e-19, "10 keys of 2^64")
		require.InEpsilon(t, f.params.RateAt(10), f.FalsePositiveRate(), 0.2)
	}
}
