package cuckoo

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// Filters behind shards hold their Capacity and have the rate of filters
// without. Hits are binomial, and pairs of buckets vary by 1/sqrt(n): a correct
// program is more than six standard deviations off with probability below 2e-9,
// and there are ten comparisons.
func TestCapacityAndRateBehindAShardAreTheSame(t *testing.T) {
	const n, queries = 20_000, 400_000
	for _, sorted := range []bool{false, true} {
		for _, s := range conformance.Shardings() {
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
