package sizing

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

type layout struct {
	name string
	plan func(uint64, float64) (Plan, bool)
	rate func(m uint64, k int, n uint64) float64
	unit func(Plan) uint64
}

var layouts = []layout{
	{"classic", ClassicPlan, Rate, func(Plan) uint64 { return 8 }},
	{"partitioned", PartitionedPlan, PartitionedRate, func(p Plan) uint64 { return 8 * uint64(p.Hashes) }},
	{"blocked", BlockedPlan, BlockedRate, func(p Plan) uint64 {
		if p.Bits >= foldable*LineBits {
			return 8 * LineBits
		}
		return LineBits
	}},
}

func (l layout) total(bits uint64, k int, n uint64) float64 {
	if l.name == "classic" {
		return WithClassicDigest(l.rate(bits, k, n), bits, k, n)
	}
	return WithDigest(l.rate(bits, k, n), n)
}

// A plan has the wanted rate, but a smaller size or a neighboring k does not.
func TestPlansAreMinimal(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { requireMinimal(t, l, drawN(t), drawRate(t), 1) })
		})
	}
	requireMinimal(t, layouts[0], 16_726_214_386, 9.0715e-10, 1) // larger than the rate of equal digests, but still too low
}

func drawN(t *rapid.T) uint64 {
	return rapid.Uint64Range(1, 1<<rapid.IntRange(0, 40).Draw(t, "log n")).Draw(t, "n")
}

func drawRate(t *rapid.T) float64 {
	if rapid.IntRange(0, 9).Draw(t, "near one") == 0 {
		return 1 - math.Exp2(-rapid.Float64Range(1, 53).Draw(t, "-log2(1-eps)"))
	}
	if rapid.Bool().Draw(t, "large rate") {
		return rapid.Float64Range(0.001, 0.9999).Draw(t, "eps")
	}
	return math.Exp2(-rapid.Float64Range(1, 40).Draw(t, "-log2 eps"))
}

func requireMinimal(t require.TestingT, l layout, n uint64, eps float64, reach int) {
	p, ok := l.plan(n, eps)
	if !ok {
		require.True(t, eps <= float64(n)/(1<<64) || eps < l.lowest(n), "n=%d eps=%g", n, eps)
		return
	}
	label := fmt.Sprintf("n=%d eps=%g %+v", n, eps, p)
	require.Zero(t, p.Bits%l.unit(p), label)
	best := l.total(p.Bits, p.Hashes, n)
	require.LessOrEqual(t, best, eps, label)
	if less := p.Bits - l.unit(p); less > 0 {
		require.Greater(t, l.total(less, p.Hashes, n), eps, label)
	}
	for k := p.Hashes - reach; k <= p.Hashes+reach; k++ {
		if bits := l.bitsFor(k, p.Bits); bits > 0 {
			require.GreaterOrEqual(t, l.total(bits, k, n)*(1+1e-14), best, label)
		}
		if less := l.bitsFor(k, p.Bits-1); less > 0 {
			require.Greater(t, l.total(less, k, n), eps, label)
		}
	}
}

// lowest returns the lowest rate of a filter for n keys, which the largest
// filter has. If n is large, this rate is above DigestRate, because of digests
// that are near a member's in the probe sequence.
func (l layout) lowest(n uint64) float64 {
	lowest := 1.0
	for k := 1; k <= MaxHashes; k++ {
		lowest = min(lowest, l.total(l.bitsFor(k, MaxBits), k, n))
	}
	return lowest
}

// bitsFor returns the largest valid size up to bits for k hash functions.
func (l layout) bitsFor(k int, bits uint64) uint64 {
	if k < 1 || k > MaxHashes {
		return 0
	}
	unit := l.unit(Plan{bits, k})
	return bits / unit * unit
}

// Much smaller filters have rates that differ from 1 by rounding errors alone.
// They must not lead to a large number of hash functions.
func TestPlansForHighRatesAreMinimal(t *testing.T) {
	requireMinimal(t, layouts[2], 280_593, 0.9664707853898132, 1)
	for _, l := range layouts {
		for n := uint64(1000); n < 1e9; n = n*5/2 + 1 {
			for gap := 0.1; gap > 1e-15; gap *= 0.7 {
				requireMinimal(t, l, n, 1-gap, 1)
			}
		}
	}
}

func TestNoOtherPlanIsBetter(t *testing.T) {
	for _, l := range layouts {
		for _, n := range []uint64{1, 3, 31, 1000, 1e6} {
			for _, eps := range []float64{0.999, 0.5, 0.1, 0.01, 1e-5} {
				requireMinimal(t, l, n, eps, 20)
			}
		}
	}
}

// eps is reduced by the rate of equal digests. The largest excess is 0.26% near
// eps = 2.27%, between k = 5 and k = 6.
func TestClassicPlansAreCloseToTheFormula(t *testing.T) {
	for eps := 0.03; eps >= 1e-9; eps *= 0.9 {
		for n := uint64(1e4); n <= 1e8; n *= 100 {
			p, ok := ClassicPlan(n, eps)
			require.True(t, ok)
			bits := float64(p.Bits) / float64(n)
			require.GreaterOrEqual(t, bits, BloomBitsPerKey(eps))
			require.LessOrEqual(t, bits, 1.003*BloomBitsPerKey(eps-3*DigestRate(n)), "n=%d eps=%g %+v", n, eps, p)
		}
	}
}

func TestPlansIncludeEqualDigests(t *testing.T) {
	const n, eps = 2e6, 2e-13
	require.Greater(t, DigestRate(n), eps/2)
	for _, l := range layouts {
		p, ok := l.plan(n, eps)
		require.True(t, ok, l.name)
		require.Less(t, l.rate(p.Bits, p.Hashes, n), eps/2, l.name)
	}
}

func TestPlansAtTheLimits(t *testing.T) {
	machine.Matters(t)
	for _, l := range layouts {
		t.Run(l.name+" rejects impossible arguments", func(t *testing.T) {
			for _, v := range []struct {
				n   uint64
				eps float64
			}{
				{0, 0.01}, {1, 0}, {1, 1}, {1, -0.5}, {1, math.NaN()}, {1, math.Inf(1)},
				{1, math.Exp2(-64)}, {1 << 40, math.Exp2(-24)}, {5e8, 2.7e-11}, {1 << 60, 0.01}, {1, math.SmallestNonzeroFloat64},
				{math.MaxUint64, 0.5}, {math.MaxUint64, math.Nextafter(1, 0)}, {1 << 46, 0.01}, {1 << 63, 0.4},
			} {
				p, ok := l.plan(v.n, v.eps)
				require.False(t, ok, "n=%d eps=%g", v.n, v.eps)
				require.Zero(t, p)
			}
		})
		t.Run(l.name+" accepts one key and rates near one", func(t *testing.T) {
			for _, n := range []uint64{1, 10, 2396, 137_787, 1e6} {
				requireMinimal(t, l, n, math.Nextafter(1, 0), 1)
				p, ok := l.plan(n, 0.9)
				require.True(t, ok)
				require.True(t, n < 1e6 || p.Hashes == 1)
			}
		})
		t.Run(l.name+" accepts a rate just above that of equal digests", func(t *testing.T) {
			for _, n := range []uint64{1, 100, 1e6} {
				if l.name != "classic" {
					requireMinimal(t, l, n, DigestRate(n)*1.001, 1)
					continue
				}
				// Below three times this rate, two values of k can both be
				// better than their neighbors.
				requireMinimal(t, l, n, DigestRate(n)*3.1, 1)
				p, ok := l.plan(n, DigestRate(n)*1.05)
				require.True(t, ok)
				require.LessOrEqual(t, l.total(p.Bits, p.Hashes, n), DigestRate(n)*1.05)
			}
		})
	}
	t.Run("known plans", func(t *testing.T) {
		percent, _ := ClassicPlan(1e6, 0.01)
		require.Equal(t, Plan{9_592_960, 7}, percent)
		classic, _ := ClassicPlan(1, 0.5)
		sliced, _ := PartitionedPlan(1, 0.5)
		line, _ := BlockedPlan(1, 0.5)
		require.Equal(t, []uint64{8, 8, LineBits}, []uint64{classic.Bits, sliced.Bits, line.Bits})
		require.Equal(t, 1, sliced.Hashes)
	})
}

func TestPlansTerminate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64().Draw(t, "n")
		eps := rapid.Float64().Draw(t, "eps")
		for _, l := range layouts {
			p, ok := l.plan(n, eps)
			require.Equal(t, ok, p.Bits > 0)
			require.LessOrEqual(t, p.Bits, uint64(MaxBits))
			require.LessOrEqual(t, p.Hashes, MaxHashes)
		}
	})
}

func TestBestHashesHasTheLowestRate(t *testing.T) {
	falling := func(k int) float64 { return 1 / float64(k) }
	rising := func(k int) float64 { return float64(k) }
	equal := func(int) float64 { return 0.5 }
	for start, rate := range map[int]func(int) float64{1: rising, MaxHashes: rising, 5: equal} {
		k, p := bestHashes(start, rate)
		require.Equal(t, 1, k)
		require.Equal(t, rate(1), p)
	}
	k, p := bestHashes(1, falling)
	require.Equal(t, MaxHashes, k)
	require.Equal(t, falling(MaxHashes), p)
	require.Equal(t, 7, HashesWithin(1000, 100, func(k int) float64 { return Rate(1000, k, 100) }))
}

func TestSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Uint64Range(1, math.MaxUint64).Draw(t, "limit")
		guess := rapid.Uint64Range(1, limit).Draw(t, "guess")
		want := rapid.Uint64Range(1, limit).Draw(t, "want")
		got, ok := smallest(guess, limit, func(u uint64) bool { return u >= want })
		require.True(t, ok)
		require.Equal(t, want, got)
		_, ok = smallest(guess, limit, func(uint64) bool { return false })
		require.False(t, ok)
	})
	require.Equal(t, uint64(99), LargestWithin(0.5, 10, func(n uint64) float64 { return float64(n) / 198 }))
	require.Equal(t, uint64(math.MaxUint64), LargestWithin(0.5, 10, func(uint64) float64 { return 0 }))
}

func BenchmarkPlan(b *testing.B) {
	for _, l := range layouts {
		for _, n := range []uint64{10, 1e4, 1e9} {
			for _, eps := range []float64{0.01, 1e-6} {
				b.Run(fmt.Sprintf("%s/n=%d/eps=%g", l.name, n, eps), func(b *testing.B) {
					for b.Loop() {
						l.plan(n, eps)
					}
				})
			}
		}
	}
}
