package conformance

import (
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var byteRow = regexp.MustCompile(`(?m)^\| \d+ \|([^|]*)\|`)

// RequireDocumented checks that encoded equals the example that docs/format.md
// shows byte by byte in the section of a kind, such as "Kind 1". It can be
// called from packages one level below the root.
func RequireDocumented(t *testing.T, kind string, encoded []byte) {
	t.Helper()
	text, err := os.ReadFile("../docs/format.md")
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
