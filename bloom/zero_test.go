package bloom

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks"
)

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	checks.ZeroValues(t, "^bloom: use of a zero [A-Z].*: make it with New", new(Filter), new(Concurrent), new(View), new(Scalable), new(Rotating), FrameReader{},
		NewReceiver(keyed), NewReceiver(keyed).Clone(), NewScalableReceiver(keyed), NewRotatingReceiver(keyed))
	require.PanicsWithValue(t, "bloom: use of a zero Filter: make it with New, or decode into it",
		func() { new(Filter).AddString("key") })
	s := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.1})
	requireField(t, s.Attach(new(Filter)), ErrIncompatible, "Params.Bits")
}
