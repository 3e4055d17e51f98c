package oracle

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing"
)

func TestExactRate(t *testing.T) {
	requireRate := func(want float64, m uint64, k int, n uint64, tolerance float64) {
		require.InEpsilon(t, want, ExactRate(m, k, n), tolerance)
		require.InEpsilon(t, want, sizing.Rate(m, k, n), tolerance)
	}
	t.Run("known rates", func(t *testing.T) {
		want, _ := big.NewRat(151133581, 1<<32).Float64()
		requireRate(want, 16, 3, 2, 1e-14)
		requireRate(29./512, 8, 2, 1, 1e-14)
		requireRate(0.0253544346, 64, 4, 8, 2e-9)
		requireRate(0.00913464653, 256, 7, 26, 2e-9)
		requireRate(0.00975425389, 1024, 7, 106, 2e-9)
	})
	t.Run("an enumeration of all outcomes", func(t *testing.T) {
		for _, v := range []struct{ m, k, n int }{{4, 2, 2}, {3, 3, 1}, {2, 1, 5}, {5, 2, 1}, {1, 2, 1}} {
			hits, all := enumerate(v.m, v.k, v.n)
			requireRate(float64(hits)/float64(all), uint64(v.m), v.k, uint64(v.n), 1e-14)
		}
	})
}

// enumerate counts all m^(k(n+1)) choices of positions for n keys and one
// absent key, and those for which the absent key is found.
func enumerate(m, k, n int) (hits, all int) {
	pos := make([]int, k*(n+1))
	for {
		set := make([]bool, m)
		for _, p := range pos[k:] {
			set[p] = true
		}
		yes := true
		for _, p := range pos[:k] {
			yes = yes && set[p]
		}
		if all++; yes {
			hits++
		}
		i := 0
		for ; i < len(pos) && pos[i] == m-1; i++ {
			pos[i] = 0
		}
		if i == len(pos) {
			return hits, all
		}
		pos[i]++
	}
}

// docs/theory.md quotes these numbers. A 4-bit counter would wrap at 16, as Fan
// et al. print, and is stuck from 15.
func TestCounterOverflow(t *testing.T) {
	require.InEpsilon(t, 1.3677e-15, CounterOverflowOptimal(16), 5e-5)
	require.InEpsilon(t, 3.058e-14, CounterOverflowOptimal(15), 5e-4)
	const m, n, k = 1 << 30, 1 << 27, 6 // the real optimum of k is 5.545
	require.InEpsilon(t, m*math.Pow(math.E*0.75/16, 16), CounterOverflow(m, k, n, 16), 1e-12)
	exact, term := 0.0, 0.5 // of Poisson(ln 2), from the last term on
	for j := 1; j < 60; j++ {
		if term *= math.Ln2 / float64(j); j >= 15 {
			exact += term
		}
	}
	require.InEpsilon(t, 1.637e-15, exact, 5e-4)
}
