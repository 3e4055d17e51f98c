package bloom

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Layout: layout, Family: fam})
				require.NoError(t, err)
				f.AddAllDigests(keys)
				return conformance.Small{Contains: f.ContainsDigest, Rate: f.Params().RateAt(n)}
			})
		})
	}
}
