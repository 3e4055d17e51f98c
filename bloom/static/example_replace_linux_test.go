//go:build !purego && (amd64 || arm64 || loong64 || mips64le || ppc64le || riscv64)

package static_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// Files that were replaced do not stay mapped.
func TestReplacedListsAreUnmapped(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	filter, err := static.New(context.Background(), static.Config{FPRate: 1e-6}, []hashfam.Digest{hashfam.Family{}.SumString("apple")})
	require.NoError(t, err)
	mapped := func() int {
		all, err := os.ReadFile("/proc/self/maps")
		require.NoError(t, err)
		return strings.Count(string(all), name)
	}
	var l list
	for range 20 {
		require.NoError(t, hashfam.WriteFile(name, filter))
		require.NoError(t, l.replace(name))
	}
	for range 10_000 { // cleanups run some time after a collection
		if runtime.GC(); mapped() == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	require.Equal(t, 1, mapped())
	require.True(t, l.contains("apple"))
}
