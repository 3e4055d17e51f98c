package cuckoo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// A table takes Capacity keys: 10^8, and 10^9 in 1.3 GB; the next one may be
// made before that is freed.
func TestLargeFiltersReachTheirCapacity(t *testing.T) {
	sizes := []uint64{50_000}
	if conformance.Long(t, 3, 0.3) {
		sizes = []uint64{100_000_000}
	}
	if conformance.Long(t, 20, 2.5) {
		sizes = append(sizes, 1_000_000_000)
	}
	for _, n := range sizes {
		for _, sorted := range []bool{false, true} {
			p := plan(t, Config{Capacity: n, FPRate: 0.01, Compact: sorted})
			f := mustNew(t, p)
			add := func(keys []uint64) error { _, err := f.AddAllUint64(keys); return err }
			conformance.LargeSet(t, n, conformance.Large{Add: add, Contains: f.ContainsAllUint64, Rate: p.RateAt(n)})
			require.Equal(t, n, f.Len())
		}
	}
}
