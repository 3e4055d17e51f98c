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

// banned contains phrases that are hard to read, and plain replacements.
var banned = []struct{ pattern, plain string }{
	{`for ever`, "forever"},
	{`anew`, "again"},
	{`beforehand`, "in advance"},
	{`whoever`, "anyone who"},
	{`(nobody|everybody)`, "no one, everyone, or the passive"},
	{`but for`, "except"},
	{`in vain`, "wasted, or absent keys"},
	{`look-ups?`, "lookup"},
	{`per cent`, "percent"},
	{`so many (keys|bits|bytes|queries|hits|of)`, "the number"},
	{`good for one thing`, "name the thing"},
	{`as (it|f|s|h) stands`, "in its current state"},
	{`that (r|data) stands at`, "reads from r, decodes data"},
	{`(filters?|data|configuration|parameters|which|what)( [^.;]{0,40})? (is|are) an (?-i:\[?Err[A-Z]\w*)`, "returns ErrX if"},
	{`it is an (?-i:\[?Err[A-Z]\w*)`, "returns ErrX"},
	{`describes? no`, "is invalid"},
	{`is no (filter|slot|signature|encoding|member|table)`, "is not a"},
	{`are no (filters|members|signatures|encodings)`, "are not"},
	{`(that|which) are no members`, "are not members"},
	{`hold(s|ing)? that`, "checks that"},
	{`\w+ errors are theirs`, "returns their errors"},
	{`to be had`, "available"},
	{`for want of`, "because there is no"},
	{`all the same`, "still"},
	{`likewise`, "too"},
	{`strangers?`, "untrusted parties"},
	{`shares? nothing with`, "shares no memory with, is independent of"},
	{`thousand million`, "billion"},
	{`\w*(neighbour|behaviour|colour|favour|honour)\w*`, "American spelling"},
	{`\w*(normalis|recognis|serialis|initialis|randomis|summaris)\w*`, "American spelling"},
	{`(optimis|organis)(e|ed|es|ing|ation)`, "American spelling"},
	{`(licences?|centre[sd]?|grey|catalogue)`, "American spelling"},
}

// phrase matches all banned phrases.
var phrase = func() *regexp.Regexp {
	var all []string
	for _, b := range banned {
		all = append(all, b.pattern)
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + `)\b`)
}()

// joint matches a line break, including the start of the next comment line.
var joint = regexp.MustCompile(`\s*\n[\t >#]*(?://|\*)?\s*`)

// flowing returns text without line breaks, because they could hide a phrase.
func flowing(text string) string { return joint.ReplaceAllString(text, " ") }

// plain returns the replacement for a banned phrase.
func plain(found string) string {
	for _, b := range banned {
		if regexp.MustCompile(`(?i)^` + b.pattern + `$`).MatchString(found) {
			return b.plain
		}
	}
	return ""
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
	require.True(t, phrase.MatchString(flowing("// It loads for\n\t// ever.")))
	require.False(t, phrase.MatchString(flowing("for every filter that differs")))
	paths := texts(t, ".go", ".md", ".html", ".ci/run")
	require.Greater(t, len(paths), 100)
	for _, path := range paths {
		line := flowing(read(t, path))
		for _, at := range phrase.FindAllStringIndex(line, -1) {
			found := line[at[0]:at[1]]
			assert.Fail(t, "mannered", "%s: ...%s...\n%q: write %q", path,
				line[max(0, at[0]-40):min(len(line), at[1]+40)], found, plain(found))
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

// docLink matches a link to a name in the same package, or to a method.
var docLink = regexp.MustCompile(`\[(?:([A-Z]\w*)\.)?([A-Z]\w*)\]`)

func TestLinksInCommentsResolve(t *testing.T) {
	names, links := read(t, apiList), 0
	for _, path := range texts(t, ".go") {
		dir := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") || !strings.Contains(names, "\n"+dir+": ") {
			continue
		}
		for line := range strings.Lines(read(t, path)) {
			for _, l := range docLink.FindAllStringSubmatch(line, -1) {
				if comment.MatchString(line) {
					links++
					name := regexp.MustCompile(`(?m)^` + dir + `: .*\b` + l[1] + `\b.*\b` + l[2] + `\b`)
					assert.True(t, name.MatchString(names), "%s: nothing is named %s", path, l[0])
				}
			}
		}
	}
	require.Greater(t, links, 300)
}
