package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A model is the lines of some files, and those that a filter contains.
type model struct {
	names []string
	lines map[string][]string
	in    map[string]bool
}

// grep returns what query prints with flags, and the exit code.
func (m model) grep(flags map[string]bool, most int) (string, int) {
	out := ""
	code := nothingFound
	for _, name := range m.names {
		chosen := 0
		for i, line := range m.lines[name] {
			if line == "" || m.in[line] == flags["-v"] || most >= 0 && chosen == most {
				continue
			}
			chosen++
			if flags["-c"] || flags["-l"] || flags["-L"] || flags["-q"] {
				continue
			}
			if flags["-H"] {
				out += name + ":"
			}
			if flags["--line-number"] {
				out += fmt.Sprint(i+1) + ":"
			}
			out += line + "\n"
		}
		if chosen > 0 != flags["-L"] {
			code = 0
		}
		switch {
		case flags["-q"]:
		case flags["-l"] && chosen > 0, flags["-L"] && chosen == 0:
			out += name + "\n"
		case flags["-c"] && !flags["-l"] && !flags["-L"]:
			if flags["-H"] || len(m.names) > 1 && !flags["--no-filename"] {
				out += name + ":"
			}
			out += fmt.Sprint(chosen) + "\n"
		}
	}
	return out, code
}

// The flags of grep have the same meaning, also together.
func TestQueryHasTheFlagsOfGrep(t *testing.T) {
	dir := t.TempDir()
	words := []string{"", "ada", "grace", "edsger", "alan", "x\ty", "\xff"}
	for i, filter := range []string{"ada\nx\ty\n", "grace\n\xff\n"} {
		succeeds(t, dir, filter, "build", "--fpr", "1e-6", "-o", fmt.Sprint("filter", i))
	}
	writeText(t, dir, "all", "ada\nx\ty\ngrace\n\xff\n")
	succeeds(t, dir, "", "build", "--fpr", "1e-6", "-o", "both", "all")
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		if round > 40 {
			return // a process takes milliseconds
		}
		m := model{lines: map[string][]string{}, in: map[string]bool{"ada": true, "x\ty": true, "grace": true, "\xff": true}}
		for i := range rapid.IntRange(1, 3).Draw(rt, "files") {
			name := fmt.Sprint("file", i)
			m.names = append(m.names, name)
			m.lines[name] = rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(rt, name)
			text := strings.Join(append(m.lines[name], ""), "\n")
			require.NoError(rt, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		args := []string{"query", "both"}
		if rapid.Bool().Draw(rt, "several filters") {
			args = []string{"query", "-F", "filter0", "--filter=filter1"}
		}
		flags := map[string]bool{}
		for _, flag := range []string{"-v", "-c", "-l", "-L", "-H", "-q", "--no-filename", "--line-number"} {
			if rapid.IntRange(0, 3).Draw(rt, flag) == 0 {
				flags[flag] = true
				args = append(args, flag)
			}
		}
		if flags["-l"] && flags["-L"] || flags["-L"] && flags["-q"] {
			return // grep's manual does not say what this means
		}
		most := rapid.IntRange(-1, 3).Draw(rt, "most")
		if most >= 0 {
			args = append(args, "-m", fmt.Sprint(most))
		}
		args = append(args, m.names...)
		want, code := m.grep(flags, most)
		require.Equal(rt, result{want, "", code}, run(t, dir, "", args...), args)
	})
}

// Lines that were built with -f or -i are not found without these flags, and a
// remark says so.
func TestQueryRemarksThatNothingWasFound(t *testing.T) {
	dir := t.TempDir()
	text := strings.ReplaceAll(numbers(0, 1000), "key ", "Key,")
	succeeds(t, dir, text, "build", "--fpr", "1e-9", "-d,", "-f2", "-i", "-o", "filter")
	require.Equal(t, "1000\n", succeeds(t, dir, text, "query", "-c", "-d", ",", "-f", "2", "-i", "filter"))
	require.Equal(t, text, succeeds(t, dir, text, "query", "-d,", "-f2", "-i", "filter"))
	r := run(t, dir, text, "query", "filter")
	require.Equal(t, result{"", "filterfam query: none of 1000 lines was found: were -i and -f the same in build?\n", nothingFound}, r)
	r = run(t, dir, strings.Replace(text, "Key,0\n", "", 1), "query", "filter")
	require.Equal(t, result{"", "", nothingFound}, r)
}

// query -q stops at the first line, so an endless stream ends.
func TestQuietQueriesStopAtOnce(t *testing.T) {
	dir := t.TempDir()
	succeeds(t, dir, "ada\n", "build", "-o", "filter")
	for _, flag := range []string{"-q", "-m1", "-l"} {
		cmd := filterfam(t, dir, "query", flag, "filter")
		in, _ := begin(t, cmd)
		_, err := in.Write([]byte("alan\nada\n"))
		require.NoError(t, err)
		require.NoError(t, cmd.Wait(), flag) // although in is open
	}
}
