package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A line that is too long is an error with its position, in files, in pipes and
// in compressed files. Lines of the greatest length are keys.
func TestLinesThatAreTooLong(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 101)
	writeText(t, dir, "long", "ada\n"+long+"\ngrace\n")
	writeText(t, dir, "zipped", zipped(t, "ada\n"+long+"\ngrace\n"))
	writeText(t, dir, "longest", "ada\n"+long[1:]+"\ngrace\n")
	for _, args := range [][]string{{"build", "-o", "x"}, {"top"}, {"uniq"}} {
		for _, name := range []string{"long", "zipped"} {
			cmd := filterfam(t, dir, append(args, name)...)
			cmd.Env = append(cmd.Env, impatient+"=1")
			r := finish(t, cmd)
			require.Equal(t, "filterfam "+args[0]+": "+name+": line at byte 4 has more than 100 bytes\n", r.log)
			require.Equal(t, failed, r.code)
		}
		require.NoFileExists(t, filepath.Join(dir, "x"))
		cmd := filterfam(t, dir, append(args, "longest")...)
		cmd.Env = append(cmd.Env, impatient+"=1")
		require.Equal(t, 0, finish(t, cmd).code)
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "x")))
	}
}

// A file that cannot be read is an error that names the file once.
func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	writeText(t, dir, "secret", "ada\n")
	require.NoError(t, os.Chmod(filepath.Join(dir, "secret"), 0))
	unreadable := map[string]string{"folder": "is a folder"}
	if _, err := os.ReadFile(filepath.Join(dir, "secret")); err != nil { // root can read it
		unreadable["secret"] = "permission denied"
	}
	if _, err := os.Stat("/proc/self/mem"); err == nil { // nobody can read its first page
		unreadable["/proc/self/mem"] = "input/output error"
	}
	for name, want := range unreadable {
		for _, args := range [][]string{
			{"build", "-o", "x", name}, {"build", "--type", "bloom", "-o", "x", name}, {"query", name}, {"query", "filter", name},
			{"uniq", name}, {"top", name}, {"info", name}, {"merge", "-o", "x", name, name},
		} {
			succeeds(t, dir, "ada\n", "build", "-o", "filter")
			r := run(t, dir, "", args...)
			require.Equal(t, result{"", "filterfam " + args[0] + ": " + name + ": " + want + "\n", failed}, r, args)
			require.NoFileExists(t, filepath.Join(dir, "x"))
		}
	}
}

// Standard input can be named twice. It has no more lines then.
func TestStandardInputIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	filter := succeeds(t, dir, "ada\n", "build", "-o", "-")
	writeText(t, dir, "filter", filter)
	require.Equal(t, "ada\n", succeeds(t, dir, "ada\nalan\n", "query", "filter", "-", "-"))
	require.Equal(t, result{"", "", nothingFound}, run(t, dir, filter, "query", "-"))
	r := run(t, dir, filter, "merge", "-o", "x", "-", "-")
	require.Equal(t, "filterfam merge: standard input: is not a filter, or another structure that filterfam writes\n", r.log)
}

// What follows a structure is not kept in memory, since a pipe can be endless,
// and info can be interrupted while it reads one.
func TestInfoReadsPipes(t *testing.T) {
	dir := t.TempDir()
	filter := succeeds(t, dir, "ada\n", "build", "-o", "-")
	require.Contains(t, succeeds(t, dir, filter, "info", "-"), "checksum     right\n")
	r := run(t, dir, filter+strings.Repeat("x", 1000), "info", "-")
	require.Equal(t, failed, r.code)
	require.Contains(t, r.out, fmt.Sprintf("the file has %d bytes, but the structure needs %d\n", len(filter)+1000, len(filter)))
	r = run(t, dir, strings.Repeat("x", 1000), "info", "-")
	require.Equal(t, "filterfam info: standard input: is not a filter, or another structure that filterfam writes\n", r.log)
}

// A query that appends to a file while it reads it would not end.
func TestQueryDoesNotReadItsOutput(t *testing.T) {
	dir := t.TempDir()
	succeeds(t, dir, "ada\n", "build", "-o", "filter")
	writeText(t, dir, "keys", numbers(0, 10))
	out, err := os.OpenFile(filepath.Join(dir, "keys"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	defer out.Close()
	var log strings.Builder
	cmd := filterfam(t, dir, "query", "-v", "filter", "keys")
	cmd.Stdout = out
	cmd.Stderr = &log
	require.Error(t, cmd.Run())
	require.Equal(t, "filterfam query: keys: is also the output\n", log.String())
}
