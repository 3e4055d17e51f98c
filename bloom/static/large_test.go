package static

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestLargeFiltersHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if conformance.Long(t, 2, 2.5) {
		n = 100_000_000
	}
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Family{}.SumUint64(uint64(i))
	}
	f := mustBuild(t, Config{FPRate: 0.01}, digests)
	add := func([]uint64) error { return nil }
	conformance.LargeSet(t, n, conformance.Large{Add: add, Contains: f.ContainsAllUint64, Rate: f.FalsePositiveRate()})
}
