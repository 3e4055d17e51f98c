package memory

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
)

// The memory of a machine that runs tests is known on these systems, and it is
// not a number that was misread.
func TestMemoryOfThisMachine(t *testing.T) {
	machine.Matters(t)
	switch runtime.GOOS {
	case "linux", "windows", "darwin", "freebsd", "openbsd", "netbsd", "dragonfly":
		if limit() == unknown {
			t.Skip("the memory of this machine is not known")
		}
		require.Greater(t, limit(), uint64(1<<20))
		require.Less(t, limit(), uint64(1<<50))
	default:
		require.EqualValues(t, uint64(unknown), limit())
	}
	require.LessOrEqual(t, Limit(), uint64(sizing.MaxBytes))
}

func TestCheckNamesWhatIsNeeded(t *testing.T) {
	require.NoError(t, Check(Limit()))
	require.ErrorContains(t, Check(1<<60), "needs 1073741824.0 GiB of memory, but only ")
	require.Regexp(t, `^needs 1048576.0 GiB of memory, but only 0.0 MiB are available$`, check(1<<50, Limit()))
}
