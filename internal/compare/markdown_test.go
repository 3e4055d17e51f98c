package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// A rendered document was parsed in the same way as on GitHub.
type rendered struct {
	source []byte
	root   ast.Node
}

func render(source string) rendered {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	return rendered{[]byte(source), markdown.Parser().Parse(text.NewReader([]byte(source)))}
}

// each calls do for every node, but not for the contents of code.
func (d rendered) each(do func(ast.Node)) {
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // do returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		do(n)
		switch n.Kind() {
		case ast.KindCodeSpan, ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

// shown returns the text of a node, including code.
func (d rendered) shown(n ast.Node) string {
	if t, ok := n.(*ast.Text); ok {
		return string(t.Segment.Value(d.source))
	}
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		b.WriteString(d.shown(child))
	}
	return b.String()
}

// wrong returns everything that a reader would not see as it was meant.
func (d rendered) wrong() (list []string) {
	note := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	rows := 0
	d.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			if line := d.shown(n); strings.Contains(line, "*") {
				note("an asterisk outside code: %s", line)
			}
		case *extast.Strikethrough:
			note("struck out: %s", d.shown(n))
		case *ast.Emphasis:
			if d.insideWord(n) {
				note("emphasis inside a word, a number or a formula: %s", d.shown(n))
			}
		case *ast.RawHTML:
			if tag := string(n.Segments.Value(d.source)); !strings.HasPrefix(tag, "<!--") {
				note("not shown, because it is a tag: %s", tag)
			}
		case *extast.TableHeader:
			rows += 2 // with the line below it
		case *extast.TableRow:
			rows++
		}
	})
	if lines := d.tableLines(); lines != rows {
		note("%d lines of tables, but %d lines begin with |", rows, lines)
	}
	return list
}

// insideWord reports whether emphasis begins after, or ends before, a character
// other than a space or a punctuation mark.
func (d rendered) insideWord(n ast.Node) bool {
	before, after := "", ""
	if t, ok := n.PreviousSibling().(*ast.Text); ok && !t.SoftLineBreak() {
		before = d.shown(t)
	}
	if t, ok := n.NextSibling().(*ast.Text); ok {
		after = d.shown(t)
	}
	part := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("*/+^)]", r)
		})
	}
	last := before[max(0, len(before)-1):]
	first := strings.TrimPrefix(after[:min(1, len(after))], ")")
	return part(last) || part(first) || strings.ContainsAny(d.shown(n), "^/=*")
}

// tableLines returns the number of lines outside code that look like a table.
func (d rendered) tableLines() (number int) {
	code := make(map[int]bool) // the offsets of lines
	_ = ast.Walk(d.root, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
			for i := range n.Lines().Len() {
				code[n.Lines().At(i).Start] = true
			}
		}
		return ast.WalkContinue, nil
	})
	at := 0
	for line := range strings.Lines(string(d.source)) {
		if strings.HasPrefix(line, "|") && !code[at] {
			number++
		}
		at += len(line)
	}
	return number
}

// unused matches the characters that GitHub leaves out of an anchor.
var unused = regexp.MustCompile(`[^\pL\pN_ -]`)

// anchors returns the names that GitHub gives to headings.
func (d rendered) anchors() map[string]bool {
	names := make(map[string]bool)
	d.each(func(n ast.Node) {
		if n.Kind() != ast.KindHeading {
			return
		}
		plain := strings.ReplaceAll(unused.ReplaceAllString(strings.ToLower(d.shown(n)), ""), " ", "-")
		name := plain
		for i := 1; names[name]; i++ {
			name = fmt.Sprintf("%s-%d", plain, i)
		}
		names[name] = true
	})
	return names
}

// links returns the destinations of links and images in this repository.
func (d rendered) links() (list []string) {
	d.each(func(n ast.Node) {
		to := ""
		switch n := n.(type) {
		case *ast.Link:
			to = string(n.Destination)
		case *ast.Image:
			to = string(n.Destination)
		}
		if to != "" && !strings.Contains(to, ":") {
			list = append(list, to)
		}
	})
	return list
}

// documents returns the paths of all Markdown files in the repository.
func documents(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"../../README.md", "../../*/*.md", "../../.github/*.md"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		list = append(list, names...)
	}
	return list
}

func TestDocumentsAreRenderedAsMeant(t *testing.T) {
	list := documents(t)
	require.Greater(t, len(list), 12)
	for _, name := range list {
		assert.Empty(t, render(read(t, name)).wrong(), name)
	}
}

func TestAnchorsExistWhenRendered(t *testing.T) {
	links := 0
	for _, name := range documents(t) {
		for _, link := range render(read(t, name)).links() {
			links++
			file, anchor, _ := strings.Cut(link, "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), file)
			}
			_, err := os.Stat(target)
			require.NoError(t, err, name)
			if anchor != "" {
				assert.True(t, render(read(t, target)).anchors()[anchor], "%s: %s", name, link)
			}
		}
	}
	assert.Greater(t, links, 100)
}

// The check must find what it is for.
func TestBadRenderingIsFound(t *testing.T) {
	for source, number := range map[string]int{
		"*a* and **b c**, (*d*).\n\n| a | b |\n|---|---:|\n| *x* | 1 |\n": 0,
		"`3*2^(i-1)` and `a*b`\n\n```\n| no | table\n*x*y\n```\n":         0,
		"ceil(m*s/64), or m*s bits":                                       1,
		"MemoryBytes/8*52/100":                                            1,
		"2 * 3":                                                           1,
		"about ~5~ of them":                                               1,
		"a*b*c":                                                           1,
		"n <b> m":                                                         1,
		"text\n| a | b |\n| c | d |\n":                                    1,
		"| a | b |\n|---|\n| c | d |\n":                                   1,
	} {
		assert.Len(t, render(source).wrong(), number, source)
	}
	assert.Equal(t, map[string]bool{"a-b-c_d": true, "a-b-c_d-1": true}, render("# A `b`: c_d\n\n## a b, c_d!\n").anchors())
}
