package cuckoo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// The rate measured over filters of the exact formula and at full capacity. A
// filter's rate varies little about its mean, so hits are binomial: a correct
// program is more than six standard deviations off with probability below 2e-9,
// and there are less than a hundred comparisons.
const sigmas = 6

func TestMeasuredRateIsExact(t *testing.T) {
	long := checks.Long(t, 3, 0.1)
	for _, want := range []float64{0.03, 0.01, 0.001, 0.0001, 1e-6} {
		for _, n := range []uint64{8, 100, 10_000, 1_000_000} {
			for _, sorted := range []bool{false, true} {
				queries, filters := 400_000, max(1, min(1000, 10_000/int(n)))
				switch {
				case testing.Short() && n > 10_000, !long && n > 10_000 && sorted:
					continue
				case long:
					queries *= 225
				case testing.Short():
					queries /= 2
				}
				p, err := Config{Capacity: n, FPRate: want, Compact: sorted}.Params()
				require.NoError(t, err)
				hits, asked := 0, 0
				for i := range filters {
					p.Family = hashfam.Family{}.Derive(fmt.Sprint("rate ", i))
					f := mustNew(t, p)
					_, err := f.AddAll(digestsOf(f, 0, n))
					require.NoError(t, err)
					for _, found := range f.ContainsAll(nil, digestsOf(f, 1<<40, uint64(queries/filters))) {
						if found {
							hits++
						}
						asked++
					}
				}
				rate, exact := float64(hits)/float64(asked), p.RateAt(n)
				// Filters differ: the pairs that are taken vary as their
				// number, by its root at most, and queries are binomial.
				stderr := math.Sqrt(exact/float64(asked) + exact*exact/float64(n)/float64(filters))
				t.Logf("%g asked, n = %d, %v: measured %.3g, exact %.3g", want, n, p, rate, exact)
				require.LessOrEqual(t, exact, want)
				require.InDelta(t, exact, rate, sigmas*stderr, "%g, n = %d", want, n)
			}
		}
	}
}

// digestsOf returns the digests of n successive numbers under the family of f.
func digestsOf(f *Filter, first, n uint64) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for k := range digests {
		digests[k] = f.Family().SumUint64(first + uint64(k))
	}
	return digests
}

// Filters behind shards hold their Capacity and have the rate of filters
// without. Hits are binomial, and pairs of buckets vary by 1/sqrt(n): a correct
// program is more than six standard deviations off with probability below 2e-9,
// and there are ten comparisons.
func TestCapacityAndRateBehindAShardAreTheSame(t *testing.T) {
	const n, queries = 20_000, 400_000
	for _, sorted := range []bool{false, true} {
		for _, s := range checks.Shardings() {
			p, err := Config{Capacity: n, FPRate: 0.01, Compact: sorted}.Params()
			require.NoError(t, err)
			f, r := mustNew(t, p), rand.New(rand.NewPCG(11, p.Buckets))
			for range p.Capacity() {
				require.NoError(t, f.AddDigest(s.Draw(r)), s.Name)
			}
			hits := 0
			for range queries {
				if f.ContainsDigest(s.Draw(r)) {
					hits++
				}
			}
			want := p.RateAt(p.Capacity())
			stderr := math.Sqrt(want/queries + want*want/n)
			t.Logf("compact %v, %s: %.4f %%", sorted, s.Name, 100*float64(hits)/queries)
			require.InDelta(t, want, float64(hits)/queries, 6*stderr, s.Name)
		}
	}
}

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for name, sorted := range map[string]bool{"plain": false, "compact": true} {
		t.Run(name, func(t *testing.T) {
			checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Compact: sorted, Family: fam})
				require.NoError(t, err)
				for _, d := range keys {
					require.NoError(t, f.AddDigest(d))
				}
				return checks.Rated{Contains: f.ContainsAll, Rate: f.Params().RateAt(n)}
			})
		})
	}
}
