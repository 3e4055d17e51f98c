package bloom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A rate test builds many filters, each under a family of its own, and queries
// absent keys. The filters are independent, so the mean of their rates has a
// standard error of sd/sqrt(filters). By the normal law a correct program is
// off by more than six standard errors with probability below 2e-9, and the
// tests here make fewer than a hundred such comparisons.
const sigmas = 6

// measure fills filters with the given parameters with n keys each and returns
// their mean false-positive rate and its standard error.
func measure(t *testing.T, p Params, n uint64, filters, queries int) (rate, stderr float64) {
	t.Helper()
	sum, squares := 0.0, 0.0
	for i := range filters {
		p.Family = hashfam.Family{}.Derive(fmt.Sprint("rate ", i))
		f := mustNew(t, p)
		digests := sums(f, n)
		f.AddAll(digests)
		require.False(t, slices.Contains(f.ContainsAll(nil, digests), false), "lost a key")
		r := shareFound(f, uint64(queries))
		sum += r
		squares += r * r
	}
	m := float64(filters)
	rate = sum / m
	variance := max(squares/m-rate*rate, p.RateAt(n)/float64(queries))
	return rate, math.Sqrt(variance / m)
}

func TestMeasuredRateIsAtMostTheConfiguredRate(t *testing.T) {
	for _, layout := range layouts {
		for _, want := range []float64{0.03, 0.01, 0.001, 0.0001, 0.00001} {
			for _, n := range []uint64{10, 100, 1000, 100_000} {
				requireRate(t, Config{Capacity: n, FPRate: want, Layout: layout}, 600_000)
			}
		}
	}
}

// requireRate measures the rate of full filters with at most maxQueries queries
// in total. It must be at most c.FPRate, and equal to the RateAt of the Params.
func requireRate(t *testing.T, c Config, maxQueries float64) {
	t.Helper()
	n, want := c.Capacity, c.FPRate
	// Up to 2,000 expected hits: 6 sigmas are then 14 %.
	queries := int(min(2000/want, maxQueries))
	filters := max(1, int(min(1000, 2000/want/float64(queries), 4e5/float64(n))), min(200, int(20_000/n)))
	if testing.Short() {
		filters, queries = max(1, filters/10), queries/10
	}
	p, err := c.Params()
	require.NoError(t, err)
	queries = max(queries/filters, 1000)
	rate, stderr := measure(t, p, n, filters, queries)
	// Few filters do not show the variance of the fill ratio. Allow for it: its
	// relative standard deviation is at most 1/sqrt(bits), once per hash.
	if filters < 10 {
		stderr = math.Hypot(stderr, want*float64(p.Hashes)/math.Sqrt(float64(p.Bits)))
	}
	t.Logf("%v, want %g, n = %d: %.4g, %.3f of it", c.Layout, want, n, rate, rate/want)
	require.LessOrEqual(t, rate, want+sigmas*stderr, "%v, %g, n = %d", c.Layout, want, n)
	require.InDelta(t, p.RateAt(n), rate, sigmas*stderr, "%v, %g, n = %d", c.Layout, want, n)
}

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Layout: layout, Family: fam})
				require.NoError(t, err)
				f.AddAll(keys)
				return checks.Rated{Contains: f.ContainsAll, Rate: f.Params().RateAt(n)}
			})
		})
	}
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if checks.Long(t, 1, 0.3) {
		n = 100_000_000
	}
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(t, err)
			add := func(keys []hashfam.Digest) error { f.AddAll(keys); return nil }
			checks.LargeSet(t, n, add, checks.Rated{Contains: f.ContainsAll, Rate: f.Params().RateAt(n)})
		})
	}
}

// A filter that holds one shard has the same rate as any filter. Hits are
// binomial, and the relative standard deviation of the fill ratio is below
// 1/sqrt(bits). A correct program is off by more than six standard deviations
// with probability below 2e-9, and there are fifteen comparisons.
func TestShardingDoesNotChangeTheRate(t *testing.T) {
	const n, queries = 20_000, 400_000
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
			t.Logf("%v, %s: %.4f %%", layout, s.Name, 100*float64(hits)/queries)
			require.InDelta(t, want, float64(hits)/queries, sigmas*stderr, "%v, %s", layout, s.Name)
		}
	}
}

func TestCapacityAtInvertsRateAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, hashfam.Family{})
		if rapid.Bool().Draw(t, "large") {
			c := Config{
				Capacity: uint64(math.Exp(rapid.Float64Range(0, math.Log(mostKeys)).Draw(t, "ln n"))),
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
	require.Zero(t, p.CapacityAt(0))
	require.Zero(t, p.CapacityAt(-1))
	require.Zero(t, p.CapacityAt(math.NaN()))
	require.Zero(t, p.CapacityAt(math.Inf(-1)))
	require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(1))
	require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(math.Inf(1)))
	require.Zero(t, Params{}.CapacityAt(0.5))
}

// In a classic filter, a digest that is a member's times a small power of the
// multiplier has most of the member's positions. This test queries the positive
// powers in a half-full filter. Those found, twice to count the negative powers
// as well, plus one for the member itself, make up the factor that RateAt
// applies to n/2^64.
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
	found := 0.0
	for _, x := range members {
		for s, d := 1, x*multiplier; s < p.Hashes; s, d = s+1, d*multiplier {
			if f.ContainsDigest(hashfam.Digest(d)) {
				found += 2.0 / n // as many before the member as after it
			}
		}
	}
	added := sizing.ClassicDigestRate(p.Bits, p.Hashes, n) / sizing.DigestRate(n)
	t.Logf("%.3f digests found per member, %.3f by the formula", 1+found, added)
	// Half of the digests after a member's are found. The standard deviation is
	// about 1/sqrt(n) each; 6 of them are below 0.1.
	require.InDelta(t, added, 1+found, 0.1)
	require.InDelta(t, 3, added, 0.1)

	// Near the floor, Params takes it into account or returns an error.
	for _, floors := range []float64{0.9, 1, 1.05, 1.5, 2.9, 3.1, 10} {
		c := Config{Capacity: 1e6, FPRate: floors * 1e6 / (1 << 64)}
		p, err := c.Params()
		if floors <= 1 {
			require.ErrorIs(t, err, ErrParams)
			continue
		}
		require.NoError(t, err, "%g times n/2^64", floors)
		require.LessOrEqual(t, p.RateAt(c.Capacity), c.FPRate)
		require.GreaterOrEqual(t, p.RateAt(c.Capacity), sizing.ClassicDigestRate(p.Bits, p.Hashes, c.Capacity))
	}
}

// Sums of chances may round up, but no rate is above 1. So CapacityAt(1) is any
// number.
func TestRatesAreAtMostOne(t *testing.T) {
	for _, layout := range []Layout{Classic, Partitioned, Blocked} {
		for _, k := range []int{1, 7, 14, 30, 255} {
			for size := 12; size < 48; size += 12 {
				p := Params{Bits: 1 << size, Hashes: k, Layout: layout}
				if layout == Partitioned {
					p.Bits -= p.Bits % uint64(k)
				}
				if p.check(ErrParams) != nil { // too large for 32 bits
					continue
				}
				for n := p.Bits / 64; n < 4*p.Bits; n *= 2 {
					rate := p.RateAt(n)
					require.True(t, rate >= 0 && rate <= 1, "%v: %g at %d", p, rate, n)
				}
				require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(1), "%v", p)
			}
		}
	}
}

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
