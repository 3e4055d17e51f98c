package hashfam

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// temporaryPattern is the pattern for the names of temporary files.
const temporaryPattern = ".filterfam-*"

// WriteFile writes a structure to the named file, using its WriteTo method:
//
//	err := hashfam.WriteFile("seen.bloom", filter)
//
// It replaces an existing file, but only when the new contents are complete and
// on the disk. If the program or the machine crashes, the file is therefore
// either the old one or the new one. If WriteFile returns nil, it is the new
// one.
//
// The new file has the mode of the existing file, or 0600 if there is none. As
// with os.WriteFile, if name is a symbolic link, the file that it refers to is
// replaced. Concurrent calls with the same name do not interfere, and the last
// one wins.
//
// WriteFile returns [ErrParams] if name is a folder, a device or another file
// that is not regular, or if w is nil. It also returns the errors of w and of
// the file system, which must allow it to read and write the folder. After an
// error, the file is unchanged, unless only syncing the folder failed after the
// file was replaced.
//
// WriteFile first writes a temporary file to the same folder, and removes it if
// there is an error or a panic. If the program is killed or the machine
// crashes, this file stays there. Its name begins with ".filterfam-", and such
// files can be deleted while no program calls WriteFile for this folder:
//
//	rm .filterfam-*
func WriteFile(name string, w io.WriterTo) error {
	if w == nil {
		return fieldError(ErrParams, "w", nil, "a structure or another io.WriterTo")
	}
	name, err := followLinks(name)
	if err != nil {
		return err
	}
	mode, err := modeFor(name)
	if err != nil {
		return err
	}
	path, _ := filepath.Split(name)
	if path == "" {
		path = "."
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	temporary, err := writeTemporary(path, mode, w)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, name); err != nil {
		os.Remove(temporary)
		return err
	}
	return syncFolder(folder)
}

// maxLinks is the largest number of symbolic links in a row.
const maxLinks = 100

// followLinks returns the name of the file that a symbolic link refers to, even
// if that file does not exist. Other names are returned as they are.
func followLinks(name string) (string, error) {
	for range maxLinks {
		target, err := os.Readlink(name)
		if err != nil {
			return name, nil // not a link
		}
		if !filepath.IsAbs(target) {
			folder, _ := filepath.Split(name) // not Dir, which removes ".." before links are followed
			target = folder + target
		}
		name = target
	}
	return "", fieldError(ErrParams, "name", name, fmt.Sprintf("at most %d links in a row", maxLinks))
}

// defaultMode is the mode of files that os.CreateTemp creates.
const defaultMode fs.FileMode = 0o600

// modeFor returns the mode for the new file.
func modeFor(name string) (fs.FileMode, error) {
	info, err := os.Stat(name)
	switch {
	case name == "":
		return 0, fieldError(ErrParams, "name", "empty", "the name of a file")
	case errors.Is(err, fs.ErrNotExist):
		return defaultMode, nil
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, fieldError(ErrParams, "name", name, "the name of a file: this is a folder")
	case !info.Mode().IsRegular():
		return 0, fieldError(ErrParams, "name", name, "the name of a regular file: this is a device, a pipe or a socket")
	}
	return info.Mode().Perm(), nil
}

// writeTemporary writes a temporary file, syncs it, and returns its name. It
// removes the file if it fails.
func writeTemporary(folder string, mode fs.FileMode, w io.WriterTo) (string, error) {
	file, err := os.CreateTemp(folder, temporaryPattern)
	if err != nil {
		return "", err
	}
	complete := false
	defer func() {
		if !complete {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	_, err = w.WriteTo(file)
	if err == nil && mode != defaultMode {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = file.Close()
	}
	complete = err == nil
	return file.Name(), err
}

// syncFolder writes the names of a folder's files to the disk. Windows and some
// file systems have no call for this.
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
