package bloom

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

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
