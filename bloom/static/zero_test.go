package static

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	checks.ZeroValues(t, "^static: use of a zero [A-Z].*: make it with New", new(Filter), new(View), new(Exact), new(ExactView), FrameReader{},
		NewReceiver(keyed), NewExactReceiver(keyed))
}
