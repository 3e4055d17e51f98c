package bloom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
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
