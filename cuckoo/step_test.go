package cuckoo

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
		require.NoError(b, f.AddUint64(i))
	}
	fromDigest := func(d hashfam.Digest) (i, j, fp uint64) { // locate, without the step
		fp, rest := split(uint64(d), f.table.mask)
		i, j = f.moves.pair(hashfam.Reduce(rest, f.moves.buckets), f.moves.hash(fp+1))
		return i, j, fp + 1
	}
	found := 0
	b.Run("Contains", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n {
				if f.find(fromDigest(next())) {
					found++
				}
			}
		}, func(n int) {
			for range n {
				if f.find(f.locate(next())) {
					found++
				}
			}
		})
	})
	b.Run("Add", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			f.Reset()
			for range n {
				_ = f.insert(fromDigest(next()))
			}
		}, func(n int) {
			f.Reset()
			for range n {
				_ = f.insert(f.locate(next()))
			}
		})
	})
}
