package filterbeam

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

// memoryVariable is an environment variable that makes this program the worker
// whose memory is measured. It contains the number of keys, the structure,
// whether elements are held in memory, and the folder of the files.
const memoryVariable = "FILTERBEAM_MEMORY"

// memoryPlans are the plans of filters of n keys.
var memoryPlans = map[string]func(n uint64) (Plan, error){
	"bloom": func(n uint64) (Plan, error) {
		return Bloom(bloom.Config{Capacity: n, FPRate: 0.01, Layout: bloom.Blocked})
	},
	"counting": func(n uint64) (Plan, error) {
		return Counting(counting.Config{Capacity: n, FPRate: 0.01, Layout: bloom.Blocked})
	},
	"static": func(uint64) (Plan, error) { return Static(static.Config{FPRate: 0.01}) },
}

// A worker that processes eight bundles of one file at a time, for 16 windows,
// needs at most 300 MB. The elements between the stages are in a file, as in a
// shuffle service. If they are held in memory instead, no element changes. The
// frame is the same as that of a single loop. The long form has 10^7 keys, and
// a filter of 10^8 keys in memory.
func TestWorkerMemoryIsLimited(t *testing.T) {
	keys, held := 400_000, 40_000
	if os.Getenv("FILTERFAM_LONG") != "" {
		keys, held = 1e7, 1e7
	}
	requireMeasured(t, keys, "bloom", false)
	requireMeasured(t, keys, "counting", false)
	requireMeasured(t, keys, "static", false)
	requireMeasured(t, held, "static", true)
	requireMeasured(t, 10*held, "bloom", true)
}

// requireMeasured measures a worker that builds a structure of some keys.
func requireMeasured(t *testing.T, keys int, name string, hold bool) {
	t.Helper()
	dir := t.TempDir()
	for i := range 16 {
		var text strings.Builder
		for j := range keys / 16 {
			fmt.Fprintf(&text, "key %d%011d\n", 10+i, j)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("keys-%d.txt", i)), text.String())
	}
	worker := exec.Command(os.Args[0], "-test.run=^TestMeasuredWorker$", "-test.v", "-test.timeout=0")
	worker.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s %v %s", memoryVariable, keys, name, hold, dir))
	start := time.Now()
	out, err := worker.CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, after, _ := strings.Cut(string(out), "peak: ")
	var peak int
	_, err = fmt.Sscanf(after, "%d kB", &peak)
	require.NoError(t, err, "%s", out)
	t.Logf("%s, hold: %v, %d keys: %d MB, %v", name, hold, keys, peak/1000, time.Since(start).Round(time.Second))
	want, _ := runAlone(t, must(memoryPlans[name](uint64(keys))), filepath.Join(dir, "keys-*.txt"))
	require.True(t, bytes.Equal(want, must(os.ReadFile(filepath.Join(dir, name)))), name)
	if !hold {
		require.Less(t, peak, 300_000, name)
	}
	require.NoError(t, os.RemoveAll(dir))
}

// TestMeasuredWorker is the process that is measured.
func TestMeasuredWorker(t *testing.T) {
	var n uint64
	var name, dir string
	var hold bool
	if _, err := fmt.Sscan(os.Getenv(memoryVariable), &n, &name, &hold, &dir); err != nil {
		t.Skip("runs in a process of its own")
	}
	r := cut(cutrunner.Options{Elements: 1, Workers: 8, Hold: hold})
	runTo(t, filepath.Join(dir, name), must(must(memoryPlans[name](n)).Windows(16)), r, files(filepath.Join(dir, "keys-*.txt")))
	_, peak, _ := strings.Cut(string(must(os.ReadFile("/proc/self/status"))), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	fmt.Println("peak:", strings.TrimSpace(peak))
}
