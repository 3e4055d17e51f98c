package cuckoo

import (
	"encoding/binary"
	"iter"
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

// A zero filter answers batches that are longer than few as it answers single
// calls.
func TestZeroFiltersAnswerBatches(t *testing.T) {
	digests, want := make([]hashfam.Digest, window+1), make([]bool, window+1)
	for i := range want {
		want[i] = true
	}
	var f Filter
	require.Equal(t, want, f.ContainsAllDigests(nil, digests))
	require.Zero(t, f.DeleteAllDigests(digests))
	require.Equal(t, slices.Repeat([]uint64{8}, window+1), f.CountAllDigests(nil, digests))
	n, err := f.AddAllDigests(digests)
	require.Equal(t, []any{0, errFull}, []any{n, err})

	var c Concurrent
	require.Equal(t, want, c.ContainsAllDigests(nil, digests))
	require.Zero(t, c.DeleteAllDigests(digests))
	require.Equal(t, slices.Repeat([]uint64{8}, window+1), c.CountAllDigests(nil, digests))
	n, err = c.AddAllDigests(digests)
	require.Equal(t, []any{0, errFull}, []any{n, err})

	var s Scalable
	require.Equal(t, want, s.ContainsAllDigests(nil, digests))
	require.Zero(t, s.DeleteAllDigests(digests))
	require.Equal(t, slices.Repeat([]uint64{8}, window+1), s.CountAllDigests(nil, digests))
	n, err = s.AddAllDigests(digests)
	require.Equal(t, []any{0, errFull}, []any{n, err})
}

// A sequence longer than a block of 128 keys is added to its end, or up to the
// first key for which there is no room.
func TestSequencesOfManyBlocks(t *testing.T) {
	keys := make([][]byte, 1000)
	for k := range keys {
		keys[k] = binary.LittleEndian.AppendUint64(nil, uint64(k))
	}
	p := Params{Buckets: 100, FingerprintBits: 12}
	type adder interface {
		Add([]byte) error
		AddSeq(iter.Seq[[]byte]) (int, error)
		Len() uint64
	}
	fresh := func() []adder {
		return []adder{mustNew(t, p), mustConcurrent(t, p), mustScale(t, ScalableConfig{Expected: 1000, FPRate: 0.1})}
	}
	for _, n := range []int{1, 127, 128, 129, 300, 1000} {
		single := fresh()
		for k, f := range fresh() {
			added, failed := 0, error(nil)
			for _, key := range keys[:n] {
				if failed = single[k].Add(key); failed != nil {
					break
				}
				added++
			}
			asked := 0
			got, err := f.AddSeq(counted(keys[:n], &asked))
			require.Equal(t, []any{added, failed}, []any{got, err}, "%T, %d keys", f, n)
			require.EqualValues(t, added, f.Len(), "%T, %d keys", f, n)
			require.LessOrEqual(t, asked, added+128, "%T, %d keys", f, n)
		}
	}
	for _, f := range []adder{new(Filter), new(Concurrent), new(Scalable)} { // refuse the first key of a block
		asked := 0
		added, err := f.AddSeq(counted(keys, &asked))
		require.ErrorIs(t, err, ErrFull)
		require.Equal(t, []int{0, 128}, []int{added, asked}, "%T", f)
	}
}

// counted yields the keys and counts those that were asked for.
func counted(keys [][]byte, asked *int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, key := range keys {
			if *asked++; !yield(key) {
				return
			}
		}
	}
}

// The lookup for processors without wide vectors gives the answers of single
// calls.
func TestAnswersOfAWindowAreTheSingleOnes(t *testing.T) {
	eachKind(t, func(t *testing.T, p Params) {
		f := mustNew(t, p)
		if f.table.kind != single && f.table.kind != compact {
			return
		}
		digests := p.Family.SumAllUint64(nil, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
		var want []bool
		for k, d := range digests {
			if k < 8 {
				require.NoError(t, f.AddDigest(d))
			}
		}
		for _, d := range digests {
			want = append(want, f.ContainsDigest(d))
		}
		var g group
		require.Equal(t, want, f.table.answer(nil, g.locate(f, &digests)))
	})
}

// Batches of a Scalable of any length and form do what single calls do.
func TestScalableBatchesEqualSingleCalls(t *testing.T) {
	for _, n := range []int{0, 1, few - 1, few, window - 1, window, window + 1, 129, 500} {
		numbers, keys, texts := make([]uint64, n), make([][]byte, n), make([]string, n)
		for k := range numbers {
			numbers[k] = uint64(k) % 170 // up to three copies
			keys[k] = binary.LittleEndian.AppendUint64(nil, numbers[k])
			texts[k] = string(keys[k])
		}
		digests := hashfam.Family{}.SumAllUint64(nil, numbers)
		half := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.01})
		for _, d := range digests[:n/2] {
			require.NoError(t, half.AddDigest(d))
		}
		found, counts, removed := make([]bool, n), make([]uint64, n), 0
		for k, d := range digests {
			found[k], counts[k] = half.ContainsDigest(d), half.CountDigest(d)
		}
		less := half.Clone()
		for _, d := range digests {
			if less.DeleteDigest(d) {
				removed++
			}
		}
		for form, f := range map[string]struct {
			contains func([]bool) []bool
			count    func([]uint64) []uint64
			remove   func(*Scalable) int
		}{
			"bytes": {func(dst []bool) []bool { return half.ContainsAll(dst, keys) },
				func(dst []uint64) []uint64 { return half.CountAll(dst, keys) },
				func(s *Scalable) int { return s.DeleteAll(keys) }},
			"strings": {func(dst []bool) []bool { return half.ContainsAllStrings(dst, texts) },
				func(dst []uint64) []uint64 { return half.CountAllStrings(dst, texts) },
				func(s *Scalable) int { return s.DeleteAllStrings(texts) }},
			"integers": {func(dst []bool) []bool { return half.ContainsAllUint64(dst, numbers) },
				func(dst []uint64) []uint64 { return half.CountAllUint64(dst, numbers) },
				func(s *Scalable) int { return s.DeleteAllUint64(numbers) }},
			"digests": {func(dst []bool) []bool { return half.ContainsAllDigests(dst, digests) },
				func(dst []uint64) []uint64 { return half.CountAllDigests(dst, digests) },
				func(s *Scalable) int { return s.DeleteAllDigests(digests) }},
		} {
			s := half.Clone()
			require.Equal(t, found, f.contains([]bool{}), "%s, %d keys", form, n)
			require.Equal(t, counts, f.count([]uint64{}), "%s, %d keys", form, n)
			require.Equal(t, removed, f.remove(s), "%s, %d keys", form, n)
			require.True(t, s.Equal(less), "%s, %d keys", form, n)
		}
	}
}
