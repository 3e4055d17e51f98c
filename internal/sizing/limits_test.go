package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The loads of a few tables, from the formula in docs/theory.md by hand: the
// lower of 0.97 s and 0.977 s - sqrt(s) - min(18, 0.4 s), and at least eight.
func TestCuckooLoads(t *testing.T) {
	for m, keys := range map[uint64]uint64{
		2:         8,
		8:         12,  // 31.264 - 5.657 - 12.8
		10:        16,  // 39.080 - 6.325 - 16
		12:        21,  // 46.896 - 6.928 - 18
		16:        36,  // 62.528 - 8 - 18
		128:       459, // 500.224 - 22.627 - 18
		1_000_000: 3_880_000,
	} {
		require.Equal(t, keys, cuckooLoad(m), "m = %d", m)
	}
}

// Each bit of width ties pairs of buckets eight times as rarely, or so: a width
// that is enough for a quarter of the slots up to here is not enough for twice
// the buckets.
func TestLeastFingerprintBitsOfLargeTables(t *testing.T) {
	for shift, least := range map[int]int{18: 4, 19: 5, 26: 5, 27: 6, 35: 6, 36: 7, 43: 7, 44: 8} {
		require.Equal(t, least, LeastFingerprintBits(1<<shift), "2^%d buckets", shift)
		require.Equal(t, least, LeastFingerprintBits(1<<shift+1<<(shift-1)), "rounded down to 2^%d buckets", shift)
	}
}

// The widest fingerprints have 32 bits, which give 8/(2^32-1) at full load.
func TestTheWidestFingerprints(t *testing.T) {
	widest, ok := CuckooPlan(1_000_000, 1.9e-9, 0)
	require.True(t, ok)
	require.Equal(t, MaxFingerprintBits, widest.FingerprintBits)
	wide, ok := CuckooPlan(1_000_000, 1e-9, 0) // in a table that is not full
	require.True(t, !ok || wide.Buckets > widest.Buckets)
}

// The digests on both sides of a member's in its sequence of positions count
// too. The sum is written out for three hash functions.
func TestClassicDigestRate(t *testing.T) {
	fill := 1 - math.Pow(1-1.0/1000, 300)
	require.InEpsilon(t, DigestRate(100)*(1+2*(fill+fill*fill)), ClassicDigestRate(1000, 3, 100), 1e-12)
	require.InEpsilon(t, DigestRate(100), ClassicDigestRate(1000, 1, 100), 1e-12)
	require.Equal(t, 1.0, ClassicDigestRate(64, 64, math.MaxUint64))
}

func TestBlockStepsAreInverse(t *testing.T) {
	for _, step := range []uint64{1, 1023, 1024, 1025, 5000} {
		require.Equal(t, step, stepsOf(blocksAt(step)))
	}
	require.Equal(t, uint64(1032), blocksAt(1025))
	require.Equal(t, uint64(1025), stepsOf(1039), "1040 blocks are the next step")
}

func TestTheBestNumberOfHashes(t *testing.T) {
	falling := func(k int) float64 { return 1 / float64(k) }
	rising := func(k int) float64 { return float64(k) }
	equal := func(int) float64 { return 0.5 }
	for start, rate := range map[int]func(int) float64{1: rising, 9: rising, MaxHashes: rising, 5: equal} {
		k, p := bestHashes(start, rate, less)
		require.Equal(t, 1, k)
		require.Equal(t, rate(1), p)
	}
	k, p := bestHashes(1, falling, less)
	require.Equal(t, MaxHashes, k)
	require.Equal(t, falling(MaxHashes), p)
}

// Beyond the throws in the table, the probability is that of the last of them.
func TestThrowsBeyondTheTable(t *testing.T) {
	s := newSurjection(3, 1)
	s.advance()
	last := s.at(len(s.onto) - 1)
	require.Equal(t, last, s.at(len(s.onto)))
	require.Equal(t, last, s.at(math.MaxInt))
}

// If the digests of members alone find a new key with a noticeable chance, the
// ribbon has a lower rate, so that both together have the one asked for.
func TestRibbonColumnsOfManyKeys(t *testing.T) {
	for _, n := range []uint64{1, 1 << 60, 1 << 62, 1 << 63} {
		for _, eps := range []float64{0.9, 0.5, 0.45} {
			units, ok := RibbonColumns(eps, n)
			if DigestRate(n) >= eps {
				require.False(t, ok, "n = %d, eps = %g: %d", n, eps, units)
				continue
			}
			require.True(t, ok, "n = %d, eps = %g", n, eps)
			require.LessOrEqual(t, ribbonRate(units, n), eps*(1+1e-9))
			require.Greater(t, ribbonRate(units-1, n), eps)
		}
	}
}

// ribbonRate is the rate of a ribbon of n keys with a number of columns in
// units of 1/65536: of the segments, a share has one column less.
func ribbonRate(units uint32, n uint64) float64 {
	columns := float64(units) / columnUnits
	r := math.Ceil(columns)
	return WithDigest(math.Exp2(-r)*(1+r-columns), n)
}

// Ten buckets with fingerprints of 4 bits take as much memory as eight with 5.
func TestOfTablesOfOneSizeTheNarrowerWins(t *testing.T) {
	plan, ok := CuckooPlan(10, 0.13, 0)
	require.True(t, ok)
	require.Equal(t, CuckooShape{Buckets: 10, FingerprintBits: 4}, plan)
}

// Above fewKeys, the logarithms of factorials are as exact as the product.
func TestExactBoundBesideTheProduct(t *testing.T) {
	for _, s := range []float64{fewKeys + 1, 1e6} {
		sum := 0.0
		for i := 1.0; i <= fewKeys+1; i++ {
			sum += math.Log2((s + i) / i)
		}
		require.InDelta(t, sum, ExactBound(fewKeys+1, uint64(s)), 1e-11)
	}
}
