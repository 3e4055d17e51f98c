package perfect

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	conformance.ZeroValues(t, new(Function), new(View), new(Filter), new(FilterView),
		NewReceiver(keyed), NewFilterReceiver(keyed))
}
