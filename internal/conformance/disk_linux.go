package conformance

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// SmallDisk returns a directory on a file system of its own that has room for
// [SmallDiskBytes]. It skips the test if this process may not mount one.
func SmallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprint("size=", SmallDiskBytes))
	if err != nil {
		t.Skip("no file system can be mounted: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}
