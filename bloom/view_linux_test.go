package bloom

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The view of a mapped file gives the answers of the filter written to it.
func TestAViewOfAMappedFile(t *testing.T) {
	for _, layout := range layouts {
		f, err := New(Config{Capacity: 100_000, FPRate: 0.01, Layout: layout})
		require.NoError(t, err)
		f.AddAll(sums(f, 100_000))
		v, err := NewView(writeAndMap(t, filepath.Join(t.TempDir(), "filter"), f), f.params.Family)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		require.NoError(t, err)
		require.NoError(t, v.Verify())
		digests := sums(f, 200_000)
		require.Equal(t, f.ContainsAll(nil, digests), v.ContainsAll(nil, digests))
		require.Equal(t, f.FalsePositiveRate(), v.FalsePositiveRate())
		g, err := v.Decode()
		require.NoError(t, err)
		g.AddString("the memory of the file cannot be written to")
		require.True(t, g.ContainsString("the memory of the file cannot be written to"))
	}
}

// writeAndMap writes f to a file and maps the file for reading. A write to that
// memory ends the test with a fault.
func writeAndMap(t *testing.T, name string, f *Filter) []byte {
	t.Helper()
	file, err := os.Create(name)
	require.NoError(t, err)
	defer file.Close()
	n, err := f.WriteTo(file)
	require.NoError(t, err)
	data, err := syscall.Mmap(int(file.Fd()), 0, int(n), syscall.PROT_READ, syscall.MAP_SHARED)
	require.NoError(t, err)
	t.Cleanup(func() { syscall.Munmap(data) })
	return data
}
