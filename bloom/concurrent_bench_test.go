package bloom

import (
	"testing"

	"github.com/filterfam/filterfam/internal/conformance"
)

// BenchmarkConcurrentRatio compares a concurrent filter on one goroutine with a
// plain one. Both are filled from empty to their capacity of a million keys.
func BenchmarkConcurrentRatio(b *testing.B) {
	for _, layout := range layouts {
		f, err := New(Config{Capacity: 1_000_000, FPRate: 0.01, Layout: layout})
		if err != nil {
			b.Fatal(err)
		}
		c := newConcurrent(f.Clone())
		plain, shared := conformance.Digests(f.params.Family), conformance.Digests(f.params.Family)
		b.Run("add/"+layout.String(), func(b *testing.B) {
			f.Reset()
			c = newConcurrent(f.Clone())
			conformance.Ratio(b, func(n int) {
				for range n {
					f.AddDigest(plain())
				}
			}, func(n int) {
				for range n {
					c.AddDigest(shared())
				}
			})
		})
		for kind, fam := range map[string]string{"hit": "", "miss": "another"} {
			absent := f.params.Family
			if fam != "" {
				absent = absent.Derive(fam)
			}
			plain, shared := conformance.Digests(absent), conformance.Digests(absent)
			b.Run(kind+"/"+layout.String(), func(b *testing.B) {
				conformance.Ratio(b, func(n int) {
					for range n {
						f.ContainsDigest(plain())
					}
				}, func(n int) {
					for range n {
						c.ContainsDigest(shared())
					}
				})
			})
		}
	}
}
