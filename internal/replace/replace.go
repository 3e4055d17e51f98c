// Package replace replaces files such that each is either the old file or the
// complete new one, even after a crash. hashfam.WriteFile uses [File]. Package
// journal uses [Create] and [RemoveTemporary], and the commands call [Check]
// before they begin to work.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// File writes a file as hashfam.WriteFile describes. It returns the errors of
// w. All other errors are of type *fs.PathError and contain the name, or the
// name of the file to which a link of this name refers. If name cannot be the
// name of a regular file, the error wraps a NotFile.
func File(name string, w io.WriterTo) error {
	n, err := Create(name)
	if err != nil {
		return err
	}
	defer n.Discard()
	if _, err := w.WriteTo(n.File); err != nil {
		return n.Fail(err)
	}
	return n.Commit()
}

// Check returns the error that File would return, if the error can be known
// before the contents are written. It creates an empty temporary file and
// removes it.
func Check(name string) error {
	n, err := Create(name)
	if err != nil {
		return err
	}
	return n.Discard()
}

// RemoveTemporary removes the temporary files that interrupted programs have
// left for this name. No program may use File or a New with this name at the
// same time, because its temporary file would be removed, too.
func RemoveTemporary(name string) error {
	name, err := followLinks(name)
	if err != nil {
		return err
	}
	folder, base := split(name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		random, found := strings.CutPrefix(entry.Name(), temporaryPrefix(base))
		if found && strings.Trim(random, "0123456789") == "" {
			err = errors.Join(err, os.Remove(filepath.Join(folder, entry.Name())))
		}
	}
	return err
}

// A NotFile is the error for a name that cannot be the name of a regular file.
// It describes what the name is instead, for example "is a folder".
type NotFile string

func (n NotFile) Error() string { return string(n) }

// A target is a file that can be replaced.
type target struct {
	name   string      // after links are followed
	folder *os.File    // in which the file is
	old    fs.FileInfo // of the existing file, or nil
}

// find returns the file that name refers to. It returns an error if the file
// cannot be replaced.
func find(name string) (*target, error) {
	name, err := followLinks(name)
	if err != nil {
		return nil, err
	}
	t := &target{name: name}
	if err := t.inspect(); err != nil {
		return nil, err
	}
	folder, _ := split(name)
	if t.folder, err = os.Open(folder); err != nil {
		return nil, t.failFolder(err)
	}
	if t.old != nil {
		err = t.checkReplacement()
	}
	if err != nil {
		t.folder.Close()
		return nil, err
	}
	return t, nil
}

// split returns the folder and the rest of a file name. Unlike filepath.Dir, it
// keeps "..", whose meaning depends on the links before it.
func split(name string) (folder, base string) {
	folder, base = filepath.Split(name)
	if folder == "" {
		folder = "."
	}
	return folder, base
}

// maxLinks is the largest number of symbolic links that are followed in a row.
const maxLinks = 100

// followLinks returns the name of the file that a symbolic link refers to, even
// if that file does not exist. Other names are returned as they are.
func followLinks(name string) (string, error) {
	file := name
	for range maxLinks {
		link, err := os.Readlink(file)
		if err != nil {
			return file, nil // not a link
		}
		if !filepath.IsAbs(link) {
			folder, _ := filepath.Split(file)
			link = folder + link
		}
		file = link
	}
	t := target{name: name}
	return "", t.fail(NotFile(fmt.Sprintf("is a loop of links, or more than %d links in a row", maxLinks)))
}

// inspect sets t.old. It returns an error if the name cannot be that of a
// regular file.
func (t *target) inspect() error {
	info, err := os.Stat(t.name)
	switch {
	case t.name == "":
		return t.fail(NotFile("is empty"))
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return t.fail(err)
	case info.IsDir():
		return t.fail(NotFile("is a folder"))
	case !info.Mode().IsRegular():
		return t.fail(NotFile("is a device, a pipe or a socket"))
	}
	t.old = info
	return nil
}

// checkReplacement returns an error if it is known that the system will not
// rename another file to the existing file.
func (t *target) checkReplacement() error {
	if err := checkRemoval(t.name); err != nil {
		return t.failReplacement(err)
	}
	if t.isMount() {
		return t.failReplacement(syscall.EBUSY)
	}
	return nil
}

// isMount reports whether the existing file is known to be a mount of its own,
// as in a container.
func (t *target) isMount() bool {
	file, err := os.Open(t.name)
	if err != nil {
		return false
	}
	defer file.Close()
	mount := mountOf(file)
	folder := mountOf(t.folder)
	return mount != folder && mount != "" && folder != ""
}

// mountOf returns the number of the mount through which a file was opened. It
// returns "" if the number is not known, because only Linux reports it.
func mountOf(file *os.File) string {
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", file.Fd()))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(info), "mnt_id:")
	number, _, _ := strings.Cut(after, "\n")
	return number
}

// fail returns an error that names the target, or nil if err is nil.
func (t *target) fail(err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "replace", Path: t.name, Err: cause(err)}
}

// failReplacement returns the error for a file that cannot be replaced.
func (t *target) failReplacement(err error) error {
	err = cause(err)
	switch {
	case errors.Is(err, syscall.EBUSY):
		err = fmt.Errorf("is a mount: mount its folder (%w)", err)
	case errors.Is(err, syscall.EPERM):
		err = fmt.Errorf("is immutable or append-only, or belongs to another user in a sticky folder (%w)", err)
	}
	return t.fail(err)
}

// failFolder returns an error that names the target and its folder.
func (t *target) failFolder(err error) error {
	folder, _ := split(t.name)
	return t.fail(fmt.Errorf("folder %s: %w", folder, cause(err)))
}

// cause returns an error without the names of files.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
