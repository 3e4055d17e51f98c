package perfect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// inBucket returns n sorted digests of one of 100 buckets.
func inBucket(number, n uint64) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = inverse(number*(1<<63/50) + 1<<56 + uint64(i)<<50)
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

// The order of buckets is that of their weights, 170 for 6 keys and 10 for each
// one more, less their numbers. Those of 16 keys or more weigh the same.
func TestLargeBucketsComeFirst(t *testing.T) {
	l := level{seeds: make([]byte, 100)}
	var digests []hashfam.Digest
	for number, n := range []uint64{6, 1, 14, 15, 16, 0, 0, 17} {
		digests = append(digests, inBucket(uint64(number), n)...)
	}
	w := newSeedOrder(&l, digests)
	var order, sizes []int
	for b, ok := w.next(); ok; b, ok = w.next() {
		order, sizes = append(order, int(b.number)), append(sizes, len(b.digests))
	}
	require.Equal(t, []int{4, 7, 3, 2, 0, 1}, order)
	require.Equal(t, []int{16, 17, 15, 14, 6, 1}, sizes)
}

// A bitmap of n integers takes two words more than its bits fill, so that runs
// from every integer stay in bounds.
func TestABitmapHasRoomForRuns(t *testing.T) {
	for _, n := range []uint64{1, 63, 64, 65, 1000} {
		b := newBitmap(n)
		require.LessOrEqual(t, uint64(len(b)), n/64+2)
		b.set(n - 1)
		require.EqualValues(t, 1, b.run(n-1))
		require.Zero(t, b.run(n))
	}
}
