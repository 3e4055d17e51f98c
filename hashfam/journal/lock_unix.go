//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package journal

import (
	"errors"
	"os"
	"syscall"
)

// openLocked opens a file and locks it until it is closed. The lock belongs to
// the open file, not to the process, so a second call in the same process also
// returns ErrInUse. If the file system does not support locks, the file is not
// locked.
func openLocked(name string, flag int) (*os.File, error) {
	file, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	err = lock(file)
	if err == nil || errors.Is(err, errors.ErrUnsupported) { // as on some network file systems
		return file, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrInUse
	}
	return nil, inFile(name, err)
}

func lock(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = raw.Control(func(fd uintptr) {
		locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB)
	})
	if err != nil {
		return err
	}
	return locked
}
