//go:build !purego && !appengine

package hashfam

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/cpu"
)

// setLanes sets whether SumAll can use AVX2 and AVX-512. It returns a function
// that restores the previous settings.
func setLanes(avx2, avx512 bool) (restore func()) {
	was2, was512 := cpu.AVX2, cpu.AVX512
	cpu.AVX2, cpu.AVX512 = avx2, avx512
	return func() { cpu.AVX2, cpu.AVX512 = was2, was512 }
}

// Groups have 8 keys with AVX2, and also 10 to 16 keys with AVX-512. A group of
// numbers has at least five.
func TestGroupSizes(t *testing.T) {
	machine.Matters(t)
	eachWay(t, func(t *testing.T) {
		for n := range 50 {
			left, numbers := n, n // are hashed individually
			switch {
			case cpu.AVX512 && n%16 >= 10:
				left = 0
			case cpu.AVX2:
				left = n % 8
			}
			if cpu.AVX2 && n >= 5 {
				numbers = 0
			}
			dst, keys := sumGroups(Family{}, nil, make([][]byte, n))
			require.Equal(t, []int{n - left, left}, []int{len(dst), len(keys)}, "%d keys", n)
			dst, texts := sumGroups(Family{}, nil, make([]string, n))
			require.Equal(t, []int{n - left, left}, []int{len(dst), len(texts)}, "%d strings", n)
			dst, rest := Family{}.sumUint64Groups(nil, make([]uint64, n))
			require.Equal(t, []int{n - numbers, numbers}, []int{len(dst), len(rest)}, "%d numbers", n)
		}
	})
}

// Builds with the tag purego copy strings.
func TestStringsAreNotCopied(t *testing.T) {
	f, keys := New(ascending()), make([]string, 301)
	for n := range keys {
		keys[n] = strings.Repeat("a", n)
		require.Zero(t, testing.AllocsPerRun(10, func() { sink ^= f.SumString(keys[n]) }), "%d bytes", n)
	}
	eachWay(t, func(t *testing.T) {
		dst := make([]Digest, 0, len(keys))
		require.Zero(t, testing.AllocsPerRun(10, func() { sinkAll = f.SumAllStrings(dst, keys) }))
	})
}
