package bloom

import (
	"fmt"
	"testing"

	"github.com/filterfam/filterfam/internal/conformance"
)

// BenchmarkScalableRatio compares lookups and insertions with those of a plain
// filter for all keys, after the filter has grown to some multiples of its
// expected size.
func BenchmarkScalableRatio(b *testing.B) {
	for _, layout := range layouts {
		for _, times := range []uint64{1, 10, 100} {
			s := mustScale(b, ScalableConfig{Expected: 10_000, FPRate: 0.01, Layout: layout})
			n := 10_000 * times
			plain, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			if err != nil {
				b.Fatal(err)
			}
			next := conformance.Digests(s.config.Family.Derive("members"))
			for range n {
				d := next()
				s.AddDigest(d)
				plain.AddDigest(d)
			}
			b.Run(fmt.Sprintf("miss/%v/%d", layout, times), func(b *testing.B) {
				absent := conformance.Digests(s.config.Family)
				conformance.Ratio(b, func(n int) {
					for range n {
						plain.ContainsDigest(absent())
					}
				}, func(n int) {
					for range n {
						s.ContainsDigest(absent())
					}
				})
			})
		}
	}
}
