package static

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	checks.ZeroValues(t, new(Filter), new(View), new(Exact), new(ExactView), FrameReader{},
		NewReceiver(keyed), NewExactReceiver(keyed))
}
