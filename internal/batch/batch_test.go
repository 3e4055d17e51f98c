package batch

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// distinct returns n keys in three forms, all of the same bytes.
func distinct(n int) (numbers []uint64, bytes [][]byte, texts []string) {
	for i := range n {
		key := binary.LittleEndian.AppendUint64(nil, uint64(i))
		numbers, bytes, texts = append(numbers, uint64(i)), append(bytes, key), append(texts, string(key))
	}
	return numbers, bytes, texts
}

// Seven keys get single calls, eight a block.
func TestFewKeysAreLessThanEight(t *testing.T) {
	for n := range 20 {
		keys, _, _ := distinct(n)
		single := Few(&keys)
		if n < 8 {
			require.Len(t, single, n)
			require.Empty(t, keys)
		} else {
			require.Empty(t, single)
			require.Len(t, keys, n)
		}
	}
}

func TestTakeReturnsTheDigestsOfOneBlock(t *testing.T) {
	for _, n := range []int{0, 1, Size - 1, Size, Size + 1, 3*Size + 5} {
		numbers, bytes, texts := distinct(n)
		checkTake(t, numbers)
		checkTake(t, bytes)
		checkTake(t, texts)
	}
}

// checkTake takes the keys block by block.
func checkTake[K Key](t *testing.T, keys []K) {
	var want, got []hashfam.Digest
	for _, key := range keys {
		want = append(want, Sum(hashfam.Family{}, key))
	}
	var b Buffer
	for len(keys) > 0 {
		n := min(len(keys), Size)
		left := len(keys) - n
		block := Take(&b, hashfam.Family{}, &keys)
		require.Len(t, block, n)
		require.Len(t, keys, left)
		got = append(got, block...)
	}
	require.Equal(t, want, got)
}

func TestTheFormsOfAKeyHaveOneDigest(t *testing.T) {
	numbers, bytes, texts := distinct(300)
	fam := hashfam.New(hashfam.Key{1})
	want := SumAll(nil, fam, bytes)
	require.Equal(t, want, SumAll(nil, fam, texts))
	require.Equal(t, want, SumAll(nil, fam, numbers))
	require.Equal(t, Sum(fam, bytes[7]), Sum(fam, numbers[7]))
	require.Equal(t, Sum(fam, bytes[7]), Sum(fam, texts[7]))
}

// Blocks yields full blocks, then the rest, which may be empty.
func TestBlocksOfASequence(t *testing.T) {
	for n, want := range map[int][]int{
		0: {0}, 1: {1}, Size - 1: {Size - 1}, Size: {Size, 0}, Size + 1: {Size, 1}, 2 * Size: {Size, Size, 0},
	} {
		_, keys, _ := distinct(n)
		var lengths []int
		var got []hashfam.Digest
		for block := range Blocks(hashfam.Family{}, slices.Values(keys)) {
			lengths, got = append(lengths, len(block)), append(got, block...)
		}
		require.Equal(t, want, lengths, "%d keys", n)
		require.Equal(t, SumAll(nil, hashfam.Family{}, keys), got)
	}
}

// A caller that stops gets no further block.
func TestBlocksStop(t *testing.T) {
	_, keys, _ := distinct(3 * Size)
	blocks := 0
	for range Blocks(hashfam.Family{}, slices.Values(keys)) {
		blocks++
		break
	}
	require.Equal(t, 1, blocks)
}
