package countmin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
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

// docs/format.md walks through a golden file.
func TestTheFormatDocumentShowsAWindow(t *testing.T) {
	b, err := os.ReadFile("testdata/window.bin")
	require.NoError(t, err)
	conformance.RequireDocumented(t, "Kind 14", b)
}
