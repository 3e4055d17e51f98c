package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCuckooTableRate(t *testing.T) {
	require.Zero(t, CuckooTableRate(2, 8, 0))
	require.InEpsilon(t, 2.0/(100*255), CuckooTableRate(100, 8, 1), 1e-12)
	// Fan et al. count slots, as if each held another fingerprint at random.
	for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
		n := uint64(3_984_588) // 0.95 of 2^22
		require.InEpsilon(t, CuckooRate(f, 0.95), CuckooTableRate(1<<20, f, n), 0.04)
		require.Less(t, CuckooTableRate(1<<20, f, n), CuckooRate(f, 0.95))
	}
}

func TestBinomialTail(t *testing.T) {
	// P(T > 8) of ten throws with p = 1/2: 11/1024; n = 10 has a mean of 5.
	require.InEpsilon(t, 11.0/1024, binomialTail(10, 0.5, 8), 1e-12)
	require.InEpsilon(t, math.Pow(0.1, 9), binomialTail(9, 0.1, 8), 1e-12)
	require.Zero(t, binomialTail(8, 0.5, 8))
	require.Zero(t, binomialTail(100, 0, 8))
	require.Equal(t, 1.0, binomialTail(100, 1, 8))
	// Poisson in the limit: sum over k > 8 of 0.25^k e^-0.25 / k!.
	want := 0.0
	for k, term := 1.0, math.Exp(-0.25); k < 40; k++ {
		if term *= 0.25 / k; k > 8 {
			want += term
		}
	}
	require.InEpsilon(t, want, binomialTail(1e12, 0.25e-12, 8), 1e-3)
}

// With wide fingerprints all pairs are tied alike, and with one key a class the
// expectation is elementary.
func TestCrowdedPairs(t *testing.T) {
	require.Zero(t, crowdedPairs(4, 32, 8))
	require.InEpsilon(t, 4*math.Pow(0.25, 9), crowdedPairs(4, 32, 9), 1e-9)
	// Two ways to the same number: sum and mean.
	a := crowdedPairs(510, 17, 400) // a mean of 514 ties: summed
	require.InEpsilon(t, 255*255*binomialTail(400, 1.0/(255*255), 8), a, 0.1)
	for f := MinFingerprintBits; f < MaxFingerprintBits; f++ {
		require.GreaterOrEqual(t, crowdedPairs(64, f, 200), crowdedPairs(64, f+1, 200)*(1-1e-9), "f = %d", f)
	}
}

func TestCuckooCapacityIsWhatFits(t *testing.T) {
	for _, m := range []uint64{2, 4, 8, 16, 64, 250, 1024, 1 << 14, 1 << 20, 1 << 30} {
		for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
			n := CuckooCapacity(m, f)
			require.GreaterOrEqual(t, n, uint64(pairSlots))
			require.True(t, cuckooFits(m, f, n), "m = %d, f = %d, n = %d", m, f, n)
			require.False(t, cuckooFits(m, f, n+1), "m = %d, f = %d, n = %d", m, f, n)
			if f < MaxFingerprintBits {
				require.LessOrEqual(t, n, CuckooCapacity(m, f+1))
			}
		}
	}
	require.EqualValues(t, 8, CuckooCapacity(2, 32))
	require.EqualValues(t, 4_068_474, CuckooCapacity(1<<20, 12)) // 0.97 of 2^22
}

// Fan et al., section 4: the least width grows with the logarithm of the size.
func TestLeastFingerprintBits(t *testing.T) {
	before := 0
	for shift := 1; shift < 45; shift++ {
		least := LeastFingerprintBits(1 << shift)
		require.GreaterOrEqual(t, least, before)
		before = least
	}
	require.Equal(t, 4, LeastFingerprintBits(1<<10))
	require.Less(t, before, 12)
}

func TestCuckooPlanIsTheSmallestTable(t *testing.T) {
	for _, saved := range []int{0, 1} {
		for _, n := range []uint64{1, 8, 9, 100, 5000, 100_000, 10_000_000} {
			for _, eps := range []float64{0.5, 0.03, 0.01, 1e-4, 1e-8} {
				best, ok := CuckooPlan(n, eps, saved)
				require.True(t, ok)
				require.LessOrEqual(t, WithDigest(CuckooTableRate(best.Buckets, best.FingerprintBits, n), n), eps)
				require.True(t, cuckooFits(best.Buckets, best.FingerprintBits, n))
				require.False(t, best.Buckets > 2 && cuckooFits(best.Buckets-2, best.FingerprintBits, n))
				size := best.Buckets * uint64(best.FingerprintBits-saved)
				for f := max(MinFingerprintBits, best.FingerprintBits-2); f <= best.FingerprintBits+2; f++ {
					half, _ := smallest(1, 1<<40, func(half uint64) bool { return cuckooFits(2*half, f, n) })
					meets := WithDigest(CuckooTableRate(2*half, f, n), n) <= eps && f >= LeastFingerprintBits(2*half)
					require.False(t, meets && 2*half*uint64(f-saved) < size, "n = %d, eps = %g: %v, but %d bits", n, eps, best, f)
				}
			}
		}
	}
	_, ok := CuckooPlan(1000, 1e-10, 0)
	require.False(t, ok)
	_, ok = CuckooPlan(1<<60, 0.1, 0)
	require.False(t, ok)
}
