package perfect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestLargeFiltersHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if conformance.Long(t, 3, 4) {
		n = 100_000_000
	}
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Family{}.SumUint64(uint64(i))
	}
	f, err := NewFilterFromDigests(FilterConfig{FPRate: 0.01}, digests)
	require.NoError(t, err)
	add := func([]uint64) error { return nil }
	conformance.LargeSet(t, n, conformance.Large{Add: add, Contains: f.ContainsAllUint64, Rate: f.FalsePositiveRate()})
}
