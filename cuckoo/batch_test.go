package cuckoo

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

func TestEveryFormOfDeleteAndCountDoesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		f := mustNew(t, p)
		numbers := make([]uint64, rapid.IntRange(0, 300).Draw(t, "n"))
		keys, texts := make([][]byte, len(numbers)), make([]string, len(numbers))
		for i := range numbers {
			numbers[i] = uint64(i) % 251
			if f.AddUint64(numbers[i]) != nil {
				return // full
			}
			numbers[i] += uint64(i%3) * 1000 // two thirds were not added
			keys[i] = binary.LittleEndian.AppendUint64(nil, numbers[i])
			texts[i] = string(keys[i])
		}
		digests := p.Family.SumAllUint64(nil, numbers)
		want := make([]uint64, len(keys))
		for i, d := range digests {
			want[i] = f.CountDigest(d)
			require.Equal(t, want[i], f.CountUint64(numbers[i]))
		}
		require.Equal(t, want, f.CountAll([]uint64{}, keys))
		require.Equal(t, want, f.CountAllStrings([]uint64{}, texts))
		require.Equal(t, want, f.CountAllUint64([]uint64{}, numbers))
		require.Equal(t, want, f.CountAllDigests([]uint64{}, digests))

		single, removed := f.Clone(), 0
		for i, n := range numbers {
			if i%2 == 0 && single.DeleteUint64(n) || i%2 == 1 && single.Delete(keys[i]) {
				removed++
			}
		}
		for form, remove := range map[string]func(*Filter) int{
			"bytes":    func(g *Filter) int { return g.DeleteAll(keys) },
			"strings":  func(g *Filter) int { return g.DeleteAllStrings(texts) },
			"integers": func(g *Filter) int { return g.DeleteAllUint64(numbers) },
			"digests":  func(g *Filter) int { return g.DeleteAllDigests(digests) },
		} {
			g := f.Clone()
			require.Equal(t, removed, remove(g), form)
			require.True(t, g.Equal(single), form)
		}
	})
}

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
						n, err = f.AddAllDigests(block)
						added += n
					}
				}
				require.Equal(t, failed, err)
				require.Equal(t, in, added)
				require.True(t, f.Equal(single), "%v in batches of %d", f, length)
				for block := range slices.Chunk(digests, length) {
					got = f.ContainsAllDigests(got, block)
				}
				require.Equal(t, want, got, "%v in batches of %d", f, length)
			}
		}
	}
}
