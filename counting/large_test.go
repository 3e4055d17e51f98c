package counting

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A 32-bit offset would confine the keys to the first 512 MiB, or read another
// counter than it wrote.
func TestFiltersAboveFourGigabitsUseAllTheirCounters(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 640 MiB")
	}
	const counters = 5 << 28 // 5 * 2^30 bits
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) { usesAll(t, Params{Counters: counters, Hashes: 4, Layout: layout}) })
	}
}

func usesAll(t *testing.T, p Params) {
	f := mustNew(t, p)
	const n = 100_000
	digest := func(i uint64) hashfam.Digest {
		var key [8]byte
		binary.LittleEndian.PutUint64(key[:], i)
		return f.params.Family.Sum(key[:])
	}
	for i := range uint64(n) {
		f.AddDigest(digest(i))
	}
	// A fifth of the positions is above 2^32 bits: 80,000 of 400,000. The
	// standard deviation is below 600 even if four share a block, and chance
	// exceeds six of them once in 10^9 runs.
	above := 0
	for _, w := range f.counters[1<<32/64:] {
		above += bits.OnesCount64(nonzero(w))
	}
	require.InDelta(t, 80_000, above, 6*600)
	require.InDelta(t, n, f.EstimatedLen(), 100)
	for i := range uint64(n / 2) {
		require.True(t, f.DeleteDigest(digest(i)))
	}
	for i := range uint64(n) {
		if i < n/2 {
			require.LessOrEqual(t, f.CountDigest(digest(i)), uint64(1))
		} else {
			require.True(t, f.ContainsDigest(digest(i)), "lost %d", i)
		}
	}
	require.InDelta(t, n/2, f.EstimatedLen(), 100)
	for i := range uint64(n / 2) {
		require.True(t, f.DeleteDigest(digest(i+n/2)))
	}
	require.Zero(t, f.FillRatio())

	// Batches call fetch in filters of this size.
	keys := make([][]byte, 1000)
	for i := range keys {
		keys[i] = binary.LittleEndian.AppendUint64(nil, uint64(i))
	}
	f.AddAll(keys)
	for i, found := range f.ContainsAll(nil, keys) {
		require.True(t, found, "lost %d", i)
	}
	require.Equal(t, len(keys), f.DeleteAll(keys))
	require.Zero(t, f.FillRatio())
}

// With 2^32 counters or more, the number of a counter needs more than 32 bits.
func TestPositionsAboveTwoToThe32(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 2.5 GiB of address space, of which it touches little")
	}
	f := mustNew(t, Params{Counters: 5 << 30, Hashes: 4})
	const n = 20_000
	for i := range uint64(n) {
		f.AddDigest(f.params.Family.SumUint64(i))
	}
	above := 0
	for i := range uint64(n) {
		d := f.params.Family.SumUint64(i)
		require.True(t, f.ContainsDigest(d))
		for k, p := f.params.Hashes, d.Probe(); k > 0; k, p = k-1, p.Next() {
			if at := hashfam.Reduce(uint64(p), f.params.Counters); at >= 1<<32 {
				require.NotZero(t, f.counters.at(at))
				above++
			}
		}
	}
	require.InDelta(t, 4*n/5, above, 6*120)
	for i := range uint64(n) {
		require.True(t, f.DeleteDigest(f.params.Family.SumUint64(i)))
	}
	require.False(t, f.ContainsDigest(f.params.Family.SumUint64(0)))
}
