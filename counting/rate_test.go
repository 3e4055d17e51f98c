package counting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// Every key is added twice and deleted once.
func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Layout: layout, Family: fam})
				require.NoError(t, err)
				f.AddAll(keys)
				f.AddAll(keys)
				require.EqualValues(t, n, f.DeleteAll(keys))
				return checks.Rated{Contains: f.ContainsAll, Rate: f.Params().RateAt(n)}
			})
		})
	}
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if checks.Long(t, 3, 1.2) {
		n = 100_000_000
	}
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(t, err)
			add := func(keys []hashfam.Digest) error { f.AddAll(keys); return nil }
			checks.LargeSet(t, n, add, checks.Rated{Contains: f.ContainsAll, Rate: f.Params().RateAt(n)})
		})
	}
}
