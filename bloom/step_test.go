package bloom

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
	words, m, k, found := f.words, f.span, f.params.Hashes, 0
	b.Run("Contains", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n {
				if hasFromDigest(words, m, k, next()) {
					found++
				}
			}
		}, func(n int) {
			for range n {
				if hasClassic(words, m, k, next()) {
					found++
				}
			}
		})
	})
	b.Run("Add", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n {
				addFromDigest(words, m, k, next())
			}
		}, func(n int) {
			for range n {
				addClassic(words, m, k, next())
			}
		})
	})
}

// hasFromDigest is hasClassic with the digest itself as the first value.
func hasFromDigest(words []uint64, m uint64, k int, d hashfam.Digest) bool {
	missing := uint64(0)
	for p := hashfam.Probe(d); k > 0; k, p = k-1, p.Next() {
		i := p.In(m)
		missing |= unset(words[i>>6], i)
	}
	return missing == 0
}

// addFromDigest is addClassic with the digest itself as the first value.
func addFromDigest(words []uint64, m uint64, k int, d hashfam.Digest) {
	for p := hashfam.Probe(d); k > 0; k, p = k-1, p.Next() {
		i := p.In(m)
		words[i>>6] |= 1 << (i & 63)
	}
}
