package sizing

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExactRate(t *testing.T) {
	t.Run("it gives the known rationals", func(t *testing.T) {
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
			require.InEpsilon(t, want, Rate(v.m, v.k, v.n), 1e-14)
		}
	})
	t.Run("it gives the known decimals", func(t *testing.T) {
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
			require.InEpsilon(t, v.want, Rate(v.m, v.k, v.n), 2e-9)
		}
	})
	t.Run("it agrees with every outcome counted by hand", func(t *testing.T) {
		hits, all := enumerate(4, 2, 2)
		require.Equal(t, 505*all, 1024*hits)
		for _, v := range []struct{ m, k, n int }{{4, 2, 2}, {3, 3, 1}, {2, 1, 5}, {5, 2, 1}, {1, 2, 1}} {
			hits, all := enumerate(v.m, v.k, v.n)
			want := float64(hits) / float64(all)
			require.InEpsilon(t, want, ExactRate(uint64(v.m), v.k, uint64(v.n)), 1e-14)
			require.InEpsilon(t, want, Rate(uint64(v.m), v.k, uint64(v.n)), 1e-14)
		}
	})
	t.Run("it agrees with the closed form over Stirling numbers", func(t *testing.T) {
		require.InEpsilon(t, stirlingRate(16, 3, 2), ExactRate(16, 3, 2), 1e-14)
		require.InEpsilon(t, stirlingRate(64, 4, 8), ExactRate(64, 4, 8), 1e-13)
		require.InEpsilon(t, stirlingRate(96, 7, 10), ExactRate(96, 7, 10), 1e-13)
	})
}

// enumerate goes through all m^(k(n+1)) choices of positions for n keys and
// one query, and counts those in which the query is answered yes.
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

// stirlingRate is the formula of Bose et al. in integers:
//
//	m^-k(n+1) * sum_i i^k * i! * C(m,i) * S(kn,i)
func stirlingRate(m, k, n int64) float64 {
	sum, stirling := new(big.Int), stirlingRow(int(k*n))
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

// stirlingRow is S(n, 0..n), the Stirling numbers of the second kind.
func stirlingRow(n int) []*big.Int {
	row := []*big.Int{big.NewInt(1)}
	for len(row) <= n {
		next := []*big.Int{new(big.Int)}
		for i := 1; i < len(row); i++ {
			s := new(big.Int).Mul(big.NewInt(int64(i)), row[i])
			next = append(next, s.Add(s, row[i-1]))
		}
		row = append(next, big.NewInt(1))
	}
	return row
}

func TestOccupancyHasTheKnownMoments(t *testing.T) {
	const m, throws = 300, 170
	var total, mean, square float64
	for x, p := range occupancy(m, throws) {
		total += p
		mean += p * float64(x)
		square += p * float64(x) * float64(x)
	}
	require.InEpsilon(t, 1, total, 1e-12)
	wantMean, wantVar := occupancyMoments(m, throws)
	require.InEpsilon(t, wantMean, mean, 1e-12)
	require.InEpsilon(t, wantVar, square-mean*mean, 1e-9)
}

// occupancyMoments are the exact mean and variance of the number of occupied
// cells. With q = (1-1/m)^t, the variance m(m-1)(1-2/m)^t + mq - m^2 q^2 is
// regrouped so that nothing of order m^2 cancels.
func occupancyMoments(m, throws float64) (mean, variance float64) {
	q := math.Exp(throws * math.Log1p(-1/m))
	pair := math.Expm1(throws * math.Log1p(-1/((m-1)*(m-1))))
	return m * (1 - q), m*q*(1-q) + m*(m-1)*q*q*pair
}
