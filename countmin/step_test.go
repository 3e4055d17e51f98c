package countmin

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
	s, err := New(Config{Epsilon: 1e-4, Delta: 0.01})
	require.NoError(b, err)
	next := conformance.Digests(s.params.Family)
	cells, w, sum := s.narrow, s.params.Width, uint32(0)
	b.Run("Count", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n {
				p, low := hashfam.Probe(next()), ^uint32(0)
				for row := uint64(0); row < uint64(len(cells)); row, p = row+w, p.Next() {
					low = min(low, cells[row+p.In(w)])
				}
				sum += low
			}
		}, func(n int) {
			for range n {
				sum += least(cells, w, next())
			}
		})
	})
	b.Run("Add", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n {
				addFromDigest(cells, w, next())
			}
		}, func(n int) {
			for range n {
				add(cells, w, next(), 1)
			}
		})
	})
}

// addFromDigest is add with the digest itself as the position in the first row.
func addFromDigest(cells []uint32, w uint64, d hashfam.Digest) {
	p, row, end := hashfam.Probe(d), uint64(0), uint64(len(cells))
	for ; row+w < end; row, p = row+2*w, p.Next().Next() {
		bump(&cells[row+p.In(w)], 1)
		bump(&cells[row+w+p.Next().In(w)], 1)
	}
	if row < end {
		bump(&cells[row+p.In(w)], 1)
	}
}
