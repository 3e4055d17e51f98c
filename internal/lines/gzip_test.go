package lines

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// compressed returns a gzip file with a member for each text.
func compressed(t require.TestingT, texts ...string) string {
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	return b.String()
}

// gunzip returns what a gzip file contains before an error.
func gunzip(r io.Reader) (string, error) {
	unzipped, err := Gunzip(r, new(gzip.Reader))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(unzipped)
	return string(text), err
}

// All members are decompressed, and zeros may follow them.
func TestGunzipReturnsWhatWasCompressed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 1, 200).Draw(t, "texts")
		zeros := strings.Repeat("\x00", rapid.IntRange(0, 600).Draw(t, "zeros"))
		got, err := gunzip(drawReader(t, compressed(t, texts...)+zeros))
		require.NoError(t, err)
		require.Equal(t, strings.Join(texts, ""), got)
	})
}

// Other bytes after the last member, and a missing end, are errors after what
// could be decompressed.
func TestGunzipReturnsErrorsAtTheEnd(t *testing.T) {
	whole := compressed(t, "ada\n", "grace\n")
	for _, more := range []string{"x", "xy", "ada\n", strings.Repeat("x", 100), "\x1fx", "\x00x", "\x00\x00" + whole} {
		got, err := gunzip(strings.NewReader(whole + more))
		require.ErrorIs(t, err, ErrNotGzip, "%q", more)
		require.Equal(t, "ada\ngrace\n", got)
	}
	first := len(compressed(t, "ada\n"))
	for n := range whole {
		got, err := gunzip(strings.NewReader(whole[:n]))
		switch n {
		case 0:
			require.ErrorIs(t, err, io.EOF)
		case first:
			require.NoError(t, err)
		default:
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, n)
		}
		require.True(t, strings.HasPrefix("ada\ngrace\n", got))
		require.True(t, n < first || strings.HasPrefix(got, "ada\n"))
	}
}
