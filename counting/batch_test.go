package counting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// Filters above 32 MiB and Blocked ones fetch counters ahead, and Classic ones
// stop at the first zero. They do what small ones do.
func TestBatchesOfFiltersLargerThanTheCache(t *testing.T) {
	for _, layout := range layouts {
		f := mustNew(t, Params{Counters: (outOfCache + blockWords) * perWord, Hashes: 5, Layout: layout})
		single := f.Clone()
		digests := hashfam.Family{}.SumAllUint64(nil, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 1, 1, 1, 1, 1, 2, 11})
		for range 4 {
			digests = append(digests, digests...) // 288
		}
		for _, d := range digests {
			single.AddDigest(d)
		}
		f.AddAll(digests)
		require.True(t, f.Equal(single))

		digests = append(digests, hashfam.Family{}.SumAllUint64(nil, []uint64{100, 101, 102})...)
		counts, found := f.CountAll([]uint64{7}, digests), f.ContainsAll([]bool{true}, digests)
		require.Len(t, counts, 1+len(digests))
		require.Len(t, found, 1+len(digests))
		for i, d := range digests {
			require.Equal(t, single.CountDigest(d), counts[1+i])
			require.Equal(t, single.ContainsDigest(d), found[1+i])
			require.Equal(t, i < 288, found[1+i])
		}

		removed := 0
		for _, d := range digests {
			if single.DeleteDigest(d) {
				removed++
			}
		}
		require.Equal(t, removed, f.DeleteAll(digests))
		require.True(t, f.Equal(single))
		require.Less(t, removed, len(digests))
	}
}
