package cuckoo

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// docs/choosing.md says at which rates a cuckoo filter takes less memory than a
// classic Bloom filter, at a million keys.
func TestTheCrossingPointsWithABloomFilter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	type span struct{ low, high float64 }
	for compact, spans := range map[bool][]span{
		false: {{0, 0.0016}, {0.0019, 0.0026}, {0.0038, 0.0043}},
		true:  {{0, 0.0070}, {0.0076, 0.0116}, {0.0151, 0.0190}, {0.0300, 0.0311}},
	} {
		for e := -1.3; e > -6; e -= 0.001 {
			rate := math.Pow(10, e)
			inside, near := false, false
			for _, s := range spans {
				inside = inside || s.low <= rate && rate <= s.high
				near = near || math.Abs(rate-s.low) < 0.015*s.low || math.Abs(rate-s.high) < 0.015*s.high
			}
			if near {
				continue // the document rounds
			}
			b, err := bloom.Config{Capacity: 1_000_000, FPRate: rate}.Params()
			require.NoError(t, err)
			c, err := Config{Capacity: 1_000_000, FPRate: rate, Compact: compact}.Params()
			require.NoError(t, err)
			require.Equal(t, inside, c.SizeBytes() < b.SizeBytes(), "compact %v, %g", compact, rate)
		}
	}
}
