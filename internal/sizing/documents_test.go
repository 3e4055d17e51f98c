package sizing_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/sizing"
)

// poisson returns the probability that a Poisson variable is at least j.
func poisson(mean float64, j int) float64 {
	tail, term := 0.0, math.Exp(-mean)
	for i := range j + 100 {
		if i >= j {
			tail += term
		}
		term *= mean / float64(i+1)
	}
	return tail
}

// textbook returns the rate that ignores the variance of the fill.
func textbook(m, k, n float64) float64 { return math.Pow(-math.Expm1(k*n*math.Log1p(-1/m)), k) }

// docs/theory.md contains numbers that follow from formulas.
func TestTheoryShowsTheFormulas(t *testing.T) {
	shows := func(format string, args ...any) {
		t.Helper()
		checks.Documented(t, "theory.md", format, args...)
	}
	for _, c := range []struct {
		m, n uint64
		k    int
	}{{64, 8, 4}, {256, 26, 7}} {
		shows("| %d | %d | %d | %.4g%% | %.4g%% |", c.m, c.k, c.n, 100*sizing.Rate(c.m, c.k, c.n), 100*textbook(float64(c.m), float64(c.k), float64(c.n)))
	}
	worst := 0.0
	for eps := 0.03; eps >= 1e-9; eps *= 0.97 {
		for n := uint64(10_000); n <= 1e6; n *= 10 {
			p, ok := sizing.ClassicPlan(n, eps)
			require.True(t, ok)
			worst = max(worst, float64(p.Bits)/float64(n)/sizing.BloomBitsPerKey(eps)-1)
		}
	}
	shows("this increases by up to %.2f%%", 100*worst)
	shows("with mean ln 2, and reaches 15 with probability %.3g", poisson(math.Ln2, 15))
	var rates []any
	for _, f := range []int{8, 10, 13, 17, 23} {
		const m = 1 << 20
		rates = append(rates, 100*sizing.CuckooTableRate(m, f, 4*m*97/100))
	}
	shows("rates of %.4g%%, %.3g%%, %.3g%%, %.3g%% and", rates[:4]...)
	shows("and %.3ge-7", 1e5*rates[4].(float64))
	more := func(f int) float64 { // the rate of Fan et al. compared with the exact one, at a load of 0.97
		fingerprints := math.Exp2(float64(f)) - 1
		return 100 * (-math.Expm1(7.76*math.Log1p(-1/fingerprints))/-math.Expm1(-7.76/fingerprints) - 1)
	}
	shows("which is %.1f%% higher for f = 4 and a load of 0.97, and %.1f%% for f = 8", more(4), more(8))
	compact, ok := sizing.CuckooPlan(1_000_000, 0.001, 1)
	require.True(t, ok)
	size := 4 * float64(compact.Buckets) * float64(compact.FingerprintBits-1) / 1e6
	shows("at 0.1%% uses %.2f times the first bound, but only %.2f times the second", size/sizing.LowerBound(0.001), size/sizing.DynamicBound(0.001))
	shows("30 buckets are planned for %d keys, and 32 buckets for %d", sizing.CuckooCapacity(30, 12), sizing.CuckooCapacity(32, 12))
	buckets := crowded()
	less := slices.Index(buckets, 62) + 1
	require.Equal(t, less, (62-10)/2) // all of 10 to 62 but one
	require.NotContains(t, buckets, uint64(32))
	shows("In tables of %d to 62 buckets, but not of 32, and in %d larger ones of up to %d buckets, it limits every width",
		buckets[0], len(buckets)-less, buckets[len(buckets)-1])
	shows("the counter saturates, and becomes stuck | %.3g m |", math.Pow(math.E*math.Ln2/15, 15))
}

// crowded returns the numbers of buckets, up to 4,096, in which the number of
// keys is limited for every width by keys with the same pair of buckets, and
// not by free slots.
func crowded() (buckets []uint64) {
	for m := uint64(2); m <= 4096; m += 2 {
		s := 4 * float64(m)
		slots := uint64(max(8, min(0.97*s, 0.977*s-math.Sqrt(s)-min(18, 0.4*s))))
		limited := true
		for f := sizing.LeastFingerprintBits(m); f <= 32; f++ {
			limited = limited && sizing.CuckooCapacity(m, f) < slots
		}
		if limited {
			buckets = append(buckets, m)
		}
	}
	return buckets
}

// The smallest sizes of static filters of two lists per rarer key, from the
// formulas of their ribbons.
func TestTheoryShowsTheSmallestSizes(t *testing.T) {
	bounds, sizes := []any(nil), []any(nil)
	for _, ratio := range []float64{1, 2, 4, 5, 50, 1000} {
		const few = 1_000_000
		bound := sizing.ExactBound(few, uint64(ratio*few)) / few
		columns := math.Floor(math.Log2(ratio))
		size := (columns + 1 + ratio/math.Exp2(columns)) / bound
		if ratio != 2 && ratio != 4 {
			bounds = append(bounds, bound)
		}
		if ratio != 5 && ratio != 50 {
			sizes = append(sizes, size)
		}
	}
	checks.Documented(t, "theory.md", "this is %.2f bits at S/R = 1, %.2f at 5, %.2f at 50, and %.2f at 1,000", bounds...)
	checks.Documented(t, "theory.md", "that is %.2f times the bound at ratio 1, %.2f at 2, %.2f at 4, and %.2f at 1,000", sizes...)
}
