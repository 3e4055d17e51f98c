package static

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
		f := mustBuild(t, Config{FPRate: 0.01, Family: fam}, keys)
		return conformance.Small{Contains: f.ContainsDigest, Rate: f.FalsePositiveRate()}
	})
}
