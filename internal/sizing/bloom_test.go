package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/sizing/oracle"
)

func TestClosedFormRates(t *testing.T) {
	t.Run("known values of the classic formula", func(t *testing.T) {
		for _, v := range []struct {
			m, n uint64
			k    int
			want float64
		}{
			{8, 1, 2, 0.0549316406},
			{16, 2, 3, 0.0330965188},
			{64, 8, 4, 0.0245562164},
			{256, 26, 7, 0.00891268118},
			{1024, 106, 7, 0.00969461641},
		} {
			require.InEpsilon(t, v.want, ClassicRate(v.m, v.k, v.n), 2e-9)
		}
	})
	t.Run("known values of the exponential approximation", func(t *testing.T) {
		for _, v := range []struct {
			m, n uint64
			k    int
			want float64
		}{
			{8, 1, 2, 0.0489290936},
			{16, 2, 3, 0.0305793545},
			{64, 8, 4, 0.0239686508},
			{256, 26, 7, 0.00882934164},
			{1024, 106, 7, 0.00967206779},
		} {
			require.InEpsilon(t, v.want, oracle.ExponentialRate(v.m, v.k, v.n), 2e-9)
		}
	})
	t.Run("known values of the partitioned formula", func(t *testing.T) {
		require.InEpsilon(t, 1.0/16, PartitionedRate(8, 2, 1), 1e-14)
		require.InEpsilon(t, 0.0264502027, PartitionedRate(64, 4, 8), 1e-9)
	})
	t.Run("an empty filter has rate zero and a full one has rate one", func(t *testing.T) {
		for name, rate := range rates {
			require.Zero(t, rate(512, 3, 0), name)
			require.Equal(t, 1.0, rate(512, 3, math.MaxUint64), name)
		}
		require.Equal(t, 1.0, ClassicRate(1, 1, 1))
		require.Equal(t, 1.0, PartitionedRate(3, 3, 1))
	})
}

var rates = map[string]func(uint64, int, uint64) float64{
	"classic": ClassicRate, "exponential": oracle.ExponentialRate, "expected": Rate,
	"partitioned": PartitionedRate, "blocked": blockedRate,
}

// The rates are ordered: exponential <= classic <= expected, and classic <=
// partitioned. The factor allows for rounding.
func TestRatesAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 40).Draw(t, "k")
		m := uint64(k) * rapid.Uint64Range(2, 1<<20).Draw(t, "m/k")
		n := uint64(float64(m)/float64(k)*rapid.Float64Range(0.01, 5).Draw(t, "throws per bit")) + 1
		const up = 1 + 1e-11
		require.LessOrEqual(t, oracle.ExponentialRate(m, k, n), ClassicRate(m, k, n)*up)
		require.LessOrEqual(t, ClassicRate(m, k, n), Rate(m, k, n)*up)
		require.LessOrEqual(t, ClassicRate(m, k, n), PartitionedRate(m, k, n)*up)
	})
}

// Bisection over the size relies on this.
func TestRatesDecreaseWithSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 40).Draw(t, "k")
		blocks := rapid.Uint64Range(1, 1<<rapid.IntRange(0, 30).Draw(t, "log")).Draw(t, "blocks")
		n := uint64(float64(blocks)*rapid.Float64Range(0, 1000).Draw(t, "load")) + 1
		m := blocks * LineBits
		const up = 1 + 1e-12
		require.LessOrEqual(t, Rate(m+8, k, n), Rate(m, k, n)*up)
		require.LessOrEqual(t, PartitionedRate(m+8, k, n), PartitionedRate(m, k, n)*up)
		require.LessOrEqual(t, blockedRate(m+LineBits, k, n), blockedRate(m, k, n)*up)
	})
}

func TestDigestRate(t *testing.T) {
	t.Run("the rate of equal digests is n over 2^64", func(t *testing.T) {
		require.InEpsilon(t, 5e8/math.Exp2(64), DigestRate(5e8), 1e-10)
		require.InDelta(t, 2.7e-11, DigestRate(5e8), 0.02e-11)
		require.InEpsilon(t, 1-1/math.E, DigestRate(math.MaxUint64), 1e-12)
	})
	t.Run("either cause is enough for a false positive", func(t *testing.T) {
		n := uint64(1) << 62
		d := 1 - math.Exp(-0.25)
		require.InEpsilon(t, 1-(1-0.5)*(1-d), WithDigest(0.5, n), 1e-14)
		require.InEpsilon(t, d, WithDigest(0, n), 1e-14)
		require.Equal(t, 1.0, WithDigest(1, n))
	})
}
