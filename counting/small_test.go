package counting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Every key is added twice and deleted once.
func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for _, layout := range []Layout{Classic, Blocked} {
		t.Run(layout.String(), func(t *testing.T) {
			conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Layout: layout, Family: fam})
				require.NoError(t, err)
				f.AddAllDigests(keys)
				f.AddAllDigests(keys)
				for _, d := range keys {
					require.True(t, f.DeleteDigest(d))
				}
				return conformance.Small{Contains: f.ContainsDigest, Rate: f.Params().RateAt(n)}
			})
		})
	}
}
