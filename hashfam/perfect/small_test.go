package perfect

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
		f, err := NewFilterFromDigests(FilterConfig{FPRate: 0.01, Family: fam}, slices.Clone(keys))
		require.NoError(t, err)
		return conformance.Small{Contains: f.ContainsDigest, Rate: f.FalsePositiveRate()}
	})
}
