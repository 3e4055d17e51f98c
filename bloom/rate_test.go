package bloom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
	"github.com/filterfam/filterfam/internal/sizing/oracle"
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
	keys := make([]uint64, n)
	digests := rand.New(rand.NewPCG(1, p.Bits))
	for i := range filters {
		p.Family = hashfam.Family{}.Derive(fmt.Sprint("rate ", i))
		f, err := NewFromParams(p)
		require.NoError(t, err)
		for j := range keys {
			keys[j] = digests.Uint64() >> 1
			f.AddDigest(p.Family.SumUint64(keys[j]))
		}
		hits := 0
		for j := range queries {
			absent := uint64(j) | 1<<63
			if f.ContainsDigest(p.Family.SumUint64(absent)) {
				hits++
			}
		}
		for _, key := range keys {
			if !f.ContainsDigest(p.Family.SumUint64(key)) {
				t.Fatalf("lost key %x", key)
			}
		}
		r := float64(hits) / float64(queries)
		sum += r
		squares += r * r
	}
	m := float64(filters)
	rate = sum / m
	variance := max(squares/m-rate*rate, p.RateAt(n)/float64(queries))
	return rate, math.Sqrt(variance / m)
}

func TestSmallFiltersHaveTheExactRate(t *testing.T) {
	for _, c := range []struct {
		m uint64
		k int
		n uint64
	}{{64, 4, 8}, {100, 7, 10}, {256, 7, 26}, {1024, 7, 106}, {4096, 10, 284}} {
		filters := 4000
		if testing.Short() {
			filters = 400
		}
		rate, stderr := measure(t, Params{Bits: c.m, Hashes: c.k}, c.n, filters, 2000)
		want := oracle.ExactRate(c.m, c.k, c.n)
		t.Logf("m = %d, k = %d, n = %d: measured %.4f %%, exact %.4f %%, ratio %.4f +- %.4f",
			c.m, c.k, c.n, 100*rate, 100*want, rate/want, stderr/want)
		require.InDelta(t, want, rate, sigmas*stderr)
	}
}

func TestMeasuredRateIsAtMostTheConfiguredRate(t *testing.T) {
	for _, layout := range layouts {
		for _, want := range []float64{0.03, 0.01, 0.001, 0.0001, 0.00001} {
			for _, n := range []uint64{10, 100, 1000, 100_000} {
				requireRate(t, Config{Capacity: n, FPRate: want, Layout: layout}, 2_000_000)
			}
		}
	}
}

func TestMeasuredRateOfLargeFiltersIsAtMostTheConfiguredRate(t *testing.T) {
	if testing.Short() {
		t.Skip("fills filters of 1,000,000 keys, and of 10,000,000 if FILTERFAM_LONG is set")
	}
	long := conformance.Long(t, 2, 0.5)
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			t.Parallel()
			if !long {
				requireRate(t, Config{Capacity: 1_000_000, FPRate: 0.001, Layout: layout}, 5_000_000)
				return
			}
			for _, want := range []float64{0.03, 0.001, 0.00001} {
				requireRate(t, Config{Capacity: 1_000_000, FPRate: want, Layout: layout}, 20_000_000)
			}
			for _, want := range []float64{0.03, 0.00001} {
				requireRate(t, Config{Capacity: 10_000_000, FPRate: want, Layout: layout}, 20_000_000)
			}
		})
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
			conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Layout: layout, Family: fam})
				require.NoError(t, err)
				f.AddAll(keys)
				return conformance.Small{Contains: f.ContainsDigest, Rate: f.Params().RateAt(n)}
			})
		})
	}
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if conformance.Long(t, 1, 0.3) {
		n = 100_000_000
	}
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(t, err)
			add := func(keys []hashfam.Digest) error { f.AddAll(keys); return nil }
			conformance.LargeSet(t, n, conformance.Large{Add: add, Contains: f.ContainsAll, Rate: f.Params().RateAt(n)})
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
		for _, s := range conformance.Shardings() {
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
		p := drawParams(t)
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
