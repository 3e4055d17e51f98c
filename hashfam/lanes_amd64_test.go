//go:build !purego

package hashfam

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/cpu"
)

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
// to 16 too.
func TestWhichKeysAreHashedInGroups(t *testing.T) {
	defer SetLanes(cpu.AVX2, cpu.AVX512)()
	for n := range 50 {
		SetLanes(false, false)
		require.Equal(t, n, left(t, n), "one by one")
		if cpu.AVX2 {
			SetLanes(true, false)
			require.Equal(t, n%8, left(t, n), "AVX2, %d keys", n)
		}
		if cpu.AVX512 {
			SetLanes(true, true)
			want := n % 16
			if want >= 10 {
				want = 0
			}
			require.Equal(t, want%8, left(t, n), "AVX-512, %d keys", n)
		}
	}
}

// Five numbers are the fewest that are hashed together.
func TestWhichNumbersAreHashedInGroups(t *testing.T) {
	defer SetLanes(cpu.AVX2, cpu.AVX512)()
	for n := range 10 {
		SetLanes(false, false)
		dst, rest := Family{}.sumUint64Groups(nil, make([]uint64, n))
		require.Empty(t, dst)
		require.Len(t, rest, n)
		if cpu.AVX2 {
			SetLanes(true, false)
			dst, rest = Family{}.sumUint64Groups(nil, make([]uint64, n))
			require.Equal(t, n >= 5, len(rest) == 0 && n > 0, "%d numbers", n)
			require.Len(t, dst, n-len(rest))
		}
	}
}
