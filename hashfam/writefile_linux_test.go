package hashfam_test

import (
	"path/filepath"
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
		err := hashfam.WriteFile(name, version(2))
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.EqualError(t, err, "replace "+name+": no space left on device")
		require.Equal(t, version(1), loadVersion(t, name))
		requireFiles(t, folder, "structure")
	}
}
