package bloom

import (
	"fmt"
	"testing"

	"github.com/filterfam/filterfam/internal/conformance"
)

// BenchmarkMergeAllRatio compares MergeAll of ten filters with ten calls of
// Merge.
func BenchmarkMergeAllRatio(b *testing.B) {
	for _, bits := range []uint64{1 << 18, 1 << 26} {
		f := mustNew(b, Params{Bits: bits, Hashes: 7})
		others := make([]*Filter, 10)
		for i := range others {
			others[i] = f.Clone()
		}
		b.Run(fmt.Sprintf("%d KiB", bits>>13), func(b *testing.B) {
			conformance.Ratio(b, func(int) {
				for _, other := range others {
					f.Merge(other)
				}
			}, func(int) { f.MergeAll(others...) })
		})
	}
}
