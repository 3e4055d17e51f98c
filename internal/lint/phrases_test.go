package lint

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Occurrences per 10,000 words of comments in Go's standard library (Go 1.26,
// 376,000 words). 0.3 also means less. A phrase in rare should not be used more
// than four times as often, and a phrase in common not less than a quarter as
// often.
var (
	rare = map[string]float64{
		"those of": 0.3, "that of": 0.4, "are those": 0.3, "is what": 0.3, "returns what": 0.3, "what": 2.8, "of them": 0.5,
		"takes": 2.1, "it takes": 0.3, "keeps": 0.3, "tells": 0.3, "shows": 0.3, "answers": 0.3, "asks": 0.3, "costs": 0.3,
		"share of": 0.3, "that many": 0.3, "how much": 0.3, "of one": 0.7, "in one": 0.6, "under": 1.6, "before it": 0.3,
		"meanwhile": 0.3, "which a": 0.3, "stands": 0.3, "besides": 0.3, "beside": 0.3, "of a": 10.8, "together": 0.4, "ends": 1.3,
		"nothing": 2.3, "least": 4.4, "at most": 3.0, "make one": 0.3, "of its own": 0.3,
	}
	common = map[string]float64{
		"will": 33.5, "using": 14.9, "used": 23.6, "use": 29.0, "when": 28.3, "this": 63.1, "should": 19.9, "must be": 12.0,
		"be used": 5.7, "returned": 17.5, "called": 13.8, "instead": 9.7, "since": 9.3, "because": 9.4, "otherwise": 9.4,
		"need to": 5.6, "for example": 5.2, "used to": 4.9, "current": 6.9, "can be": 10.1,
	}
)

// mostPhrases is the number of phrases that may be out of bounds. Large
// packages of the standard library have up to 8.
const mostPhrases = 7

var (
	notProse = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\|[^\n]*|https?://\\S+|takes O\\(")
	words    = regexp.MustCompile(`[a-z']+`)
)

// proseOf returns the comments in Go code, or the prose in a document.
func proseOf(t *testing.T, path string) string {
	if !strings.HasSuffix(path, ".go") {
		return notProse.ReplaceAllString(read(t, path), " ")
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, read(t, path), parser.ParseComments)
	require.NoError(t, err)
	text := ""
	for _, group := range file.Comments {
		text += strings.ReplaceAll(group.Text(), "takes O(", "") + "\n"
	}
	return text
}

// Comments outside tests and documents use common phrases about as often as the
// standard library does.
func TestPhrasesAreAsCommonAsInTheStandardLibrary(t *testing.T) {
	total, where := 0, map[string]map[string]int{} // occurrences by phrase and file
	count := func(phrase, path string) {
		if where[phrase] == nil {
			where[phrase] = map[string]int{}
		}
		where[phrase][path]++
	}
	for _, path := range append(files(t, ".go"), files(t, ".md")...) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata/") {
			continue
		}
		last := ""
		for _, word := range words.FindAllString(strings.ToLower(proseOf(t, path)), -1) {
			count(word, path)
			count(last+" "+word, path)
			total, last = total+1, word
		}
	}
	require.Greater(t, total, 50_000)
	var out []string
	check := func(phrase string, theirs, least, most float64) {
		sum := 0
		for _, n := range where[phrase] {
			sum += n
		}
		if ours := 1e4 * float64(sum) / float64(total); ours < least || ours > most {
			out = append(out, fmt.Sprintf("%q: %.1f, standard library %.1f, mostly in %v", phrase, ours, theirs, largest(where[phrase])))
		}
	}
	for phrase, theirs := range rare {
		check(phrase, theirs, 0, 4*theirs)
	}
	for phrase, theirs := range common {
		check(phrase, theirs, theirs/4, 1e4)
	}
	slices.Sort(out)
	require.LessOrEqual(t, len(out), mostPhrases, "phrases per 10,000 words:\n%s", strings.Join(out, "\n"))
}

// largest returns the three files with the largest numbers.
func largest(files map[string]int) []string {
	paths := slices.SortedFunc(maps.Keys(files), func(a, b string) int { return files[b] - files[a] })
	return paths[:min(3, len(paths))]
}
