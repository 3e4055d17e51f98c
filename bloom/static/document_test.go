package static

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// docs/format.md shows the encoding of this filter byte by byte.
func TestTheFormatDocumentShowsThisFilter(t *testing.T) {
	f, err := New(Config{FPRate: 0.25}, [][]byte{[]byte("a"), []byte("b")})
	require.NoError(t, err)
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	conformance.RequireDocumented(t, "Kind 7", b)
}
