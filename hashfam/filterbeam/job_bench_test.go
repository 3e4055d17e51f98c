//go:build unix

package filterbeam

import (
	"bytes"
	"fmt"
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
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/lines"
)

// BenchmarkJobs adds benchmarkKeys keys, which are in benchmarkFiles files.
const (
	benchmarkKeys  = 10_000_000
	benchmarkFiles = 16
)

// writeBenchmarkKeys writes distinct keys of 16 bytes and returns a pattern.
func writeBenchmarkKeys(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for i := range benchmarkFiles {
		var text bytes.Buffer
		for j := i; j < benchmarkKeys; j += benchmarkFiles {
			fmt.Fprintf(&text, "%016x\n", uint64(j)*0x9E3779B97F4A7C15)
		}
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("keys-%02d.txt", i)), text.Bytes(), 0o600))
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

func init() { register.Function2x0(idle) }

// idle does nothing with a key.
func idle(string, func(int, []byte)) {}

// drop is a Build without its work. A runner would not fuse a DoFn with the
// source if nothing read its output.
func drop(s beam.Scope, keys beam.PCollection) {
	beam.GroupByKey(s, beam.ParDo(s, idle, keys))
}

// loop builds a filter from the lines of files, without an engine.
func loop(c bloom.Config, out, pattern string) error {
	f := must(bloom.New(c))
	var digests []hashfam.Digest
	for _, name := range must(filepath.Glob(pattern)) {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		for r := lines.NewReader(file, lines.Config{MaxLine: maxLine}); ; {
			if err := r.Next(); err != nil {
				return err
			}
			if len(r.Keys) == 0 {
				break
			}
			digests = f.Family().SumAll(digests[:0], r.Keys)
			f.AddAll(digests)
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return hashfam.WriteFile(out, f)
}

// BenchmarkJobs prints the CPU seconds, user and system, that each way to build
// a filter needs: the minimum of all rounds, each of which runs all ways. The
// source that only drops its keys shows how much of Build's time is spent in
// the SDK. Bundles do not copy the array of the large filter.
func BenchmarkJobs(b *testing.B) {
	pattern := writeBenchmarkKeys(b)
	c := bloom.Config{Capacity: benchmarkKeys, FPRate: 0.01, Layout: bloom.Blocked}
	largeConfig := bloom.Config{Capacity: 2 * benchmarkKeys, FPRate: 0.01, Layout: bloom.Blocked}
	p, large := must(Bloom(c)), must(Bloom(largeConfig))
	out := filepath.Join(b.TempDir(), "out.bin")
	ways := []struct {
		name string
		run  func() error
	}{
		{"loop", func() error { return loop(c, out, pattern) }},
		{"windows", runs(func(s beam.Scope) { Files(s, p, out, pattern) })},
		{"large-loop", func() error { return loop(largeConfig, out, pattern) }},
		{"large-windows", runs(func(s beam.Scope) { Files(s, large, out, pattern) })},
		{"textio-drop", runs(func(s beam.Scope) { drop(s, textio.Read(s, pattern)) })},
		{"textio-build", runs(func(s beam.Scope) { Build(s, p, out, textio.Read(s, pattern)) })},
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
