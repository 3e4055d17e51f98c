package sizing

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing/oracle"
)

// The table of bits per key is correct in every digit that is printed.
func TestSpacePerKey(t *testing.T) {
	for _, row := range []struct {
		eps                                           float64
		bound, bloom, counting, cuckoo, sorted, bits_ string
	}{
		{0.03, "5.06", "7.30", "29.19", "9.47", "8.42", "9"},
		{0.01, "6.64", "9.59", "38.34", "10.53", "9.47", "10"},
		{1e-3, "9.97", "14.38", "57.51", "13.68", "12.63", "13"},
		{1e-4, "13.29", "19.17", "76.68", "17.89", "16.84", "17"},
		{1e-6, "19.93", "28.76", "115.02", "24.21", "23.16", "23"},
	} {
		t.Run(fmt.Sprintf("at rate %g", row.eps), func(t *testing.T) {
			bits, ok := oracle.CuckooFingerprintBits(row.eps, 1) // ceil(log2(8/eps)), except for the reserved zero
			require.True(t, ok)
			require.Equal(t, row.bits_, fmt.Sprint(bits))
			require.Equal(t, row.bound, fmt.Sprintf("%.2f", LowerBound(row.eps)))
			require.Equal(t, row.bloom, fmt.Sprintf("%.2f", BloomBitsPerKey(row.eps)))
			require.Equal(t, row.counting, fmt.Sprintf("%.2f", 4*BloomBitsPerKey(row.eps)))
			require.Equal(t, row.cuckoo, fmt.Sprintf("%.2f", float64(bits)/0.95))
			require.Equal(t, row.sorted, fmt.Sprintf("%.2f", float64(bits-1)/0.95))
		})
	}
	t.Run("eight bits are enough at three percent and load 0.95", func(t *testing.T) {
		// The table is for full buckets. At load 0.95 the rate of f = 8 is
		// 2.942 percent, and a key costs 8.42 bits instead of 9.47. The other
		// rows do not change.
		for eps, want := range map[float64]int{0.03: 8, 0.01: 10, 1e-3: 13, 1e-4: 17, 1e-6: 23} {
			got, _ := oracle.CuckooFingerprintBits(eps, 0.95)
			require.Equal(t, want, got)
		}
	})
}

func TestNumbersOfTheLiterature(t *testing.T) {
	t.Run("thirty slices of 2.5 million bits hold five million keys at 1.28 percent", func(t *testing.T) {
		// The formula gives 1.2748 percent. 1.28 results from a fill ratio
		// 1-e^-2 that was rounded to four digits.
		require.InDelta(t, 0.012748, PartitionedRate(30*2_500_000, 30, 5_000_000), 5e-7)
		require.Equal(t, "0.0128", fmt.Sprintf("%.4f", math.Pow(0.8647, 30)))
		// Thirty functions are three times too many for 15 bits per key: with
		// ten, the same bits give 0.074 percent.
		require.InDelta(t, 0.00074, PartitionedRate(75_000_000, 10, 5_000_000), 5e-6)
	})
	t.Run("ten bits per key give less than one percent", func(t *testing.T) {
		require.Less(t, Rate(10_000_000, 7, 1_000_000), 0.01)
		require.InDelta(t, 0.0082, Rate(10_000_000, 7, 1_000_000), 5e-5)
	})
	t.Run("five bits per key give about ten percent", func(t *testing.T) {
		for _, k := range []int{3, 4} {
			require.InDelta(t, 0.092, Rate(5_000_000, k, 1_000_000), 5e-4)
		}
	})
	t.Run("thirty slices of 900,000 bits take 3.375 MB instead of 200 MB of URLs", func(t *testing.T) {
		require.Equal(t, 3.375e6, 30*900_000/8.0)
		require.Equal(t, 200e6, 5_000_000*40.0)
	})
	t.Run("but they would find 89 percent of all URLs", func(t *testing.T) {
		// 5.4 bits per key give at least 7.5 percent with any k.
		require.InDelta(t, 0.890, PartitionedRate(30*900_000, 30, 5_000_000), 5e-4)
		require.InDelta(t, 0.0750, PartitionedRate(27_000_000, 4, 5_000_000), 5e-5)
	})
	t.Run("ten slices of 800,000 bits take 1 MB instead of 25 MB of URLs", func(t *testing.T) {
		require.Equal(t, 1e6, 10*800_000/8.0)
		require.Equal(t, 25e6, 1_000_000*25.0)
	})
	t.Run("and find 3.4 percent of all URLs, or 2.2 with the best k", func(t *testing.T) {
		require.InDelta(t, 0.0342, PartitionedRate(10*800_000, 10, 1_000_000), 5e-5)
		best, k := 1.0, 0
		for try := 1; try <= 20; try++ {
			if rate := PartitionedRate(8_000_000, try, 1_000_000); rate < best {
				best, k = rate, try
			}
		}
		require.Equal(t, 6, k)
		require.InDelta(t, 0.0216, best, 5e-5)
	})
}

// Of 102,000 URLs, 2,000 are bad. A lookup takes half a second in the database
// and a millisecond in the filter. The filter finds the bad URLs and 3 percent
// of the good ones, and only these are looked up in the database.
func TestCostOfAYearOfLookups(t *testing.T) {
	const bad, good, database, filter, rate = 2_000, 100_000, 0.5, 0.001, 0.03
	t.Run("without a filter it takes 51,000 seconds", func(t *testing.T) {
		require.Equal(t, 51_000.0, (bad+good)*database)
	})
	t.Run("with a filter it takes 2,602 seconds", func(t *testing.T) {
		require.InDelta(t, 2_602, (bad+good)*filter+(bad+rate*good)*database, 1e-9)
	})
}
