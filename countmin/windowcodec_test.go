package countmin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// An encoded window of three panes has four words at least.
func TestAWindowOfTooFewWords(t *testing.T) {
	empty := must(must(NewWindow(WindowConfig{Phi: 0.1, Keys: 9, Panes: 3})).MarshalBinary())
	for words := range uint64(4) {
		b := append(bytes.Clone(empty[:len(empty)-8*int(5-words)]), make([]byte, 8)...) // the last word is a checksum
		binary.LittleEndian.PutUint64(b[16:], 8*words)
		conformance.Reseal(b)
		err := NewWindowReceiver(hashfam.Family{}).UnmarshalBinary(b)
		requireField(t, err, ErrCorrupt, "payload length")
		require.ErrorContains(t, err, fmt.Sprintf("payload length = %d, want at least 32", 8*words))
	}
	require.NoError(t, NewWindowReceiver(hashfam.Family{}).UnmarshalBinary(empty))
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
		b := must(must(NewWindow(c.config)).MarshalBinary())
		binary.LittleEndian.PutUint64(b[24+40:], c.timed)
		binary.LittleEndian.PutUint64(b[24+48:], c.pane)
		conformance.Reseal(b)
		err := new(Window).UnmarshalBinary(b)
		if c.ok {
			require.NoError(t, err, "%+v", c)
		} else {
			requireField(t, err, ErrCorrupt, "time")
		}
	}
}
