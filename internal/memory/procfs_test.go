package memory

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestLimitIsTheLowestOfAllLimits(t *testing.T) {
	const kib = 1 << 10
	for _, test := range []struct {
		want  uint64
		files map[string]string
	}{
		{unknown, nil},
		{8 * kib, map[string]string{"proc/meminfo": "MemTotal:           8 kB\nMemFree:     2 kB\n"}},
		{unknown, map[string]string{"proc/self/limits": "Max address space         unlimited            unlimited            bytes\n"}},
		{2499, map[string]string{
			"proc/meminfo":     "MemTotal:          16 kB\n",
			"proc/self/limits": "Max data size   unlimited   unlimited   bytes\nMax address space         9999                 unlimited            bytes\n",
		}},
		{8 << 30, map[string]string{ // Go's runtime has reserved a gigabyte
			"proc/self/limits": "Max address space         9797894144           unlimited            bytes\n",
			"proc/self/status": "VmPeak:\t 1089652 kB\nVmSize:\t 1089576 kB\nVmData:\t   41000 kB\n",
		}},
		{500, map[string]string{"proc/self/limits": "Max data size   2000    3000     bytes\n"}},
		{0, map[string]string{
			"proc/self/limits": "Max address space         1000           unlimited            bytes\n",
			"proc/self/status": "VmSize:\t 1089576 kB\nVmData:\t   41000 kB\n",
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
		{unknown, map[string]string{"proc/meminfo": "", "proc/self/limits": "x", "proc/self/cgroup": "\n4:memory\n0::\n"}},
	} {
		files := fstest.MapFS{}
		for name, text := range test.files {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		require.Equal(t, test.want, limitIn(files), "%v", test.files)
	}
}
