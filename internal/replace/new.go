package replace

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// A New is a new file, which has a temporary name until Commit renames it.
type New struct {
	File *os.File

	target    *target
	committed bool
}

// Create creates an empty file with a temporary name, which Commit renames to
// the given name. Create returns an error if it is known that Commit would
// fail. Otherwise, the caller must call Discard at the end, even after Commit.
func Create(name string) (*New, error) {
	t, err := find(name)
	if err != nil {
		return nil, err
	}
	file, err := t.createTemporary()
	if err != nil {
		t.folder.Close()
		return nil, err
	}
	return &New{File: file, target: t}, nil
}

// Commit gives the new file the attributes of the old file, makes it durable,
// closes n.File, and renames the file, so that it replaces the old one. If only
// syncing the folder failed, the error says that the file was replaced.
func (n *New) Commit() error {
	err := n.target.keepAttributes(n.File)
	if err == nil {
		err = n.File.Sync()
	}
	if err == nil {
		err = n.File.Close()
	}
	if err != nil {
		return n.Fail(err)
	}
	if err := os.Rename(n.File.Name(), n.target.name); err != nil {
		return n.target.failReplacement(err)
	}
	n.committed = true
	if err := syncFolder(n.target.folder); err != nil {
		return n.target.fail(fmt.Errorf("was replaced, but may not survive a crash: %w", cause(err)))
	}
	return nil
}

// Discard removes the file, unless Commit has renamed it.
func (n *New) Discard() error {
	n.target.folder.Close()
	if n.committed {
		return nil
	}
	closed := n.File.Close()
	removed := os.Remove(n.File.Name())
	return n.target.fail(cmp.Or(closed, removed))
}

// Fail returns err, but if it is an error of n.File, it will contain the name
// of the target instead of the temporary name. Fail returns nil if err is nil.
func (n *New) Fail(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && path.Path == n.File.Name() {
		return n.target.fail(path)
	}
	return err
}

// createTemporary creates a temporary file in the target's folder.
func (t *target) createTemporary() (*os.File, error) {
	folder, base := split(t.name)
	file, err := os.CreateTemp(folder, temporaryPrefix(base)+"*")
	if err != nil {
		return nil, t.failFolder(err)
	}
	return file, nil
}

// longName is the length from which on a name is too long to be part of the
// name of a temporary file. Some file systems allow names of at most 143 bytes.
const longName = 100

// temporaryPrefix returns the prefix of the names of a file's temporary files.
// Only decimal digits follow it. base is the name of the file without its
// folder.
func temporaryPrefix(base string) string {
	if len(base) >= longName {
		sum := fnv.New64a()
		sum.Write([]byte(base))
		base = fmt.Sprintf("%016x", sum.Sum64())
	}
	return ".filterfam-" + base + "-"
}

// keepAttributes gives a temporary file the group, the mode and the owner of
// the existing file, if there is one and the system allows it. If the temporary
// file must keep its own group, the members of this group get the same rights
// as all other users. keepAttributes returns an error if the temporary file
// keeps rights that it should not have.
func (t *target) keepAttributes(file *os.File) error {
	if t.old == nil {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	mode := t.old.Mode().Perm()
	if !keepGroup(file, info, t.old) {
		mode = mode&^0o070 | mode&0o007<<3
	}
	err = file.Chmod(mode)
	if err != nil && info.Mode().Perm()&^mode != 0 {
		return t.fail(fmt.Errorf("cannot get the mode %v: %w", mode, cause(err)))
	}
	keepOwner(file, info, t.old) // last, because only the owner can change the mode
	return nil
}

// syncFolder makes the names in a folder durable. Windows and some file systems
// have no call for this.
func syncFolder(folder *os.File) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	err := folder.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}
