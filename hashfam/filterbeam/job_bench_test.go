//go:build unix

package filterbeam

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// benchmarkKeys is the number of keys that BenchmarkJobs builds of, and
// benchmarkFiles that of their files.
const (
	benchmarkKeys  = 10_000_000
	benchmarkFiles = 16
)

// writeBenchmarkKeys writes different keys of 16 bytes and returns a pattern.
func writeBenchmarkKeys(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for i := range benchmarkFiles {
		file, err := os.Create(filepath.Join(dir, fmt.Sprintf("keys-%02d.txt", i)))
		require.NoError(b, err)
		w := bufio.NewWriter(file)
		for j := i; j < benchmarkKeys; j += benchmarkFiles {
			_, err := fmt.Fprintf(w, "%016x\n", uint64(j)*0x9E3779B97F4A7C15)
			require.NoError(b, err)
		}
		require.NoError(b, w.Flush())
		require.NoError(b, file.Close())
	}
	return filepath.Join(dir, "keys-*.txt")
}

// cpuSeconds returns the time that all processors have spent on this process.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func init() {
	register.Function2x0(idle)
	register.Function2x1(linesOf)
}

// idle does nothing with a key.
func idle(string, func(int, []byte)) {}

// drop is a Build without its work. A runner would not fuse a DoFn with the
// source if nothing read its output.
func drop(s beam.Scope, keys beam.PCollection) {
	beam.GroupByKey(s, beam.ParDo(s, idle, keys))
}

// linesOf emits the lines of a file.
func linesOf(name string, emit func(string)) error {
	return readFile(context.Background(), name, func(file io.Reader) error {
		for lines := newScanner(file, 0); ; {
			if err := lines.next(); err != nil || len(lines.keys) == 0 {
				return err
			}
			for _, key := range lines.keys {
				emit(string(key))
			}
		}
	})
}

// BenchmarkJobs prints the CPU seconds, user and system, that each way to build
// a filter takes: the least of all rounds, which go through all ways in turn.
// Two sources feed Build: the SDK's, and one that reads lines in batches. What
// they take if nothing is built shows how much of the time is theirs. The array
// of the large filter is one of which bundles have no copy.
func BenchmarkJobs(b *testing.B) {
	pattern := writeBenchmarkKeys(b)
	p, err := Bloom(bloom.Config{Capacity: benchmarkKeys, FPRate: 0.01, Layout: bloom.Blocked})
	require.NoError(b, err)
	large, err := Bloom(bloom.Config{Capacity: 2 * benchmarkKeys, FPRate: 0.01, Layout: bloom.Blocked})
	require.NoError(b, err)
	out := filepath.Join(b.TempDir(), "out.bin")
	names, err := filepath.Glob(pattern)
	require.NoError(b, err)
	lines := func(s beam.Scope) beam.PCollection { return beam.ParDo(s, linesOf, beam.CreateList(s, names)) }
	ways := []struct {
		name string
		run  func() error
	}{
		{"loop", func() error { _, err := Local(b.Context(), p, out, nil, pattern); return err }},
		{"windows", runs(func(s beam.Scope) { Files(s, p, out, pattern) })},
		{"large-loop", func() error { _, err := Local(b.Context(), large, out, nil, pattern); return err }},
		{"large-windows", runs(func(s beam.Scope) { Files(s, large, out, pattern) })},
		{"textio-drop", runs(func(s beam.Scope) { drop(s, textio.Read(s, pattern)) })},
		{"textio-build", runs(func(s beam.Scope) { Build(s, p, out, textio.Read(s, pattern)) })},
		{"lines-drop", runs(func(s beam.Scope) { drop(s, lines(s)) })},
		{"lines-build", runs(func(s beam.Scope) { Build(s, p, out, lines(s)) })},
	}
	seconds := make([][]float64, len(ways))
	for b.Loop() {
		for i, way := range ways {
			runtime.GC()
			start := cpuSeconds(b)
			require.NoError(b, way.run())
			seconds[i] = append(seconds[i], cpuSeconds(b)-start)
		}
	}
	for i, way := range ways {
		b.ReportMetric(slices.Min(seconds[i]), way.name+"-s")
		b.Logf("%-13s %.2f", way.name, seconds[i])
	}
}

// runs returns a function that runs a pipeline.
func runs(make func(beam.Scope)) func() error {
	return func() error {
		pipeline, s := beam.NewPipelineWithRoot()
		make(s)
		return ptest.Run(pipeline)
	}
}
