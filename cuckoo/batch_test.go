package cuckoo

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A batcher accepts single digests and batches.
type batcher[T any] interface {
	Equal(T) bool
	AddDigest(hashfam.Digest) error
	ContainsDigest(hashfam.Digest) bool
	CountDigest(hashfam.Digest) uint64
	DeleteDigest(hashfam.Digest) bool
	AddAll([]hashfam.Digest) (int, error)
	ContainsAll([]bool, []hashfam.Digest) []bool
	CountAll([]uint64, []hashfam.Digest) []uint64
	DeleteAll([]hashfam.Digest) int
}

// requireBatches checks that batches of any length give the same results as
// single calls, even if the filter becomes full.
func requireBatches[T batcher[T]](t *testing.T, create func() T, digests []hashfam.Digest) {
	full, single, in, failed := create(), create(), 0, error(nil)
	for ; failed == nil; in++ {
		failed = full.AddDigest(digests[in])
		require.Equal(t, failed, single.AddDigest(digests[in]))
	}
	answers, counts, deleted := []bool{}, []uint64{}, 0
	for _, d := range digests {
		answers, counts = append(answers, full.ContainsDigest(d)), append(counts, full.CountDigest(d))
		if single.DeleteDigest(d) {
			deleted++
		}
	}
	for _, length := range []int{1, few - 1, few, window - 1, window, window + 1, 2*window + 1, len(digests)} {
		f, added, removed, err := create(), 0, 0, error(nil)
		var found []bool
		var copies []uint64
		for block := range slices.Chunk(digests, length) {
			if n := 0; err == nil {
				n, err = f.AddAll(block)
				added += n
			}
		}
		require.Equal(t, failed, err)
		require.Equal(t, in-1, added)
		require.True(t, f.Equal(full), "%v in batches of %d", f, length)
		for block := range slices.Chunk(digests, length) {
			found, copies = f.ContainsAll(found, block), f.CountAll(copies, block)
		}
		for block := range slices.Chunk(digests, length) {
			removed += f.DeleteAll(block)
		}
		require.Equal(t, answers, found)
		require.Equal(t, counts, copies)
		require.Equal(t, deleted, removed)
		require.True(t, f.Equal(single), "%v in batches of %d", f, length)
	}
}

func TestBatchesMatchSingleCalls(t *testing.T) {
	digests := make([]hashfam.Digest, 3000)
	for k := range digests { // one key in three has two copies
		digests[k] = hashfam.Family{}.SumUint64(uint64(k) - uint64(k)%3/2)
	}
	for _, p := range kinds {
		for _, p.Buckets = range []uint64{2, 250} {
			requireBatches(t, func() *Filter { return mustNew(t, p) }, digests[:2*p.slots()])
		}
	}
	requireBatches(t, func() *Scalable {
		return mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.01, MemoryBytes: 8000})
	}, digests)
}
