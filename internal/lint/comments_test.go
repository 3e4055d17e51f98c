package lint

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// docLink matches a link to a name in the same package, or to a method.
	docLink    = regexp.MustCompile(`\[(?:([A-Z]\w*)\.)?([A-Z]\w*)\]`)
	identifier = regexp.MustCompile(`\w+`)
	comment    = regexp.MustCompile(`^\t*//( |\t|$)`)
)

func TestLinksInCommentsResolve(t *testing.T) {
	names, links := map[string]bool{}, 0 // "bloom.Filter", "bloomFilter.Add"
	for line := range strings.Lines(read(t, apiList)) {
		dir, declaration, _ := strings.Cut(line, ": ")
		parts := identifier.FindAllString(declaration, -1)
		for i, name := range parts {
			names[dir+"."+name] = true
			for _, before := range parts[:i] {
				names[dir+before+"."+name] = true
			}
		}
	}
	for _, path := range files(t, ".go") {
		dir := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") || !names[dir+".func"] {
			continue
		}
		for line := range strings.Lines(read(t, path)) {
			for _, l := range docLink.FindAllStringSubmatch(line, -1) {
				if comment.MatchString(line) {
					links++
					assert.True(t, names[dir+l[1]+"."+l[2]], "%s: nothing is named %s", path, l[0])
				}
			}
		}
	}
	require.Greater(t, links, 300)
}
