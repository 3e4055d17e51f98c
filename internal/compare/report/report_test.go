package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

func TestTheLibrariesOfTheRowsAreNamed(t *testing.T) {
	var list []measure.Row
	for _, s := range measure.Peers {
		assert.Equal(t, s.Name == "sorted", s.Module == "", s.Name)
		list = append(list, measure.Row{Structure: s.Name, Of: s})
	}
	names := modulesOf(list)
	require.Len(t, names, 7)
	assert.Contains(t, names[4], "boom-bloom, boom-counting, boom-cuckoo of github.com/tylertreat/BoomFilters")
	assert.Empty(t, modulesOf([]measure.Row{{Structure: "bloom"}}))
}

func TestAMissedRateIsCalledOut(t *testing.T) {
	ratio := 1.44
	list := []measure.Row{
		{Structure: "good", TargetFPR: 0.01, FPR: 0.0112, FPRLow: 0.0109, FPRHigh: 0.0115, BoundRatio: &ratio},
		{Structure: "bad", TargetFPR: 0.01, FPR: 0.025, FPRLow: 0.024, FPRHigh: 0.026, BoundRatio: &ratio},
	}
	assert.Equal(t, []string{"bad at 1% errs 2.5 times as often as requested"}, peerRemarks(list, nil))
}

func TestACommandCanBePastedIntoAShell(t *testing.T) {
	assert.Equal(t, "go run -C internal/compare . -n 1e6 -fpr 0.01,0.1", command([]string{"-n", "1e6", "-fpr", "0.01,0.1"}))
	assert.Equal(t, `go run -C internal/compare . -o '' -keys 'a b'\''c$'`, command([]string{"-o", "", "-keys", "a b'c$"}))
}
