package conform

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var byteRow = regexp.MustCompile(`(?m)^\| (\d+) \|([^|]*)\|`)

// RequireDocumented checks that encoded equals the example that docs/format.md
// shows byte by byte in the section of a kind, such as "Kind 1".
func RequireDocumented(t *testing.T, kind string, encoded []byte) {
	t.Helper()
	var shown []byte
	for _, row := range byteRow.FindAllStringSubmatch(example(t, kind), -1) {
		shown = append(shown, bytesOf(t, row[2])...)
	}
	require.Equal(t, encoded, shown)
}

// RequireExcerpt is RequireDocumented for an example that leaves bytes out,
// with an ellipsis in their place. It checks that each row shows the bytes at
// its offset, and that the last row ends where encoded ends.
func RequireExcerpt(t *testing.T, kind string, encoded []byte) {
	t.Helper()
	end := 0
	for _, row := range byteRow.FindAllStringSubmatch(example(t, kind), -1) {
		offset, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		shown := bytesOf(t, strings.Replace(row[2], "...", "", 1))
		end = offset + len(shown)
		require.LessOrEqual(t, end, len(encoded))
		require.Equal(t, encoded[offset:end], shown, "offset %d", offset)
	}
	require.Equal(t, len(encoded), end)
}

// example returns the example of a kind in docs/format.md.
func example(t *testing.T, kind string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "format.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+kind+":")
	require.True(t, found, "no section of %s", kind)
	section, _, _ = strings.Cut(section, "\n## ")
	_, rows, found := strings.Cut(section, "byte by byte\n")
	require.True(t, found, "no example of %s", kind)
	return rows
}

// bytesOf returns the bytes that a cell shows in hexadecimal digits.
func bytesOf(t *testing.T, cell string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "`", "").Replace(cell))
	require.NoError(t, err)
	return b
}

// root returns the directory of the module, above the package under test.
func root(t *testing.T) string {
	t.Helper()
	for dir := "."; len(dir) < 30; dir = filepath.Join("..", dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	require.Fail(t, "there is no go.mod above the package")
	return ""
}
