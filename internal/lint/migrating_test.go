package lint

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The second column of each table in docs/migrating.md has names of this
// library. The other libraries' names are tested in internal/compare.
func TestMigratingNamesWhatTheLibraryHas(t *testing.T) {
	id := regexp.MustCompile(`\b[A-Z]\w+`)
	names := id.FindAllString(read(t, apiList), -1)
	found := 0
	for line := range strings.Lines(read(t, "docs/migrating.md")) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") || len(cells) < 2 {
			continue
		}
		for _, code := range span.FindAllStringSubmatch(cells[1], -1) {
			if strings.HasPrefix(code[1], "filterfam ") {
				continue // a command
			}
			for _, name := range id.FindAllString(code[1], -1) {
				found++
				assert.True(t, name == "Sum64" || slices.Contains(names, name), "the library has no %s: %s", name, line)
			}
		}
	}
	require.Greater(t, found, 100)
}
