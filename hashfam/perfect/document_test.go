package perfect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// letters returns the keys from a to last.
func letters(last byte) [][]byte {
	var keys [][]byte
	for c := byte('a'); c <= last; c++ {
		keys = append(keys, []byte{c})
	}
	return keys
}

// docs/format.md shows the encodings of this function and this filter byte by
// byte.
func TestTheFormatDocumentShowsThisFunction(t *testing.T) {
	f, err := New(Config{}, letters('m'))
	require.NoError(t, err)
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	conformance.RequireDocumented(t, "Kind 9", b)
}

func TestTheFormatDocumentShowsThisFilter(t *testing.T) {
	f, err := NewFilter(FilterConfig{FPRate: 0.1, ValueBits: 3}, letters('d'))
	require.NoError(t, err)
	for i, key := range letters('d') {
		require.True(t, f.SetValue(key, uint64(i+1)))
	}
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	conformance.RequireDocumented(t, "Kind 10", b)
}
