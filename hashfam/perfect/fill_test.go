package perfect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// inBucket returns n sorted digests of one of 100 buckets.
func inBucket(number, n uint64) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = conformance.Probing(number*(1<<63/50) + 1<<56 + uint64(i)<<50)
	}
	return digests
}

// A bucket of up to 15 keys has a seed if the places are free, and a larger one
// is bumped.
func TestBucketsOfUpToFifteenKeysHaveASeed(t *testing.T) {
	for n := uint64(1); n <= maxBucket+1; n++ {
		l := newLevel(1000, 0, true, make([]byte, bucketsOf(1000)))
		f := filler{level: &l, used: newBitmap(1000)}
		seed := f.settle(inBucket(7, n))
		require.Equal(t, n <= 15, seed != 0, "%d keys", n)
	}
}
