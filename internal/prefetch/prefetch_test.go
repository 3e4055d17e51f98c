package prefetch_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/prefetch"
)

// Whatever is fetched, every digest is in one group, in order, and arrays of
// one element do.
func TestGroupsAreAllDigests(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 41))
	for n := range 300 {
		digests := make([]hashfam.Digest, n)
		for i := range digests {
			digests[i] = hashfam.Digest(rng.Uint64())
		}
		array := make([]uint64, 32*(1+rng.IntN(3)))
		blocks := uint64(len(array) / 32)
		for name, next := range map[string]func([]hashfam.Digest) (group, rest []hashfam.Digest){
			"spread": func(d []hashfam.Digest) (group, rest []hashfam.Digest) {
				return prefetch.Spread(array, d, 7, 8*uint64(len(array)), 0)
			},
			"one byte": func(d []hashfam.Digest) (group, rest []hashfam.Digest) {
				return prefetch.Spread(array[:1], d, 255, 1, 0)
			},
			"in slices": func(d []hashfam.Digest) (group, rest []hashfam.Digest) { return prefetch.Spread(array, d, 4, 64, 64) },
			"blocks":    func(d []hashfam.Digest) (group, rest []hashfam.Digest) { return prefetch.Blocks(array, d, blocks) },
		} {
			var got []hashfam.Digest
			for rest := digests; len(rest) > 0; {
				var group []hashfam.Digest
				group, rest = next(rest)
				require.NotEmpty(t, group, name)
				got = append(got, group...)
			}
			require.Equal(t, len(digests), len(got), name)
			for i := range digests {
				require.Equal(t, digests[i], got[i], name)
			}
		}
	}
}
