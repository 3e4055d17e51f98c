//go:build !purego

package hashfam

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/cpu"
)

// setLanes sets whether SumAll can use AVX2 and AVX-512. It returns a function
// that restores the previous settings.
func setLanes(avx2, avx512 bool) (restore func()) {
	was2, was512 := cpu.AVX2, cpu.AVX512
	cpu.AVX2, cpu.AVX512 = avx2, avx512
	return func() { cpu.AVX2, cpu.AVX512 = was2, was512 }
}

// left returns how many of n keys are hashed individually. This number must be
// the same for bytes and strings.
func left(t *testing.T, n int) int {
	dst, keys := Family{}.sumGroups(nil, make([][]byte, n))
	require.Len(t, dst, n-len(keys))
	dst, texts := Family{}.sumStringGroups(nil, make([]string, n))
	require.Len(t, dst, n-len(texts))
	require.Equal(t, len(keys), len(texts))
	return len(keys)
}

// Groups have 8 keys with AVX2, and also 10 to 16 keys with AVX-512. A group of
// numbers has at least five.
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

// requireGroup calls sum for keys with the given lengths, and checks which keys
// it skips and the digests of the others.
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

// AVX2 skips a group, and AVX-512 skips some keys in a group, if the lengths
// differ too much.
func TestGroupsOfMixedLengths(t *testing.T) {
	rest := func(n int, others ...int) []int { return append(others, slices.Repeat([]int{5}, n-len(others))...) }
	for _, c := range []struct {
		lengths      []int
		avx2, avx512 uint32
	}{
		{rest(8, 0, 8, 16, 24, 32), 0, 0},
		{rest(8, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000), 0, 0},
		{rest(8, 32), 0, 1},
		{rest(8, 100), 0xff, 1},
		{rest(8, 5, 5, 5, 5, 5, 5, 5, 5000), 0xff, 1 << 7},
		{rest(16, 28), 0, 0}, // 12 bytes beyond the first 16
		{rest(16, 29), 0, 1},
		{rest(16, 64, 64), 0, 0}, // 48
		{rest(16, 65, 17), 0, 3},
		{rest(16, 5, 125, 5, 125, 5, 125), 0, 1<<1 | 1<<3 | 1<<5},
		{rest(16, 208, 208, 208, 208), 0, 0}, // 192
		{rest(16, 209, 20, 20, 20), 0, 0xf},
		{rest(16, 2000, 2000, 2000, 2000, 7000), 0, 1 << 4},
		{rest(1, 5000), 0, 0}, // all lanes contain the same key
	} {
		if cpu.AVX2 && len(c.lengths) == 8 {
			requireGroup(t, sumGroupAVX2, c.lengths, c.avx2)
		}
		if cpu.AVX512 {
			requireGroup(t, sumGroupAVX512, c.lengths, c.avx512)
		}
	}
}
