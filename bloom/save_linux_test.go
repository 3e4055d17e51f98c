package bloom_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// If the disk is full, save returns the error of the disk. The old file stays,
// and nothing else.
func TestASaveToAFullDiskKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=65536"); err != nil {
		t.Skip("no file system can be mounted: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	name := filepath.Join(dir, "filter")
	old, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	old.AddString("old")
	require.NoError(t, save(old, name))
	for range 3 {
		require.ErrorIs(t, save(versioned(3), name), syscall.ENOSPC)
		got, err := load(name)
		require.NoError(t, err)
		require.True(t, got.Equal(old))
		files, err := os.ReadDir(filepath.Dir(name))
		require.NoError(t, err)
		require.Len(t, files, 1)
	}
}
