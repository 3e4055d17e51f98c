package counting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// BenchmarkFirstStep measures what it costs that positions begin one step into
// the sequence of the digest: the time of an operation over that of one whose
// first position is the digest itself.
func BenchmarkFirstStep(b *testing.B) {
	f, err := New(Config{Capacity: 1_000_000, FPRate: 0.01})
	require.NoError(b, err)
	next := conformance.Digests(f.params.Family)
	for i := range uint64(1_000_000) { // next draws none of these
		f.AddUint64(i)
	}
	counters, m, k, found := f.counters, f.span, f.params.Hashes, 0
	b.Run("Contains", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n {
				if hasFromDigest(counters, m, k, next()) {
					found++
				}
			}
		}, func(n int) {
			for range n {
				if hasNear(counters, m, k, next()) {
					found++
				}
			}
		})
	})
	b.Run("Add", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n {
				addFromDigest(counters, m, k, next())
			}
		}, func(n int) {
			for range n {
				add(counters, m, k, next())
			}
		})
	})
}

// hasFromDigest is hasNear with the digest itself as the first value.
func hasFromDigest(counters nibbles, m uint64, k int, d hashfam.Digest) bool {
	all := uint64(16)
	for p := hashfam.Probe(d); k > 0; k, p = k-1, p.Next() {
		all &= counters.at(p.In(m)) + 15
	}
	return all != 0
}

// addFromDigest is add with the digest itself as the first value.
func addFromDigest(counters nibbles, m uint64, k int, d hashfam.Digest) {
	for p := hashfam.Probe(d); k > 0; k, p = k-1, p.Next() {
		counters.inc(p.In(m))
	}
}
