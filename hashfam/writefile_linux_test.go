package hashfam_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A file system with room for one version and a half is full when the second
// version is written.
func TestWriteFileToAFullFileSystemKeepsTheOldFile(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("none", folder, "tmpfs", 0, "size=384k"); err != nil {
		t.Skip("only root can create a small file system: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(folder, 0)) })
	name := filepath.Join(folder, "structure")
	require.NoError(t, hashfam.WriteFile(name, version(1)))
	for range 3 {
		require.ErrorIs(t, hashfam.WriteFile(name, version(2)), syscall.ENOSPC)
		require.Equal(t, version(1), loadVersion(t, name))
		requireFiles(t, folder, "structure")
	}
}

// Nothing changes in a folder whose files the user may not change.
func TestWriteFileWithoutPermissionKeepsTheOldFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "structure")
	require.NoError(t, hashfam.WriteFile(name, version(1)))
	require.NoError(t, os.Chmod(name, 0o644))
	require.NoError(t, os.Chmod(folder, 0o555))
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755))
	failed := make(chan error)
	go func() {
		// For root, the file system checks permissions as for another user. The
		// thread ends with this goroutine, because it stays locked.
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				failed <- err
				return
			}
		}
		failed <- hashfam.WriteFile(name, version(2))
	}()
	require.ErrorIs(t, <-failed, os.ErrPermission)
	require.Equal(t, version(1), loadVersion(t, name))
	requireFiles(t, folder, "structure")
	require.NoError(t, os.Chmod(folder, 0o755))
}
