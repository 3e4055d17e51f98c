package conformance

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A Large is a structure that is filled with as many keys as it is for.
type Large struct {
	Add      func(keys []uint64) error
	Contains func(dst []bool, keys []uint64) []bool
	Rate     float64 // the false-positive rate of the full structure: exact
}

// LargeSet adds n keys in batches, finds each of them, and measures the rate of
// absent keys, 40,000,000 at most. A correct program is six standard deviations
// off with probability below 2e-9; the rates of full structures differ from
// their mean by less than one part in the root of n for each of 30 hashes.
func LargeSet(t *testing.T, n uint64, s Large) {
	t.Helper()
	batches(n, func(keys []uint64) { require.NoError(t, s.Add(keys)) })
	lost, hits, queries := uint64(0), uint64(0), min(n, 40_000_000)
	var found []bool
	count := func(keys []uint64, what bool) (number uint64) {
		found = s.Contains(found[:0], keys)
		for _, x := range found {
			if x == what {
				number++
			}
		}
		return number
	}
	batches(n, func(keys []uint64) { lost += count(keys, false) })
	require.Zero(t, lost, "lost keys of %d", n)
	batches(queries, func(keys []uint64) {
		for i := range keys {
			keys[i] |= 1 << 63
		}
		hits += count(keys, true)
	})
	rate, q := float64(hits)/float64(queries), float64(queries)
	t.Logf("%d keys found, measured rate %.6f, exact %.6f", n, rate, s.Rate)
	require.InDelta(t, s.Rate, rate, 6*math.Sqrt(s.Rate/q)+30*s.Rate/math.Sqrt(float64(n)))
}

// batches calls do with the numbers below n in turn, some thousands at a time.
func batches(n uint64, do func(keys []uint64)) {
	keys := make([]uint64, 0, 8192)
	for key := range n {
		if keys = append(keys, key); len(keys) == cap(keys) || key == n-1 {
			do(keys)
			keys = keys[:0]
		}
	}
}
