package conformance

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var byteRow = regexp.MustCompile(`(?m)^\| \d+ \|([^|]*)\|`)

// RequireDocumented checks that encoded equals the example that docs/format.md
// shows byte by byte in the section of a kind, such as "Kind 1".
func RequireDocumented(t *testing.T, kind string, encoded []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "format.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+kind+":")
	require.True(t, found, "no section of %s", kind)
	section, _, _ = strings.Cut(section, "\n## ")
	_, example, found := strings.Cut(section, "byte by byte\n")
	require.True(t, found, "no example of %s", kind)
	var shown []byte
	for _, row := range byteRow.FindAllStringSubmatch(example, -1) {
		b, err := hex.DecodeString(strings.NewReplacer(" ", "", "`", "").Replace(row[1]))
		require.NoError(t, err)
		shown = append(shown, b...)
	}
	require.Equal(t, encoded, shown)
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
