package conformance

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A Small is a structure that holds a few keys of one family.
type Small struct {
	Contains func(hashfam.Digest) bool
	Rate     float64 // the false-positive rate: exact, over all families
}

// SmallSets builds structures of 0 to 100 keys under thousands of families, for
// each number of keys. No key is lost, and the mean rate of the absent keys is
// the exact one. Structures are independent, so a correct program is more than
// seven standard errors of the mean off with probability below 1e-10, and there
// are at most 101 means.
func SmallSets(t *testing.T, fresh func(fam hashfam.Family, keys []hashfam.Digest) Small) {
	const queries = 1000
	families, step := 100, 9
	switch {
	case testing.Short():
		families = 20
	case Long(t, 0.25, 0.1):
		families, step = 3000, 1
	}
	r := rand.NewChaCha8([32]byte{3, 100})
	for n := 0; n <= 100; n += max(1, min(step, n)) {
		var sum, squares, exact float64
		for range families {
			rate, want := smallRate(t, r, n, queries, fresh)
			sum, squares, exact = sum+rate, squares+rate*rate, exact+want
		}
		k := float64(families)
		mean, want := sum/k, exact/k
		// Few hits say little about the variance. Queries alone have this.
		variance := max(squares/k-mean*mean, want*(1-want)/queries)
		t.Logf("%d keys: rate %.5f, exact %.5f", n, mean, want)
		require.InDelta(t, want, mean, 7*math.Sqrt(variance/k), "%d keys", n)
	}
}

// smallRate returns the share of absent keys that a structure of n keys of a
// random family contains, and its exact rate.
func smallRate(t *testing.T, r *rand.ChaCha8, n int, queries uint64, fresh func(hashfam.Family, []hashfam.Digest) Small) (rate, exact float64) {
	var key hashfam.Key
	r.Read(key[:])
	fam, keys := hashfam.New(key), make([]hashfam.Digest, n)
	for i := range keys {
		keys[i] = fam.SumUint64(uint64(i))
	}
	s := fresh(fam, keys)
	for i, d := range keys {
		require.True(t, s.Contains(d), "lost key %d of %d, family %v", i, n, fam)
	}
	hits := 0
	for q := range queries {
		if s.Contains(fam.SumUint64(1<<40 | q)) {
			hits++
		}
	}
	return float64(hits) / float64(queries), s.Rate
}
