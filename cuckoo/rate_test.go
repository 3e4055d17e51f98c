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

// Hits are binomial, because the rates of filters vary little. The pairs of
// buckets in use vary by the square root of their number at most. A correct
// program is more than six standard deviations off with probability below 2e-9,
// and there are fewer than a hundred comparisons.
func requireRate(t *testing.T, want float64, hits, queries, keys int) {
	t.Helper()
	n, rate := float64(queries), float64(hits)/float64(queries)
	t.Logf("measured %.3g, expected %.3g", rate, want)
	require.InDelta(t, want, rate, 6*math.Sqrt(want/n+want*want/float64(keys)))
}

func TestRateAtIsExact(t *testing.T) {
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
				p := plan(t, Config{Capacity: n, FPRate: want, Compact: sorted})
				hits, queried := 0, 0
				for i := range filters {
					p.Family = hashfam.Family{}.Derive(fmt.Sprint("rate ", i))
					f := mustNew(t, p)
					_, err := f.AddAll(digestsOf(f, 0, n))
					require.NoError(t, err)
					for _, found := range f.ContainsAll(nil, digestsOf(f, 1<<40, uint64(queries/filters))) {
						if found {
							hits++
						}
						queried++
					}
				}
				requireRate(t, p.RateAt(n), hits, queried, filters*int(n))
			}
		}
	}
}

// digestsOf returns the digests of n successive numbers using f's family.
func digestsOf(f *Filter, first, n uint64) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for k := range digests {
		digests[k] = f.Family().SumUint64(first + uint64(k))
	}
	return digests
}

// Filters that get only a single shard's keys have the same capacity and rate.
func TestShardsHaveSameCapacityAndRate(t *testing.T) {
	const queries = 400_000
	for _, sorted := range []bool{false, true} {
		for _, s := range checks.Shardings() {
			p := plan(t, Config{Capacity: 20_000, FPRate: 0.01, Compact: sorted})
			f, r, hits := mustNew(t, p), rand.New(rand.NewPCG(11, p.Buckets)), 0
			for range p.Capacity() {
				require.NoError(t, f.AddDigest(s.Draw(r)), s.Name)
			}
			for range queries {
				if f.ContainsDigest(s.Draw(r)) {
					hits++
				}
			}
			requireRate(t, p.RateAt(p.Capacity()), hits, queries, int(p.Capacity()))
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
