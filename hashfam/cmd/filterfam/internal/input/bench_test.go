package input

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filterfam/filterfam/internal/lines"
)

// BenchmarkKeys finds the keys of lines. The line itself is the key in the
// first case.
func BenchmarkKeys(b *testing.B) {
	var text strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&text, "%d,%013d,London %d\n", i%97, i*i*i, i%13)
	}
	for name, c := range map[string]Config{
		"whole": {}, "field": {Key: columns(b, ",", "2")}, "fields": {Key: columns(b, ",", "1,3")}, "blanks": {Key: columns(b, "", "1")}, "fold": {Fold: true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			k := newKeys(c)
			all := lines.NewReader(strings.NewReader(text.String()), lines.Config{MaxLine: MaxLine})
			if err := all.Next(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := k.of(all); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all.Keys)), "ns/line")
		})
	}
}
