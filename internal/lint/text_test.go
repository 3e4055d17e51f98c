package lint

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// banned contains phrases and parts of words that are hard to read or not
// American, with plain replacements. A space is the end of a word.
var banned = map[string]string{
	" for ever ": "forever", " anew ": "again", " beforehand ": "in advance", " whoever ": "anyone who",
	" nobody ": "no one, or the passive", " everybody ": "everyone, or the passive", " but for ": "except",
	" in vain ": "wasted, or absent keys", " look-up": "lookup", " per cent ": "percent",
	" so many keys ": "the number of keys", " good for one thing ": "name the thing",
	" as it stands ": "in its current state", " is an errparams ": "returns ErrParams",
	" is an errcorrupt ": "returns ErrCorrupt", " describes no ": "is invalid",
	" is no filter ": "is not a filter", " are no filters ": "are not filters",
	" are no members ": "are not members", " hold that ": "check that", " holds that ": "checks that",
	" errors are theirs ": "returns their errors", " to be had ": "available",
	" for want of ": "because there is no", " all the same ": "still", " likewise ": "too",
	" stranger": "untrusted parties", " shares nothing with ": "shares no memory with, is independent of",
	" thousand million ": "billion", "neighbour": "neighbor", "behaviour": "behavior",
	"colour": "color", "favour": "favor", "honour": "honor",
	"normalis": "normaliz", "recognis": "recogniz", "serialis": "serializ", "initialis": "initializ", "randomis": "randomiz",
	"summaris": "summariz", "optimise": "optimize", "optimisation": "optimization", "organise": "organize",
	" licence": "license", " centre": "center", " grey ": "gray", " catalogue ": "catalog",
}

// plainWords returns the words of text in lower case, each between two spaces.
// Line breaks could otherwise hide a phrase.
func plainWords(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && r != '\'' && r != '-'
	}), " ") + " "
}

// texts returns the files that are checked, as paths from the root.
func texts(t *testing.T, endings ...string) []string {
	t.Helper()
	var checked []string
	for _, ending := range endings {
		checked = append(checked, files(t, ending)...)
	}
	return slices.DeleteFunc(checked, func(path string) bool {
		return path == "internal/lint/text_test.go" || strings.HasPrefix(path, "docs/figures/") || strings.HasPrefix(path, ".git/")
	})
}

func TestTextIsPlain(t *testing.T) {
	require.Contains(t, plainWords("// It loads for\n\t// ever."), " for ever ")
	require.NotContains(t, plainWords("for every filter that differs"), " for ever ")
	paths := texts(t, ".go", ".md", ".html", ".ci/run")
	require.Greater(t, len(paths), 100)
	for _, path := range paths {
		text := plainWords(read(t, path))
		for phrase, plain := range banned {
			if at := strings.Index(text, phrase); at >= 0 {
				assert.Fail(t, "mannered", "%s: ...%s...\n%q: write %q", path, text[max(0, at-40):min(len(text), at+60)], phrase, plain)
			}
		}
	}
}

// maxColumns limits the width of comments. A tab has four columns.
const maxColumns = 80

var (
	comment = regexp.MustCompile(`^\t*//( |\t|$)`)
	// prose matches a comment line that can continue on the next line. It must
	// not be a heading, code or output.
	prose    = regexp.MustCompile(`^(\t*)// ([^\s#].*)$`)
	expected = regexp.MustCompile(`^\s*// (Unordered output|Output):`)
)

func columns(line string) int { return len([]rune(strings.ReplaceAll(line, "\t", "    "))) }

// badlyBroken returns the line numbers of comments that are too wide, or that
// have room for the first word of the next line. It skips the output of
// Examples.
func badlyBroken(text string) (lines []int) {
	all := append(strings.Split(text, "\n"), "")
	verbatim := false
	for i, line := range all[:len(all)-1] {
		verbatim = expected.MatchString(line) || verbatim && comment.MatchString(line)
		if verbatim || !comment.MatchString(line) {
			continue
		}
		this, next := prose.FindStringSubmatch(line), prose.FindStringSubmatch(all[i+1])
		short := false
		if this != nil && next != nil && this[1] == next[1] {
			word, _, _ := strings.Cut(next[2], " ")
			short = columns(line)+1+len([]rune(word)) <= maxColumns
		}
		if columns(line) > maxColumns || short {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func TestCommentsFillEightyColumns(t *testing.T) {
	for _, path := range texts(t, ".go") {
		for _, n := range badlyBroken(read(t, path)) {
			assert.Fail(t, "badly broken", "%s:%d: a comment line above %d columns, or with room for the next word", path, n, maxColumns)
		}
	}
}

var (
	// docLink matches a link to a name in the same package, or to a method.
	docLink    = regexp.MustCompile(`\[(?:([A-Z]\w*)\.)?([A-Z]\w*)\]`)
	identifier = regexp.MustCompile(`\w+`)
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
	for _, path := range texts(t, ".go") {
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
