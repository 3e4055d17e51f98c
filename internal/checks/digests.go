package checks

import (
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// Digests returns n random digests.
func Digests(rng *rand.Rand, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Digest(rng.Uint64())
	}
	return digests
}

// Probing returns the digest whose probe sequence begins with x.
func Probing(x uint64) hashfam.Digest {
	factor, inverse := uint64(hashfam.Digest(1).Probe()), uint64(1)
	for range 6 { // Newton's iteration doubles the number of correct bits
		inverse *= 2 - factor*inverse
	}
	return hashfam.Digest(x * inverse)
}
