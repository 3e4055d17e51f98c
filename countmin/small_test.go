package countmin

import (
	"math"
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// A key that was not counted has a count if each of its counters is one of a
// counted key: with probability 1-(1-1/w)^n in a row of w.
func TestSmallSketchesOfThousandsOfFamilies(t *testing.T) {
	const width, depth = 250, 3
	for name, conservative := range map[string]bool{"plain": false, "conservative": true} {
		t.Run(name, func(t *testing.T) {
			conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Small {
				s := must(New(Config{Width: width, Depth: depth, Conservative: conservative, Family: fam}))
				for _, d := range keys {
					s.AddDigest(d)
				}
				return conformance.Small{
					Contains: func(d hashfam.Digest) bool { return s.CountDigest(d) > 0 },
					Rate:     math.Pow(1-math.Pow(1-1.0/width, float64(len(keys))), depth),
				}
			})
		})
	}
}
