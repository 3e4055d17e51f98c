package cuckoo

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// A filter has room for Capacity keys. Families are fixed, so the test has the
// same result in every run.
func TestCapacityIsReached(t *testing.T) {
	long := checks.Long(t, 10, 0.1)
	for _, n := range []uint64{
		1, 7, 8, 9, 10, 33, 100, 1000, 1030, 10_000, 65_537, 100_000, 1_000_000, 1_050_000, 1_500_000, 10_000_000,
	} {
		for _, rate := range []float64{0.4, 0.03, 0.01, 0.001, 0.0001, 1e-6} {
			for _, sorted := range []bool{false, true} {
				families, usual := 10, rate == 0.01 && !sorted
				if n <= 1030 || long && n <= 100_000 {
					families = 100
				}
				if !long && (n > 100_000 || n > 10_000 && !usual) || testing.Short() && n > 1030 {
					continue
				}
				p := plan(t, Config{Capacity: n, FPRate: rate, Compact: sorted})
				for i := range families {
					p.Family = hashfam.Family{}.Derive(fmt.Sprint("capacity ", i))
					fillAndFind(t, p, n)
				}
			}
		}
	}
}

// plan returns the parameters for c and checks them.
func plan(t *testing.T, c Config) Params {
	p, err := c.Params()
	require.NoError(t, err)
	require.NoError(t, p.check(ErrParams))
	require.GreaterOrEqual(t, p.Capacity(), c.Capacity)
	require.LessOrEqual(t, p.RateAt(c.Capacity), c.FPRate)
	return p
}

// fillAndFind adds n keys to a filter and looks them up.
func fillAndFind(t *testing.T, p Params, n uint64) {
	f := mustNew(t, p)
	digests := digestsOf(f, 0, n)
	added, err := f.AddAll(digests)
	require.NoError(t, err, "%v: %d of %d keys", f, added, n)
	require.False(t, slices.Contains(f.ContainsAll(nil, digests), false), "%v lost a key", f)
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
