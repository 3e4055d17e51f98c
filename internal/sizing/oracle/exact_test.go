package oracle

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing"
)

func TestExactRate(t *testing.T) {
	t.Run("known rationals", func(t *testing.T) {
		for _, v := range []struct {
			m, n uint64
			k    int
			want *big.Rat
		}{
			{4, 2, 2, big.NewRat(505, 1024)},
			{8, 1, 2, big.NewRat(29, 512)},
			{16, 2, 3, big.NewRat(151133581, 1<<32)},
		} {
			want, _ := v.want.Float64()
			require.InEpsilon(t, want, ExactRate(v.m, v.k, v.n), 1e-14)
			require.InEpsilon(t, want, sizing.Rate(v.m, v.k, v.n), 1e-14)
		}
	})
	t.Run("known decimals", func(t *testing.T) {
		for _, v := range []struct {
			m, n uint64
			k    int
			want float64
		}{
			{64, 8, 4, 0.0253544346},
			{256, 26, 7, 0.00913464653},
			{1024, 106, 7, 0.00975425389},
		} {
			require.InEpsilon(t, v.want, ExactRate(v.m, v.k, v.n), 2e-9)
			require.InEpsilon(t, v.want, sizing.Rate(v.m, v.k, v.n), 2e-9)
		}
	})
	t.Run("an enumeration of all outcomes", func(t *testing.T) {
		hits, all := enumerate(4, 2, 2)
		require.Equal(t, 505*all, 1024*hits)
		for _, v := range []struct{ m, k, n int }{{4, 2, 2}, {3, 3, 1}, {2, 1, 5}, {5, 2, 1}, {1, 2, 1}} {
			hits, all := enumerate(v.m, v.k, v.n)
			want := float64(hits) / float64(all)
			require.InEpsilon(t, want, ExactRate(uint64(v.m), v.k, uint64(v.n)), 1e-14)
			require.InEpsilon(t, want, sizing.Rate(uint64(v.m), v.k, uint64(v.n)), 1e-14)
		}
	})
	t.Run("the closed form with Stirling numbers", func(t *testing.T) {
		require.InEpsilon(t, stirlingRate(16, 3, 2), ExactRate(16, 3, 2), 1e-14)
		require.InEpsilon(t, stirlingRate(64, 4, 8), ExactRate(64, 4, 8), 1e-13)
		require.InEpsilon(t, stirlingRate(96, 7, 10), ExactRate(96, 7, 10), 1e-13)
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

// stirlingRate is the formula of Bose et al. in integer arithmetic:
//
//	m^-k(n+1) * sum_i i^k * i! * C(m,i) * S(kn,i)
func stirlingRate(m, k, n int64) float64 {
	sum, stirling := new(big.Int), Stirling(int(k*n))
	for i := int64(1); i <= min(m, k*n); i++ {
		term := new(big.Int).Exp(big.NewInt(i), big.NewInt(k), nil)
		term.Mul(term, new(big.Int).MulRange(1, i))
		term.Mul(term, new(big.Int).Binomial(m, i))
		sum.Add(sum, term.Mul(term, stirling[i]))
	}
	all := new(big.Int).Exp(big.NewInt(m), big.NewInt(k*(n+1)), nil)
	rate, _ := new(big.Rat).SetFrac(sum, all).Float64()
	return rate
}
