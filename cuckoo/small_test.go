package cuckoo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for name, sorted := range map[string]bool{"plain": false, "compact": true} {
		t.Run(name, func(t *testing.T) {
			conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Compact: sorted, Family: fam})
				require.NoError(t, err)
				for _, d := range keys {
					require.NoError(t, f.AddDigest(d))
				}
				return conformance.Small{Contains: f.ContainsDigest, Rate: f.Params().RateAt(n)}
			})
		})
	}
}
