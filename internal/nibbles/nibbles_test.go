package nibbles

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

func TestNibblesEqualSeparateCounters(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		i := uint64(rapid.IntRange(0, 15).Draw(t, "i"))
		up, down, none, both := Counters{a}, Counters{a}, uint64(0), sum(a, b)
		up.Inc(i)
		if down.At(i) > 0 {
			down.Dec(i)
		}
		for j := range uint64(16) {
			x, y := a>>(4*j)&15, b>>(4*j)&15
			more, less := x, x
			if i == j {
				more = min(15, x+1)
				if x > 0 && x < 15 {
					less--
				}
			}
			require.Equal(t, x, Counters{a}.At(j))
			require.Equal(t, more, up.At(j), "inc")
			require.Equal(t, less, down.At(j), "dec")
			require.Equal(t, min(15, x+y), both>>(4*j)&15, "sum")
			if x > 0 {
				none |= 1 << (4 * j)
			}
		}
		require.Equal(t, none, Nonzero(a))
		require.EqualValues(t, bits.OnesCount64(none), Counters{0, a}.InUse())
		require.Equal(t, Counters{b, both}, added(Counters{b, a}, Counters{0, b, 1}))
		require.Equal(t, bits.OnesCount64(none), bits.OnesCount64(Gather(none)))
		for j := range 16 {
			require.Equal(t, none>>(4*j)&1, Gather(none)>>j&1)
		}
	})
}

func added(n, other Counters) Counters {
	n.AddAll(other)
	return n
}
