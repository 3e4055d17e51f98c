package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

// A job makes the stages of a pipeline that writes out.
type job func(s beam.Scope, p Plan, out string)

// runTo runs a job that writes out.
func runTo(t *testing.T, out string, p Plan, r runner, j job) beam.PipelineResult {
	t.Helper()
	pipeline, s := beam.NewPipelineWithRoot()
	j(s, p, cutScheme+out)
	result, err := r.run(t.Context(), pipeline)
	require.NoError(t, err)
	return result
}

// runJob runs a job, and returns the frame that it wrote. Nothing is left
// beside the frame.
func runJob(t *testing.T, p Plan, r runner, j job) ([]byte, beam.PipelineResult) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	result := runTo(t, out, p, r, j)
	require.Len(t, must(os.ReadDir(filepath.Dir(out))), 1, "intermediate files are left")
	return must(os.ReadFile(out)), result
}

// files returns the job of Files.
func files(pattern string) job {
	return func(s beam.Scope, p Plan, out string) { Files(s, p, out, cutScheme+pattern) }
}

// ordered are the structures that depend on the set of keys only.
var ordered = []single{
	{"static", must(Static(static.Config{FPRate: 0.01})), nil},
	{"cuckoo", must(Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01})), nil},
}

// runLocal returns the frame that one process builds of the lines of files.
func runLocal(t *testing.T, p Plan, pattern string) ([]byte, Summary) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	sum := must(Local(t.Context(), p, out, nil, pattern))
	return must(os.ReadFile(out)), sum
}

// Bundles of any size, of which two of three attempts fail, give the frame of a
// single process, and so do files that are split while they are read.
func TestFilesThatAreCutAndRepeated(t *testing.T) {
	keys := testKeys(testCapacity / 4)
	keys = append(keys, keys[:100]...) // some keys occur twice
	pattern := writeKeys(t, t.TempDir(), keys, 9)
	failed := map[cutrunner.Point]int{}
	for i, test := range append(ordered[:2:2], singles...) {
		want, _ := runLocal(t, test.plan, pattern)
		for _, n := range []int{1, 7} {
			for _, windows := range []int{0, 5} {
				seed := uint64(100*i + 10*n + windows)
				o := cutrunner.Options{Elements: n, Workers: 4, Seed: seed, Fault: cutrunner.Random(seed), Split: true, Hold: n == 7}
				frame, result := runJob(t, must(test.plan.Windows(windows)), runner{"", cut(o)}, files(pattern))
				require.True(t, bytes.Equal(want, frame), "%s, %d windows, %d elements in a bundle", test.name, windows, n)
				ran := result.(*cutrunner.Result)
				require.NotZero(t, ran.Splits)
				for point, times := range ran.Failed {
					failed[cutrunner.Point(point)] += times
				}
			}
		}
	}
	for _, point := range []cutrunner.Point{cutrunner.Start, cutrunner.Element, cutrunner.Output, cutrunner.File, cutrunner.Finish, cutrunner.Commit, cutrunner.Twin} {
		require.NotZero(t, failed[point], "no attempt failed at point %d", point)
	}
}

// buildOf returns the job of Build for a list of keys.
func buildOf(keys any) job {
	return func(s beam.Scope, p Plan, out string) { Build(s, p, out, beam.CreateList(s, keys)) }
}

// A large static filter has several shards, which tasks of their own solve.
func TestShardsOfAStaticFilter(t *testing.T) {
	keys := testKeys(350_000)
	pattern := writeKeys(t, t.TempDir(), keys, 3)
	p := ordered[0].plan
	want, _ := runLocal(t, p, pattern)
	for _, n := range []int{1, 3, 16} {
		r := runner{"", cut(cutrunner.Options{Elements: 1, Workers: 2, Seed: uint64(n), Fault: cutrunner.Random(uint64(n))})}
		frame, result := runJob(t, must(p.Windows(n)), r, files(pattern))
		require.True(t, bytes.Equal(want, frame), "%d windows", n)
		require.EqualValues(t, len(want), Result("", result).Size)
	}
}

// A job that fails leaves the output as it was, unless the worker is lost after
// the frame got its name. The next job removes what is left.
func TestAJobThatFailsLeavesTheOutput(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(1000), 3)
	for _, p := range []Plan{singles[2].plan, singles[5].plan, ordered[0].plan} {
		for _, windows := range []int{0, 5} {
			requireSafe(t, must(p.Windows(windows)), pattern)
		}
	}
}

// requireSafe lets a job fail in each stage, at each point.
func requireSafe(t *testing.T, p Plan, pattern string) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "out.bin")
	want, stages := runJob(t, p, runners[3], files(pattern))
	for stage, name := range stages.(*cutrunner.Result).Stages {
		for point := cutrunner.Start; point < cutrunner.Twin; point++ {
			require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
			pipeline, s := beam.NewPipelineWithRoot()
			Files(s, p, cutScheme+out, cutScheme+pattern)
			result, err := cutrunner.Run(t.Context(), pipeline, cutrunner.Options{Elements: 1, Fault: func(a cutrunner.Attempt) cutrunner.Fault {
				if a.Number == stage && a.Bundle == 0 {
					return cutrunner.Fault{Point: point, After: a.Try}
				}
				return cutrunner.Fault{}
			}})
			require.Error(t, err, "%s, point %d", name, point)
			require.Len(t, result.Stages, stage+1)
			if frame := must(os.ReadFile(out)); string(frame) != "before" {
				require.True(t, bytes.Equal(want, frame))
			}
		}
	}
	runTo(t, out, p, runners[3], files(pattern))
	require.Len(t, must(os.ReadDir(dir)), 1)
}
