package checks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Documented checks that a document in docs contains a formatted text, so that
// the document has the numbers of the test. Line breaks do not matter.
func Documented(t testing.TB, document, format string, args ...any) {
	t.Helper()
	file := filepath.Join("docs", document)
	for range 5 { // the test runs in the folder of its package
		if _, err := os.Stat(file); err == nil {
			break
		}
		file = filepath.Join("..", file)
	}
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	text := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	require.True(t, strings.Contains(strings.Join(strings.Fields(string(page)), " "), text), "docs/%s does not contain: %s", document, text)
}
