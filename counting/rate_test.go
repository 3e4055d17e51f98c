package counting

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// A filter that holds one shard has the same rate as any filter. Hits are
// binomial, and the relative standard deviation of the fill ratio is below
// 1/sqrt(counters). A correct program is off by more than six standard
// deviations with probability below 2e-9, and there are ten comparisons.
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
			stderr := math.Hypot(math.Sqrt(want/queries), want*float64(p.Hashes)/math.Sqrt(float64(p.Counters)))
			t.Logf("%v, %s: %.4f %%", layout, s.Name, 100*float64(hits)/queries)
			require.InDelta(t, want, float64(hits)/queries, 6*stderr, "%v, %s", layout, s.Name)
		}
	}
}

// Every key is added twice and deleted once.
func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Layout: layout, Family: fam})
				require.NoError(t, err)
				f.AddAll(keys)
				f.AddAll(keys)
				require.EqualValues(t, n, f.DeleteAll(keys))
				return conformance.Small{Contains: f.ContainsDigest, Rate: f.Params().RateAt(n)}
			})
		})
	}
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if conformance.Long(t, 3, 1.2) {
		n = 100_000_000
	}
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(t, err)
			var digests []hashfam.Digest
			conformance.LargeSet(t, n, conformance.Large{
				Add: func(keys []uint64) error {
					digests = f.Family().SumAllUint64(digests[:0], keys)
					f.AddAll(digests)
					return nil
				},
				Contains: func(dst []bool, keys []uint64) []bool {
					digests = f.Family().SumAllUint64(digests[:0], keys)
					return f.ContainsAll(dst, digests)
				},
				Rate: f.Params().RateAt(n),
			})
		})
	}
}
