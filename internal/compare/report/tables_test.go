package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// widest is a row with long cells.
func widest() measure.Row {
	ns := 1234.0
	return measure.Row{
		Structure: "bloom-partitioned", TargetFPR: 0.0001, BitsPerKey: 123.45, BoundRatio: new(float64), FPR: 0.00011,
		FPRLow: 0.00009, FPRHigh: 0.00013, FalseNegatives: 999, AddNS: 1234, HitNS: 1234, MissNS: 1234, DeleteNS: &ns,
		Of: measure.Structure{Also: "count merge"},
	}
}

func TestTheTablesFitNarrowTerminals(t *testing.T) {
	number := 1234.5
	counts := []measure.FrequencyRow{{
		Structure: "count-min-conservative", Setting: "0.1%, 16 KiB", Bytes: 1 << 20, BitsPerKey: 123.45, MeanError: &number,
		MaxError: &number, ErrorBound: &number, AboveBound: 0.01, Wanted: 132, Missed: 1.5, Extra: 1.5, AddNS: 99,
	}}
	compared := widest()
	compared.Of.Against, compared.Of.Peer = "bloom", true
	compared.Against, compared.Rate, compared.Bits, compared.Add, compared.Hit = "bloom", &compared.TargetFPR, &number, &number, &number
	for _, width := range []int{60, 80, 100} {
		for _, t1 := range []table{spaceTable([]measure.Row{widest()}), countTable(counts), ratioTable([]measure.Row{compared})} {
			for text := range strings.Lines(t1.text(width)) {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(text, "\n")), width, text)
			}
			require.NotEmpty(t, t1.lines)
		}
	}
	text := spaceTable([]measure.Row{widest()}).text(80)
	for _, kept := range []string{"structure", "target", "bits/key", "bound", "measured", "lost", "add", "hit", "miss", "del"} {
		assert.Contains(t, text, kept, "80 columns are enough for it")
	}
}

func TestLargeCountsAreShort(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9999: "9999", 10_000: "10k", 123_456: "123k", 2_600_000: "3M"} {
		assert.Equal(t, want, brief(n))
	}
}
