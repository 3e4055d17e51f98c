package journal

import (
	"os"
	"syscall"
)

// errorSharingViolation is returned for a file that is already open and that
// was opened without permission to share it.
const errorSharingViolation = syscall.Errno(32)

// openLocked opens a file. Until the file is closed, others can only read it.
func openLocked(name string, flag int) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, inFile(name, err)
	}
	how := uint32(syscall.OPEN_EXISTING)
	if flag&os.O_CREATE != 0 {
		how = syscall.OPEN_ALWAYS
	}
	handle, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ,
		nil, how, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == errorSharingViolation {
		return nil, inFile(name, ErrInUse)
	}
	if err != nil {
		return nil, inFile(name, err)
	}
	return os.NewFile(uintptr(handle), name), nil
}
