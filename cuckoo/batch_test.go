package cuckoo

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A batch of any length, up to a window and over, leaves the table that single
// calls leave, also while it fills up and keys move.
func TestBatchesFillATableAsSingleCallsDo(t *testing.T) {
	for _, p := range kinds {
		for _, p.Buckets = range []uint64{2, 250} {
			single := mustNew(t, p)
			digests := make([]hashfam.Digest, 2*p.slots())
			for k := range digests {
				digests[k] = p.Family.SumUint64(uint64(k))
			}
			in, failed := 0, error(nil)
			for failed == nil {
				require.Less(t, in, len(digests))
				if failed = single.AddDigest(digests[in]); failed == nil {
					in++
				}
			}
			want := make([]bool, len(digests))
			for k, d := range digests {
				want[k] = single.ContainsDigest(d)
			}
			for _, length := range []int{1, few - 1, few, window - 1, window, window + 1, 2*window + 1, len(digests)} {
				f, added, err := mustNew(t, p), 0, error(nil)
				var got []bool
				for block := range slices.Chunk(digests, length) {
					if err == nil {
						var n int
						n, err = f.AddAll(block)
						added += n
					}
				}
				require.Equal(t, failed, err)
				require.Equal(t, in, added)
				require.True(t, f.Equal(single), "%v in batches of %d", f, length)
				for block := range slices.Chunk(digests, length) {
					got = f.ContainsAll(got, block)
				}
				require.Equal(t, want, got, "%v in batches of %d", f, length)
			}
		}
	}
}

// Batches of any length delete and count as single calls do, also keys that are
// not there.
func TestBatchesDeleteAndCountAsSingleCallsDo(t *testing.T) {
	for _, p := range kinds {
		full, digests := mustNew(t, p), make([]hashfam.Digest, 500)
		for k := range digests {
			digests[k] = p.Family.SumUint64(uint64(k % 200)) // up to three copies
			if k%3 > 0 {
				require.NoError(t, full.AddDigest(digests[k]))
			}
		}
		counts, single, removed := make([]uint64, len(digests)), full.Clone(), 0
		for k, d := range digests {
			counts[k] = full.CountDigest(d)
		}
		for _, d := range digests {
			if single.DeleteDigest(d) {
				removed++
			}
		}
		for _, length := range []int{1, few - 1, few, window - 1, window, window + 1, len(digests)} {
			f, got, n := full.Clone(), []uint64{}, 0
			for block := range slices.Chunk(digests, length) {
				got = f.CountAll(got, block)
			}
			for block := range slices.Chunk(digests, length) {
				n += f.DeleteAll(block)
			}
			require.Equal(t, counts, got, "%v in batches of %d", f, length)
			require.Equal(t, removed, n, "%v in batches of %d", f, length)
			require.True(t, f.Equal(single), "%v in batches of %d", f, length)
		}
	}
}
