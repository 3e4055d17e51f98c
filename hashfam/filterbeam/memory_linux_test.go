package filterbeam

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

// memoryVariable tells a process that it is the worker whose memory is
// measured: the number of keys, the structure, and the folder of the files.
const memoryVariable = "FILTERBEAM_MEMORY"

// memoryPlans are the plans of filters of n keys.
var memoryPlans = map[string]func(n uint64) (Plan, error){
	"bloom": func(n uint64) (Plan, error) {
		return Bloom(bloom.Config{Capacity: n, FPRate: 0.01, Layout: bloom.Blocked})
	},
	"counting": func(n uint64) (Plan, error) {
		return Counting(counting.Config{Capacity: n, FPRate: 0.01, Layout: counting.Blocked})
	},
	"static": func(uint64) (Plan, error) { return Static(static.Config{FPRate: 0.01}) },
}

// A worker that processes eight bundles of one file at a time, for 16 windows,
// takes at most 300 MB. What passes between the stages is in a file, as in a
// shuffle service.
func TestTheMemoryOfAWorker(t *testing.T) {
	keys := 400_000
	if os.Getenv("FILTERFAM_LONG") != "" {
		keys = 10_000_000
	}
	dir := t.TempDir()
	for i := range 16 {
		var text bytes.Buffer
		for j := range keys / 16 {
			fmt.Fprintf(&text, "key %d%011d\n", 10+i, j)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("keys-%d.txt", i)), text.Bytes(), 0o600))
	}
	for name := range memoryPlans {
		worker := exec.Command(os.Args[0], "-test.run=^TestMeasuredWorker$", "-test.v")
		worker.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s %s", memoryVariable, keys, name, dir))
		out, err := worker.CombinedOutput()
		require.NoError(t, err, "%s", out)
		_, after, found := strings.Cut(string(out), "peak: ")
		require.True(t, found, "%s", out)
		number, _, _ := strings.Cut(after, " kB")
		peak, err := strconv.Atoi(strings.TrimSpace(number))
		require.NoError(t, err)
		t.Logf("%s, %d keys: %d MB", name, keys, peak/1000)
		require.Less(t, peak, 300_000, name)
	}
}

// TestMeasuredWorker is the process that is measured.
func TestMeasuredWorker(t *testing.T) {
	var n uint64
	var name, dir string
	if _, err := fmt.Sscan(os.Getenv(memoryVariable), &n, &name, &dir); err != nil {
		t.Skip("runs in a process of its own")
	}
	p, err := memoryPlans[name](n)
	require.NoError(t, err)
	p, err = p.Windows(16)
	require.NoError(t, err)
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, filepath.Join(dir, name), filepath.Join(dir, "keys-*.txt"))
	_, err = cutrunner.Run(context.Background(), pipeline, cutrunner.Options{Elements: 1, Workers: 8})
	require.NoError(t, err)
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, peak, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found)
	peak, _, _ = strings.Cut(peak, "\n")
	fmt.Println("peak:", strings.TrimSpace(peak))
}
