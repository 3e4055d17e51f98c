package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/advice"
)

// Wherever the map is asked, the calculator recommends the same filter first.
func TestTheMapAgreesWithTheCalculator(t *testing.T) {
	seen := make([]int, len(regions))
	for x := 0.5; x < 5*keySteps; x += 6 {
		for y := 0.5; y < 5*rateSteps; y += 7 {
			region, err := regionOf(keysAt(x), rateAt(y))
			require.NoError(t, err)
			choices, err := advice.For(advice.Needs{Keys: uint64(keysAt(x)), Rate: rateAt(y)})
			require.NoError(t, err)
			require.Equal(t, []string{"bloom", "cuckoo-compact"}[region], choices[0].Structure, "%g keys at %g", keysAt(x), rateAt(y))
			seen[region]++
		}
	}
	require.NotContains(t, seen, 0)
}
