package cuckoo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// A filter has room for Capacity keys, and has the rate RateAt then. Families
// are fixed, so the test has the same result in every run.
func TestCapacityIsReachedAndRateIsExact(t *testing.T) {
	long := checks.Long(t, 13, 0.1)
	for _, n := range []uint64{
		1, 7, 8, 9, 10, 33, 100, 1000, 1030, 10_000, 65_537, 100_000, 1_000_000, 1_050_000, 1_500_000, 10_000_000,
	} {
		for _, rate := range []float64{0.4, 0.03, 0.01, 0.001, 0.0001, 1e-6} {
			for _, sorted := range []bool{false, true} {
				families, queries, usual := uint64(5), uint64(100_000), rate == 0.01 && !sorted
				if n <= 1030 || long && n <= 100_000 {
					families = 50
				}
				if long {
					queries = 20_000_000
				} else if n > 100_000 || n > 10_000 && !usual || testing.Short() && n > 1030 {
					continue
				}
				p, hits := plan(t, Config{Capacity: n, FPRate: rate, Compact: sorted}), 0
				for i := range families {
					p.Family = hashfam.Family{}.Derive(fmt.Sprint("capacity ", i))
					f := mustNew(t, p)
					digests := digestsOf(f, 0, n)
					added, err := f.AddAll(digests)
					require.NoError(t, err, "%v: %d of %d keys", f, added, n)
					require.False(t, slices.Contains(f.ContainsAll(nil, digests), false), "%v lost a key", f)
					for _, found := range f.ContainsAll(nil, digestsOf(f, 1<<40, queries/families)) {
						if found {
							hits++
						}
					}
				}
				requireRate(t, p.RateAt(n), hits, queries, families*n)
			}
		}
	}
}

// plan returns the parameters for c and checks them.
func plan(t *testing.T, c Config) Params {
	p, err := c.Params()
	require.NoError(t, err)
	require.NoError(t, p.check(hashfam.ErrParams))
	require.GreaterOrEqual(t, p.CapacityAt(1), c.Capacity)
	require.LessOrEqual(t, p.RateAt(c.Capacity), c.FPRate)
	return p
}

// digestsOf returns the digests of n successive numbers using f's family.
func digestsOf(f *Filter, first, n uint64) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for k := range digests {
		digests[k] = f.Family().SumUint64(first + uint64(k))
	}
	return digests
}

// Hits are binomial, because the rates of filters vary little. The pairs of
// buckets in use vary by the square root of their number at most. A correct
// program is more than six standard deviations and eight hits off with
// probability below 2e-9, and there are fewer than 200 comparisons.
func requireRate(t *testing.T, want float64, hits int, queries, keys uint64) {
	t.Helper()
	n, rate := float64(queries), float64(hits)/float64(queries)
	t.Logf("measured %.3g, expected %.3g", rate, want)
	require.InDelta(t, want, rate, 6*math.Sqrt(want/n+want*want/float64(keys))+8/n)
}

// The larger sizes need 1.3 GB for 10^9 keys, possibly twice.
func TestFiltersOfManyKeysReachTheirCapacity(t *testing.T) {
	sizes := []uint64{50_000}
	if checks.Long(t, 1, 0.3) {
		sizes = []uint64{100_000_000}
	}
	if checks.Long(t, 9, 2.5) {
		sizes = append(sizes, 1_000_000_000)
	}
	for _, n := range sizes {
		for _, sorted := range []bool{false, true} {
			p := plan(t, Config{Capacity: n, FPRate: 0.01, Compact: sorted})
			f := mustNew(t, p)
			add := func(keys []hashfam.Digest) error { _, err := f.AddAll(keys); return err }
			checks.LargeSet(t, n, add, checks.Rated{Contains: f.ContainsAll, Rate: p.RateAt(n)})
			require.Equal(t, n, f.Len())
		}
	}
}

// Filters that get only a single shard's keys have the same capacity and rate.
func TestShardsHaveSameCapacityAndRate(t *testing.T) {
	const queries = 100_000
	for _, sorted := range []bool{false, true} {
		for _, s := range checks.Shardings() {
			p := plan(t, Config{Capacity: 20_000, FPRate: 0.01, Compact: sorted})
			f, r, hits := mustNew(t, p), rand.New(rand.NewPCG(11, p.Buckets)), 0
			for range p.CapacityAt(1) {
				require.NoError(t, f.AddDigest(s.Draw(r)), s.Name)
			}
			for range queries {
				if f.ContainsDigest(s.Draw(r)) {
					hits++
				}
			}
			requireRate(t, p.RateAt(p.CapacityAt(1)), hits, queries, p.CapacityAt(1))
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

// If every key has several copies, Add fails below Capacity.
func TestCopiesReduceCapacity(t *testing.T) {
	const n = 200_000
	reached := make([]any, 0, 4)
	for copies := 2; copies <= 5; copies++ {
		least := n
		for i := range 5 {
			fam := hashfam.Family{}.Derive(fmt.Sprint("copies ", i))
			f := hashfam.Must(New(Config{Capacity: n, FPRate: 0.01, Compact: true, Family: fam}))
			least = min(least, room(f, copies))
		}
		reached = append(reached, math.Floor(100*float64(least)/n))
	}
	checks.Documented(t, "choosing.md", "if every key has 2, 3, 4 or 5 copies, Add fails at %v%%, %v%%, %v%% or %v%% of Capacity", reached...)
}

// room adds keys with this number of copies until Add fails, and returns how
// often it succeeded.
func room(f *Filter, copies int) int {
	for added := 0; ; added++ {
		if f.AddDigest(f.Family().SumUint64(uint64(added/copies))) != nil {
			return added
		}
	}
}
