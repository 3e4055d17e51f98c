//go:build unix

package replace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepGroup gives a file the group of the old one, and reports whether the
// system allows this.
func keepGroup(file *os.File, info, old fs.FileInfo) bool {
	want := old.Sys().(*syscall.Stat_t).Gid
	return info.Sys().(*syscall.Stat_t).Gid == want || file.Chown(-1, int(want)) == nil
}

// keepOwner gives a file the owner of the old one if the system allows this.
func keepOwner(file *os.File, info, old fs.FileInfo) {
	want := old.Sys().(*syscall.Stat_t).Uid
	if info.Sys().(*syscall.Stat_t).Uid != want {
		file.Chown(int(want), -1)
	}
}

// checkRemoval returns an error if the process may not remove a file because
// the file or its folder is immutable or append-only, or because the folder is
// sticky and both belong to other users. checkRemoval tries to remove the file
// as if it were a folder. This always fails, but in these cases the error is
// EPERM, because the system checks for these cases first.
func checkRemoval(name string) error {
	err := syscall.Rmdir(name)
	if errors.Is(err, syscall.EPERM) {
		return err
	}
	return nil
}
