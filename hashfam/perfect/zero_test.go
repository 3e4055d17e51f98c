package perfect

import (
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	checks.ZeroValues(t, "^perfect: use of a zero [A-Z].*: make it with New", new(Function), new(View), new(Filter), new(FilterView),
		NewReceiver(keyed), NewFilterReceiver(keyed))
}
