package static

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	conformance.ZeroValues(t, new(Filter), new(View), new(Exact), new(ExactView), FrameReader{},
		NewReceiver(keyed), NewExactReceiver(keyed))
}
