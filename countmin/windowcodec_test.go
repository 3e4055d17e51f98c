package countmin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An encoded window of three panes has four words at least. Here are three, and
// the checksum.
func TestAWindowOfTooFewWords(t *testing.T) {
	empty := must(must(NewWindow(WindowConfig{Phi: 0.1, Keys: 9, Panes: 3})).MarshalBinary())
	b := set(empty[:len(empty)-8], map[int]uint64{16: 24, len(empty) - 16: 0})
	requireField(t, new(Window).UnmarshalBinary(b), ErrCorrupt, "payload length")
	require.NoError(t, new(Window).UnmarshalBinary(empty))
}

// A pane of one key, as of a window of three keys, has not counted three.
func TestAPaneOfTooManyKeys(t *testing.T) {
	w := must(NewWindow(WindowConfig{Phi: 0.1, Keys: 9, Panes: 3}))
	w.AddN([]byte("a"), 3)
	b := set(must(w.MarshalBinary()), map[int]uint64{24 + 8: 3})
	requireField(t, new(Window).UnmarshalBinary(b), ErrCorrupt, "total of pane 3")
}

// A time that is not known has one form, and one that is known is that of a
// Span.
func TestTimesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		config      WindowConfig
		timed, pane uint64
		ok          bool
	}{
		{WindowConfig{Phi: 0.1, Span: 1000}, 0, 0, true},
		{WindowConfig{Phi: 0.1, Span: 1000}, 1, 5, true},
		{WindowConfig{Phi: 0.1, Span: 1000}, 0, 5, false},
		{WindowConfig{Phi: 0.1, Span: 1000}, 2, 0, false},
		{WindowConfig{Phi: 0.1, Span: 1000}, 1, 1 << 63, false}, // as a ring without a time
		{WindowConfig{Phi: 0.1, Keys: 1000}, 0, 0, true},
		{WindowConfig{Phi: 0.1, Keys: 1000}, 1, 0, false},
	} {
		b := set(must(must(NewWindow(c.config)).MarshalBinary()), map[int]uint64{24 + 40: c.timed, 24 + 48: c.pane})
		if err := new(Window).UnmarshalBinary(b); c.ok {
			require.NoError(t, err, "%+v", c)
		} else {
			requireField(t, err, ErrCorrupt, "time")
		}
	}
}
