package replace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A content is the content of a file, for WriteTo.
type content string

func (c content) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, string(c))
	return int64(n), err
}

// A step is called with the temporary file, after something was written to it.
type step func(file *os.File) error

func (s step) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, "new")
	return int64(n), errors.Join(err, s(w.(*os.File)))
}

// writeText creates a file.
func writeText(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// requireText checks the contents of a file.
func requireText(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// link creates a symbolic link, or skips the test.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip("this system has no links: ", err)
	}
}

// tree returns the names of all files in a folder and below.
func tree(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	require.NoError(t, filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	}))
	return names
}

// requireRefused checks that Check and File return the same error, and that
// this error contains the wanted words and no temporary name. It also checks
// that File returns it before anything is written, and that no file is created
// or removed.
func requireRefused(t *testing.T, folder, name, want string) {
	t.Helper()
	before := tree(t, folder)
	err := Check(name)
	require.ErrorContains(t, err, want)
	require.NotContains(t, err.Error(), ".filterfam-")
	require.ErrorAs(t, err, new(*fs.PathError))
	late := step(func(*os.File) error { return errors.New("after the contents") })
	require.EqualError(t, File(name, late), err.Error())
	require.Equal(t, before, tree(t, folder))
}

// requireReplaced checks that Check and File succeed, and that nothing but the
// wanted file is written.
func requireReplaced(t *testing.T, folder, name, file string) {
	t.Helper()
	before := tree(t, folder)
	require.NoError(t, Check(name))
	require.Equal(t, before, tree(t, folder))
	require.NoError(t, File(name, step(func(temporary *os.File) error {
		require.Equal(t, filepath.Dir(file), filepath.Dir(real(t, temporary.Name())))
		return nil
	})))
	requireText(t, file, "new")
	require.NoError(t, os.Remove(file))
	require.NoError(t, File(name, content("newer")))
	requireText(t, file, "newer")
	require.Subset(t, append(before, file), tree(t, folder))
}

// real returns the name of a file without links.
func real(t *testing.T, name string) string {
	t.Helper()
	name, err := filepath.EvalSymlinks(name)
	require.NoError(t, err)
	name, err = filepath.Abs(name)
	require.NoError(t, err)
	return name
}

// The same names are refused before any work and when the file is written.
func TestNamesThatCannotBeFilesAreRefused(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	writeText(t, in("file"), "old")
	link(t, "loop", in("loop"))
	link(t, "there", in("here"))
	link(t, "here", in("there"))
	link(t, filepath.Join("none", "file"), in("lost"))
	link(t, ".", in("folder"))
	long := strings.Repeat("x", 300)
	link(t, long[:200]+string(filepath.Separator)+long, in("far"))

	notFile := []string{"", in(""), in("loop"), in("here"), in("folder")}
	wrong := []string{in("lost"), in("none") + "/", in("none/file"), in("file/file"), in("far")}
	if runtime.GOOS != "windows" {
		notFile = append(notFile, os.DevNull)
		wrong = append(wrong, in(long))
		requireRefused(t, folder, in(long), "replace "+in(long)+": file name too long")
		requireRefused(t, folder, in("lost"), "replace "+in("none/file")+": folder "+in("none")+"/: no such file or directory")
	}
	for _, name := range append(notFile, wrong...) {
		requireRefused(t, folder, name, "replace ")
		require.Equal(t, slices.Contains(notFile, name), errors.As(Check(name), new(NotFile)), name)
	}
	requireRefused(t, folder, folder, "replace "+folder+": is a folder")
	requireRefused(t, folder, in("loop"), "replace "+in("loop")+": is a loop of links")
	requireText(t, in("file"), "old")
}

func TestFilesAreWrittenWhereLinksPoint(t *testing.T) {
	folder := real(t, t.TempDir())
	in := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.MkdirAll(in("here"), 0o700))
	require.NoError(t, os.MkdirAll(in("other/deep"), 0o700))
	link(t, filepath.Join("..", "other", "file"), in("here/link"))
	link(t, "link", in("here/second"))
	link(t, in("other/deep"), in("here/deep"))
	for _, name := range []string{"other/file", "here/link", "here/second"} {
		requireReplaced(t, folder, in(name), in("other/file"))
	}
	// The ".." is the folder of other/deep, so here is not needed.
	requireReplaced(t, folder, in("here")+"/deep/../file", in("other/file"))
	t.Chdir(in("other"))
	requireReplaced(t, folder, "file", in("other/file"))
	for _, length := range []int{longName - 1, longName, 255} {
		name := in("other/" + strings.Repeat("x", length))
		requireReplaced(t, folder, name, name)
		require.NoError(t, os.Remove(name))
	}
}

// An error of the file has the name of the target, and other errors of the
// structure stay as they are.
func TestErrorsDoNotContainTemporaryNames(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	err := File(name, step(func(file *os.File) error {
		require.NoError(t, file.Close())
		_, err := file.Write([]byte{0})
		return err
	}))
	require.ErrorIs(t, err, os.ErrClosed)
	require.EqualError(t, err, "replace "+name+": file already closed")

	failed := errors.New("failed")
	require.ErrorIs(t, File(name, step(func(*os.File) error { return failed })), failed)
}

// The folder is synced after the file was replaced.
func TestAFolderThatCannotBeSyncedIsAnError(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not synced")
	}
	name := filepath.Join(t.TempDir(), "file")
	writeText(t, name, "old")
	n, err := Create(name)
	require.NoError(t, err)
	defer n.Discard()
	_, err = content("new").WriteTo(n.File)
	require.NoError(t, err)
	require.NoError(t, n.target.folder.Close())
	err = n.Commit()
	require.EqualError(t, err, "replace "+name+": was replaced, but may not survive a crash: file already closed")
	require.ErrorIs(t, err, os.ErrClosed)
	requireText(t, name, "new")
}

// Temporary names contain the name of the file. RemoveTemporary does not remove
// those of other files, whose names can begin in the same way.
func TestTemporaryFilesBelongToAName(t *testing.T) {
	folder := t.TempDir()
	link(t, "seen.bloom", filepath.Join(folder, "link"))
	long := strings.Repeat("x", longName)
	created := map[string]string{}
	for _, name := range []string{"seen.bloom", "seen.bloom-5", "seen", "seen*", long, long + "y"} {
		copyOf := func(file *os.File) error {
			created[name] = file.Name() + "0"
			return os.Link(file.Name(), created[name])
		}
		if err := File(filepath.Join(folder, name), step(copyOf)); err != nil {
			t.Skip("this system has no such names or no links: ", err)
		}
		if len(name) < longName {
			require.True(t, strings.HasPrefix(filepath.Base(created[name]), ".filterfam-"+name+"-"))
		}
		require.Less(t, len(filepath.Base(created[name])), 143)
	}
	require.NoError(t, RemoveTemporary(filepath.Join(folder, "none")))
	for _, name := range []string{"seen.bloom", "link", "seen", "seen.bloom-5", long, "seen*", long + "y"} {
		require.NoError(t, RemoveTemporary(filepath.Join(folder, name)))
		if name == "link" {
			continue
		}
		delete(created, name)
		for _, other := range created {
			require.FileExists(t, other)
		}
		left, err := filepath.Glob(filepath.Join(folder, ".filterfam-*"))
		require.NoError(t, err)
		require.Len(t, left, len(created))
	}
	require.FileExists(t, filepath.Join(folder, "seen"))
	require.Error(t, RemoveTemporary(filepath.Join(folder, "none", "file")))
}
