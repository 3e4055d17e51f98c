package memory

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing"
)

func TestLimitIsTheLowestOfAllLimits(t *testing.T) {
	const kib = 1 << 10
	for _, test := range []struct {
		want  uint64
		files map[string]string
	}{
		{sizing.MaxBytes, nil},
		{8 * kib, map[string]string{"proc/meminfo": "MemTotal:           8 kB\nMemFree:     2 kB\n"}},
		{sizing.MaxBytes, map[string]string{"proc/self/limits": "Max address space         unlimited            unlimited            bytes\n"}},
		{9999, map[string]string{
			"proc/meminfo":     "MemTotal:          16 kB\n",
			"proc/self/limits": "Max data size   unlimited   unlimited   bytes\nMax address space         9999                 unlimited            bytes\n",
		}},
		{700, map[string]string{
			"proc/self/cgroup":                     "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":         "max\n",
			"sys/fs/cgroup/a/memory.max":           "700\n",
			"sys/fs/cgroup/memory.max":             "800\n",
			"sys/fs/cgroup/other/group/memory.max": "1\n",
		}},
		{600, map[string]string{ // as in a container
			"proc/self/cgroup":                           "9:name=systemd:/\n4:memory:/x/3ff9\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "600\n",
		}},
		{sizing.MaxBytes, map[string]string{"proc/meminfo": "", "proc/self/limits": "x", "proc/self/cgroup": "\n4:memory\n0::\n"}},
	} {
		files := fstest.MapFS{}
		for name, text := range test.files {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		require.Equal(t, test.want, limit(files), "%v", test.files)
	}
}

func TestCheckNamesWhatIsNeeded(t *testing.T) {
	require.NoError(t, Check(1<<20))
	require.NoError(t, Check(Limit()))
	require.ErrorContains(t, Check(1<<60), "needs 1152921504606846976 bytes of memory, but only ")
}
