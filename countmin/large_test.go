package countmin

import (
	"testing"

	"github.com/filterfam/filterfam/internal/conformance"
)

// Key k is counted twice if it is even and once if not. No count is too low,
// and as the theorem says, at most Delta of them are more than Epsilon*Total
// too high.
func TestLargeSketchesAreWithinTheTheorem(t *testing.T) {
	keys, epsilon := uint64(50_000), 1e-4
	if conformance.Long(t, 3, 0.5) {
		keys, epsilon = 100_000_000, 1e-7
	}
	const delta = 0.01
	s := must(New(Config{Epsilon: epsilon, Delta: delta}))
	each(keys, 1, s.AddAllUint64)
	each(keys, 2, s.AddAllUint64)
	bound, high, low := s.ErrorBound(), 0, 0
	var counts []uint64
	each(keys, 1, func(batch []uint64) {
		counts = s.CountAllUint64(counts[:0], batch)
		for i, key := range batch {
			truth := 2 - key%2
			if counts[i] < truth {
				low++
			} else if counts[i]-truth > bound {
				high++
			}
		}
	})
	t.Logf("%d keys, %d counted: %d more than %d too high", keys, s.Total(), high, bound)
	if low > 0 || float64(high) > delta*float64(keys) {
		t.Errorf("%d of %d counts are too low, %d too high", low, keys, high)
	}
}

// each calls do with the multiples of step below n in turn, some thousands at a
// time.
func each(n, step uint64, do func(batch []uint64)) {
	batch := make([]uint64, 0, 8192)
	for key := uint64(0); key < n; key += step {
		if batch = append(batch, key); len(batch) == cap(batch) {
			do(batch)
			batch = batch[:0]
		}
	}
	do(batch)
}
