package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The rates by inclusion and exclusion are within their bounds of the exact
// ones, of classic filters and of blocked ones. The bounds are small up to
// about ten positions.
func TestRatesByInclusionAndExclusion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n := rapid.IntRange(1, maxCover).Draw(t, "k"), drawN(t)
		perKey := float64(k) * rapid.Float64Range(0.02, 20).Draw(t, "bits per position")
		m := ceilWithin(float64(n)*perKey, MaxBits)
		var c cover
		requireNear(t, k, func() (p, err float64) { return nearClassic(&c, m, k, n) }, Rate(m, k, n))
		blocks := m/LineBits + 1
		requireNear(t, k, func() (p, err float64) { return nearBlocked(&c, blocks, k, n) }, BlockedRates(blocks*LineBits, k)(n))
	})
}

func requireNear(t *rapid.T, k int, near func() (p, err float64), exact float64) {
	p, err := near()
	require.LessOrEqual(t, math.Abs(p-exact), err+1e-12*exact)
	if k <= 10 {
		require.Less(t, err, 1e-10)
	}
}
