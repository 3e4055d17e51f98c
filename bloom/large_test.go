package bloom

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

func TestLargeFiltersHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if conformance.Long(t, 3, 0.3) {
		n = 100_000_000
	}
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(t, err)
			add := func(keys []uint64) error { f.AddAllUint64(keys); return nil }
			conformance.LargeSet(t, n, conformance.Large{Add: add, Contains: f.ContainsAllUint64, Rate: f.Params().RateAt(n)})
		})
	}
}
