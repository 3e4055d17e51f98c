package countmin

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Sketches behind shards err as sketches without. The mean error of 20,000
// counts varies by less than one percent between families (measured: 0.3), so
// a correct program is more than six percent off with probability below 1e-6.
func TestTheErrorBehindAShardIsTheSame(t *testing.T) {
	const n = 20_000
	for _, conservative := range []bool{false, true} {
		usual := 0.0
		for _, s := range conformance.Shardings() {
			sketch, err := New(Config{Width: 4000, Depth: 4, Conservative: conservative})
			require.NoError(t, err)
			r := rand.New(rand.NewPCG(11, 12))
			keys := make([]hashfam.Digest, n)
			for i := range keys {
				keys[i] = s.Draw(r)
				sketch.AddDigest(keys[i])
			}
			excess := 0.0
			for _, d := range keys {
				excess += float64(sketch.CountDigest(d)-1) / n
			}
			t.Logf("conservative %v, %s: mean error %.4f", conservative, s.Name, excess)
			if s.Name == "none" {
				usual = excess
			}
			require.InEpsilon(t, usual, excess, 0.06, s.Name)
		}
	}
}
