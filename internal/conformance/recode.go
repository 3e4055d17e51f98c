package conformance

import (
	"bytes"
	"errors"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// recodings is the number of ways to encode and decode a structure.
const recodings = 6

// recode encodes f and decodes it into g, in one of the ways that there are. It
// returns the decoded structure. With a view it does not use g.
func (e Encoded[T]) recode(t require.TestingT, way int, f, g T, fam hashfam.Family) T {
	var stream bytes.Buffer
	switch way {
	case 0:
		require.NoError(t, g.UnmarshalBinary(encode(t, f)))
	case 1, 2:
		_, err := f.WriteTo(&stream)
		require.NoError(t, err)
		if way == 1 {
			_, err = g.ReadFrom(&stream)
		} else {
			_, err = g.ReadFrom(iotest.OneByteReader(&stream))
		}
		require.NoError(t, err)
	case 3:
		text, err := f.MarshalText()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalText(text))
	case 4:
		b, err := f.AppendBinary([]byte("before"))
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalBinary(b[len("before"):]))
	case 5:
		return e.decodeView(t, f, g, fam)
	}
	return g
}

// decodeView decodes f by a view, if there are views; else as bytes.
func (e Encoded[T]) decodeView(t require.TestingT, f, g T, fam hashfam.Family) T {
	data := encode(t, f)
	if e.View == nil {
		require.NoError(t, g.UnmarshalBinary(data))
		return g
	}
	v, err := e.View(aligned(data), fam)
	if errors.Is(err, errors.ErrUnsupported) {
		require.NoError(t, g.UnmarshalBinary(data))
		return g
	}
	require.NoError(t, err)
	require.NoError(t, v.Verify())
	g, err = v.Decode()
	require.NoError(t, err)
	return g
}
