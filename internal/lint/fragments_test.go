package lint

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// section matches the start of a section of a document.
	section = regexp.MustCompile(`(?m)^##+ `)
	// testFile matches the path of a linked test file in the repository.
	testFile = regexp.MustCompile(`\]\(\.\./([^)]*_test\.go)\)`)
)

// A reader who tries a fragment of Go code, which is not a whole program, needs
// the imports and the other declarations. So the fragment's section must link
// the test file that contains it. If not all systems compile this file, the
// section must say for which one the code is not.
func TestFragmentsLinkTheirFile(t *testing.T) {
	found := 0
	for _, document := range []string{"docs/recipes.md", "docs/distributed.md", "docs/choosing.md"} {
		for _, text := range section.Split(read(t, document), -1) {
			for _, b := range block.FindAllStringSubmatch(text, -1) {
				if b[1] != "go" || strings.HasPrefix(b[2], clause) {
					continue
				}
				found++
				file := linkedFile(t, text, b[2])
				if assert.NotEmpty(t, file, "%s: this section must link the test file that contains the code: %s", document, text) {
					constrained := strings.HasPrefix(read(t, file), "//go:build ")
					assert.True(t, !constrained || strings.Contains(text, "Windows"), "%s: Windows does not compile %s", document, file)
				}
			}
		}
	}
	require.Greater(t, found, 20)
}

// linkedFile returns the test file that a section links and that contains the
// code as whole lines, or an empty string if there is none.
func linkedFile(t *testing.T, section, code string) string {
	t.Helper()
	links := testFile.FindAllStringSubmatch(section, -1)
	i := slices.IndexFunc(links, func(link []string) bool {
		return strings.Contains("\n"+unindent(read(t, link[1])), "\n"+unindent(code))
	})
	if i < 0 {
		return ""
	}
	return links[i][1]
}
