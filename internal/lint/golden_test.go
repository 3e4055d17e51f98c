package lint

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the test vectors of docs/format.md, and list new golden files")

// The encodings are frozen. golden.sum lists every golden file with its SHA-256
// as sha256sum does. A file that is listed never changes and never goes.
// -update adds new ones and nothing else.
func TestGoldenFilesNeverChange(t *testing.T) {
	const list = "testdata/golden.sum"
	text := read(t, list)
	frozen := map[string]string{}
	for line := range strings.Lines(text) {
		sum, path, found := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, found, line)
		frozen[path] = sum
		assert.FileExists(t, filepath.Join(root, path), "a golden file is gone")
	}
	require.GreaterOrEqual(t, len(frozen), 47)
	added := ""
	for _, file := range files(t, ".bin") {
		path, err := filepath.Rel(root, file)
		require.NoError(t, err)
		path = filepath.ToSlash(path)
		if !strings.Contains(path, "testdata/") {
			continue
		}
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, file))))
		if want, listed := frozen[path]; listed {
			assert.Equal(t, want, sum, "%s has changed: give the encoding a new version number instead", path)
		} else {
			added += sum + "  " + path + "\n"
		}
	}
	if *update && added != "" {
		require.NoError(t, os.WriteFile(list, []byte(text+added), 0o644))
		added = ""
	}
	require.Empty(t, added, "new golden files: go test ./internal/lint -run Golden -update")
}
