//go:build !purego

package hashfam

import (
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
func TestGroupSizes(t *testing.T) {
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
