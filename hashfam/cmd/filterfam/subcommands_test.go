package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A subcommand needs a help text with examples, a line in the comment of
// main.go, a program in the document and a test.
func TestSubcommandsAreDescribedAndTested(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	comment, _, _ := strings.Cut(read("main.go"), "\npackage main\n")
	shown := ""
	for _, b := range blocks.FindAllStringSubmatch(read("../../../docs/command.md"), -1) {
		shown += b[1]
	}
	tested := ""
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, file := range files {
		tested += read(file)
	}
	for _, sub := range subcommands() {
		c := newCommand(sub)
		name := c.Name()
		require.NotEmpty(t, name, "a subcommand without texts: it must call c.document")
		call := "filterfam " + name
		assert.NotEmpty(t, c.Short, "%s has no short text: see c.document", call)
		assert.NotEmpty(t, c.Long, "%s has no help text: see c.document", call)
		assert.Contains(t, c.Example, call, "the help of %s needs an example: see c.document", call)
		assert.GreaterOrEqual(t, strings.Count(c.Example, "filterfam "), 2, "the help of %s needs two examples: see c.document", call)
		assert.Regexp(t, `(?m)^//\t`+call+` .*  `+c.Short+`$`, comment, "the comment of main.go needs a line for %s with its short text", call)
		assert.Contains(t, shown, call, "docs/command.md needs an sh block with %s and its output", call)
		assert.Contains(t, tested, `"`+name+`"`, "no test calls %s", call)
	}
}
