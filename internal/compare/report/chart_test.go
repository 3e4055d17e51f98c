package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/advice"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

func TestAPageWithoutACalculatorSaysWhy(t *testing.T) {
	r := Report{Results: &measure.Results{Data: &measure.Dataset{About: "No keys."}}}
	name, err := r.writePage(t.TempDir(), calculator{}, assert.AnError, costChart(nil))
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(text), "The calculator is missing: "+assert.AnError.Error()))
	assert.False(t, strings.Contains(string(text), "<script"))
}

func TestAFigureThatCannotBeWrittenIsNamedOnce(t *testing.T) {
	dir := t.TempDir()
	for _, ending := range []string{".png", ".svg"} {
		name := filepath.Join(dir, "bits-per-key"+ending)
		require.NoError(t, os.RemoveAll(name))
		require.NoError(t, os.Mkdir(name, 0o755))
		_, err := costChart([]measure.Row{widest()}).save(dir)
		require.Error(t, err)
		assert.Equal(t, 1, strings.Count(err.Error(), name), err)
		require.NoError(t, os.Remove(name))
	}
}

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
