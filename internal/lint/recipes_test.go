package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The needs that docs/recipes.md has a program for. None is longer than a
// screen shows.
func TestRecipesAreShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "recipes.md"))
	require.NoError(t, err)
	for _, need := range []string{
		"Deduplicate a log and keep the filter on disk",
		"A filter for eight goroutines",
		"A session blacklist that grows and deletes",
		"Heavy hitters per minute",
		"Ten workers merged",
		"A mapped filter of 1 GiB",
		"A filter inside a JSON document",
		"A stream of unknown length",
	} {
		_, recipe, found := strings.Cut(string(text), "\n## "+need+"\n")
		require.True(t, found, need)
		recipe, _, _ = strings.Cut(recipe, "\n## ")
		programs := 0
		for _, b := range block.FindAllStringSubmatch(recipe, -1) {
			if b[1] == "go" && isProgram(b[2]) {
				programs++
				assert.LessOrEqual(t, strings.Count(b[2], "\n"), 25, need)
			}
		}
		assert.Equal(t, 1, programs, need)
	}
}
