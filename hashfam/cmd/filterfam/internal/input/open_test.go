package input

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Patterns are replaced by the names that match, in order. A file with exactly
// this name is not a pattern.
func TestPatternsAreExpanded(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("lists", 0o700))
	for _, name := range []string{"b.txt", "a.txt", "c.gz", "[x].txt"} {
		require.NoError(t, os.WriteFile(filepath.Join("lists", name), nil, 0o600))
	}
	in := func(names ...string) (all []string) {
		for _, name := range names {
			all = append(all, filepath.Join("lists", name))
		}
		return all
	}
	for _, test := range []struct{ args, want []string }{
		{in("*.txt"), in("[x].txt", "a.txt", "b.txt")},
		{in("?.*"), in("a.txt", "b.txt", "c.gz")},
		{in("[x].txt"), in("[x].txt")},
		{[]string{"-", "missing"}, []string{"-", "missing"}},
	} {
		got, err := expand(test.args)
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
	_, err := expand(in("*.csv"))
	require.EqualError(t, err, filepath.Join("lists", "*.csv")+": no file has such a name")
	_, err = expand(in("[x"))
	require.ErrorContains(t, err, "is not a valid pattern")
}

// Only on Windows does no shell expand patterns.
func TestNamesOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	got, err := Names(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"-"}, got)
	got, err = Names([]string{"*.txt"})
	if runtime.GOOS == "windows" {
		require.ErrorContains(t, err, "no file has such a name")
		return
	}
	require.NoError(t, err)
	require.Equal(t, []string{"*.txt"}, got)
}

// A file that grows while it is read would have no end.
func TestTheOutputIsNotAnInput(t *testing.T) {
	list := file(t, "list", "ada\n")
	other := file(t, "other", "grace\n")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Link(list, link))
	info, err := os.Stat(list)
	require.NoError(t, err)
	require.NoError(t, CheckOutput([]string{other, "missing"}, info))
	for _, name := range []string{list, link} {
		require.EqualError(t, CheckOutput([]string{other, name}, info), name+": is also the output")
	}
	folder := filepath.Dir(list)
	info, err = os.Stat(folder)
	require.NoError(t, err)
	require.NoError(t, CheckOutput([]string{folder}, info), "only regular files matter")
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	os.Stdin, err = os.Open(list)
	require.NoError(t, err)
	defer os.Stdin.Close()
	info, err = os.Stat(list)
	require.NoError(t, err)
	require.EqualError(t, CheckOutput([]string{"-"}, info), "standard input: is also the output")
}

// Errors name a file once, and in words.
func TestFilesThatCannotBeOpened(t *testing.T) {
	folder := t.TempDir()
	_, err := Open(context.Background(), folder)
	require.EqualError(t, err, folder+": is a folder")
	name := filepath.Join(folder, "missing")
	_, err = Open(context.Background(), name)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotContains(t, err.Error()[len(name):], name)
}

// replaceStdin makes standard input a pipe, and returns its other end.
func replaceStdin(t *testing.T) *os.File {
	t.Helper()
	in, out, err := os.Pipe()
	require.NoError(t, err)
	before := os.Stdin
	os.Stdin = in
	t.Cleanup(func() {
		os.Stdin = before
		out.Close()
		in.Close()
	})
	return out
}

// Lines of a pipe are used when they arrive. Canceling ends a read that waits.
func TestPipesAreReadAtOnce(t *testing.T) {
	out := replaceStdin(t)
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan string)
	ended := make(chan error)
	go func() {
		ended <- Each(ctx, "-", Config{}, func(b Batch) error {
			for _, line := range b.Lines {
				got <- string(line)
			}
			return nil
		})
	}()
	for _, line := range []string{"ada", "x^2", "grace"} {
		_, err := out.WriteString(line + "\n")
		require.NoError(t, err)
		require.Equal(t, line, <-got)
	}
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(time.Minute):
		t.Fatal("canceling does not end the read")
	}
}

// The pieces of an ahead reader are used in order, and all of them.
func TestPipesAreReadWhole(t *testing.T) {
	out := replaceStdin(t)
	go func() {
		for i := range 3_000 {
			out.Write(make([]byte, i)) // zeros
			out.WriteString("\n")
		}
		out.Close()
	}()
	next := 0
	err := Each(context.Background(), "-", Config{Empty: true}, func(b Batch) error {
		for _, line := range b.Lines {
			require.Len(t, line, next)
			next++
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 3_000, next)
	all, err := read("-", Config{})
	require.NoError(t, err)
	require.Empty(t, all, "standard input has no more lines")
}
