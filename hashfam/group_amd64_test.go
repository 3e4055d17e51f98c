//go:build !purego

package hashfam_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// lengthsOf returns keys of these lengths.
func lengthsOf(lengths ...int) [][]byte {
	text := noise(1 << 13)
	keys := make([][]byte, len(lengths))
	for i, n := range lengths {
		keys[i] = text[i:][:n]
	}
	return keys
}

// TestGroupsOfAVX2 checks which groups are hashed as such, so that the tests of
// SumAll see what they are meant to see.
func TestGroupsOfAVX2(t *testing.T) {
	ways[1].set(t)
	f := hashfam.New(ascending())
	for _, c := range []struct {
		lengths []int
		rest    uint32
	}{
		{[]int{0, 0, 0, 0, 0, 0, 0, 0}, 0},
		{[]int{7, 0, 1, 2, 3, 4, 5, 6}, 0},
		{[]int{16, 17, 18, 19, 20, 21, 22, 23}, 0},
		{[]int{5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000}, 0},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8}, 0},
		{[]int{3, 9, 4, 5, 12, 2, 3, 7}, 0},
		{[]int{64, 0, 8, 16, 24, 32, 40, 48}, 0},
		{[]int{500, 400, 300, 200, 300, 400, 500, 510}, 0},
		{[]int{0, 0, 0, 32, 0, 0, 0, 0}, 0},
		{[]int{0, 0, 0, 33, 0, 0, 0, 0}, 0xff},
		{[]int{100, 0, 0, 0, 0, 0, 0, 0}, 0xff},
		{[]int{5, 5, 5, 5, 5, 5, 5, 5000}, 0xff},
	} {
		keys := lengthsOf(c.lengths...)
		digests, rest := f.SumGroupAVX2(keys)
		require.Equal(t, c.rest, rest, c.lengths)
		if rest == 0 {
			require.Equal(t, one(f, keys), digests, c.lengths)
		}
	}
}

// TestGroupsOfAVX512 checks which keys are left out.
func TestGroupsOfAVX512(t *testing.T) {
	ways[0].set(t)
	f := hashfam.New(ascending())
	short := func(others ...int) []int { return append(others, slices.Repeat([]int{5}, 16-len(others))...) }
	for _, c := range []struct {
		lengths []int
		rest    uint32
	}{
		{[]int{0}, 0},
		{[]int{5000}, 0}, // all lanes repeat the key
		{[]int{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}, 0},
		{slices.Repeat([]int{5000}, 16), 0},
		{short(28), 0}, // 12 bytes after the first 16
		{short(29), 1},
		{short(64, 64), 0}, // 48
		{short(65, 17), 1<<0 | 1<<1},
		{short(124, 124, 124), 0}, // 108
		{short(5, 125, 5, 125, 5, 125), 1<<1 | 1<<3 | 1<<5},
		{short(208, 208, 208, 208), 0}, // 192
		{short(209, 20, 20, 20), 0xf},
		{short(5000, 5000, 5000, 5000, 5000), 0},
		{short(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5000), 1 << 15},
		{short(2000, 2000, 2000, 2000, 7000), 1 << 4},
		{[]int{5, 5, 5, 5, 5, 5, 300}, 1 << 6},
		{[]int{300, 5, 5, 5, 5, 5, 5}, 1},
	} {
		keys := lengthsOf(c.lengths...)
		digests, rest := f.SumGroupAVX512(keys)
		require.Equal(t, c.rest, rest, c.lengths)
		for i, want := range one(f, keys) {
			if rest>>i&1 == 0 {
				require.Equal(t, want, digests[i], "%d of %v", i, c.lengths)
			}
		}
	}
}
