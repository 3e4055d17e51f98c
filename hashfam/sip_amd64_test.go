//go:build !purego

package hashfam

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/cpu"
)

// setLanes makes SumAll use AVX-512 only if wanted, and AVX2 only if wanted. It
// returns a function that restores what was.
func setLanes(avx2, avx512 bool) (restore func()) {
	was2, was512 := cpu.AVX2, cpu.AVX512
	cpu.AVX2, cpu.AVX512 = avx2, avx512
	return func() { cpu.AVX2, cpu.AVX512 = was2, was512 }
}

// left returns the number of n keys that are hashed one by one, which is the
// same for bytes and for strings.
func left(t *testing.T, n int) int {
	dst, keys := Family{}.sumGroups(nil, make([][]byte, n))
	require.Len(t, dst, n-len(keys))
	dst, texts := Family{}.sumStringGroups(nil, make([]string, n))
	require.Len(t, dst, n-len(texts))
	require.Equal(t, len(keys), len(texts))
	return len(keys)
}

// Keys are hashed in groups from 8 on: of 8 with AVX2, and with AVX-512 of 10
// to 16 too. Five numbers are the fewest that are hashed together.
func TestWhichKeysAreHashedInGroups(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for n := range 50 {
			want, numbers := n, n
			switch {
			case cpu.AVX512 && n%16 >= 10:
				want = 0
			case cpu.AVX2:
				want = n % 8
			}
			if cpu.AVX2 && n >= 5 {
				numbers = 0
			}
			require.Equal(t, want, left(t, n), "%d keys", n)
			dst, rest := Family{}.sumUint64Groups(nil, make([]uint64, n))
			require.Len(t, rest, numbers, "%d numbers", n)
			require.Len(t, dst, n-len(rest))
		}
	})
}

// requireGroup checks which of some keys of these lengths a function leaves
// out, and the digests of the others.
func requireGroup(t *testing.T, sum func([]Digest, *uintptr, uintptr, *state) uint32, lengths []int, rest uint32) {
	f, text := New(ascending()), noise(1<<13)
	keys, digests := make([][]byte, len(lengths)), make([]Digest, len(lengths))
	for i, n := range lengths {
		keys[i] = text[i:][:n]
	}
	first, stride := headers(keys)
	start := f.state()
	require.Equal(t, rest, sum(digests, first, stride, &start), lengths)
	for i, want := range one(f, keys) {
		require.True(t, rest>>i&1 == 1 || want == digests[i], "%d of %v", i, lengths)
	}
}

// TestGroupsOfAVX2 checks which groups are hashed as such, so that the tests of
// SumAll see what they are meant to see.
func TestGroupsOfAVX2(t *testing.T) {
	ways[1].set(t)
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
		requireGroup(t, sumGroupAVX2, c.lengths, c.rest)
	}
}

// TestGroupsOfAVX512 checks which keys are left out.
func TestGroupsOfAVX512(t *testing.T) {
	ways[0].set(t)
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
		requireGroup(t, sumGroupAVX512, c.lengths, c.rest)
	}
}
