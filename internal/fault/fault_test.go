package fault

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

var errs = &Maker{Package: "pkg"}

func TestErrorsWithoutAField(t *testing.T) {
	err := errs.Errorf("reading: %w", io.ErrUnexpectedEOF)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.EqualError(t, err, "pkg: reading: unexpected EOF")
}

func TestZeroNamesTheConstructor(t *testing.T) {
	require.Equal(t, "pkg: use of a zero Filter: make it with New, or decode into it", errs.Zero("Filter", "New, or decode into it"))
}
