package perfect

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks"
)

// docs/theory.md has a table of sizes. A row's numbers are separated by a slash
// if they differ for functions that are compact.
func TestTheorySizes(t *testing.T) {
	long := checks.Long(t, 0.5, 1)
	for text, n := range map[string]int{"1,000": 1_000, "100,000": 100_000, "1,000,000": 1_000_000, "10,000,000": 10_000_000} {
		if n > 1_000_000 && !long {
			continue
		}
		var size, bumped [2]float64
		var levels [2]int
		for i, compact := range []bool{false, true} {
			f := build1(t, Config{Compact: compact}, random(n, 1))
			size[i] = 8 * float64(f.SizeBytes()) / float64(n)
			bumped[i] = 100 * float64(f.shape.bumped[0]) / float64(n)
			levels[i] = len(f.levels)
		}
		checks.Documented(t, "theory.md", "| %s | %.2f | %.2f | %.1f%% | %.1f%% | %d | %d |", text,
			size[0], size[1], bumped[0], bumped[1], levels[0], levels[1])
	}
	var sizes [2]string
	for i, compact := range []bool{false, true} {
		for j, n := range []int{10_000, 100_000} {
			f := filterOf(t, FilterConfig{FPRate: 0.01, Compact: compact}, random(n, 1))
			sizes[i] += fmt.Sprintf("%.2f", 8*float64(f.SizeBytes())/float64(n))
			if j == 0 {
				sizes[i] += " and "
			}
		}
	}
	checks.Documented(t, "theory.md", "At 1%% and n = 10^4 and 10^5, the filter needs %s bits per key, and a compact filter %s.", sizes[0], sizes[1])
}

// The package comment names the number of keys from which on slices have their
// full length.
func TestDocumentsNameTheSizesOfWindowsAndSlices(t *testing.T) {
	checks.Documented(t, "theory.md", "In a window of %d buckets", windowSize)
	checks.Documented(t, "../hashfam/perfect/doc.go", "slice of 1,024 places, or fewer if there are // fewer than 12,288 keys")
	require.EqualValues(t, 1024, sliceOf(12_288))
	require.EqualValues(t, 512, sliceOf(12_287))
}
