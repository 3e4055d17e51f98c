package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

// A job makes the stages of a pipeline that writes out.
type job func(s beam.Scope, p Plan, out string)

// runCut runs a job in bundles that are cut and repeated, and returns the frame
// that it wrote. Nothing is left beside the frame.
func runCut(t *testing.T, p Plan, o cutrunner.Options, j job) ([]byte, *cutrunner.Result) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	pipeline, s := beam.NewPipelineWithRoot()
	j(s, p, cutScheme+out)
	result, err := cutrunner.Run(t.Context(), pipeline, o)
	require.NoError(t, err)
	frame, err := os.ReadFile(out)
	require.NoError(t, err)
	left, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Len(t, left, 1, "intermediate files are left")
	return frame, result
}

// files returns the job of Files.
func files(pattern string) job {
	return func(s beam.Scope, p Plan, out string) { Files(s, p, out, cutScheme+pattern) }
}

// ordered are the structures that depend on the set of keys only.
var ordered = []single{
	{"static", func() (Plan, error) { return Static(static.Config{FPRate: 0.01}) }, nil},
	{"cuckoo", func() (Plan, error) { return Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01}) }, nil},
}

// runLocal returns the frame that one process builds of the lines of files.
func runLocal(t *testing.T, p Plan, pattern string) ([]byte, Summary) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	sum, err := Local(t.Context(), p, out, nil, pattern)
	require.NoError(t, err)
	frame, err := os.ReadFile(out)
	require.NoError(t, err)
	return frame, sum
}

// localFrame returns the frame alone.
func localFrame(t *testing.T, p Plan, pattern string) []byte {
	t.Helper()
	frame, _ := runLocal(t, p, pattern)
	return frame
}

// Bundles of any size, of which two of three attempts fail, give the frame of a
// single process, and so do files that are split while they are read.
func TestFilesThatAreCutAndRepeated(t *testing.T) {
	keys := testKeys(testCapacity / 4)
	keys = append(keys, keys[:100]...) // some keys occur twice
	pattern := writeKeys(t, t.TempDir(), keys, 9)
	failed := map[cutrunner.Point]int{}
	for i, test := range append(ordered[:2:2], singles...) {
		p, err := test.plan()
		require.NoError(t, err)
		want := localFrame(t, p, pattern)
		for _, n := range []int{1, 7} {
			for _, windows := range []int{0, 5} {
				p, err := p.Windows(windows)
				require.NoError(t, err)
				seed := uint64(100*i + 10*n + windows)
				frame, result := runCut(t, p, cutrunner.Options{
					Elements: n, Workers: 4, Seed: seed, Fault: cutrunner.Random(seed), Split: true, Hold: n == 7,
				}, files(pattern))
				require.True(t, bytes.Equal(want, frame), "%s, %d windows, %d elements in a bundle", test.name, windows, n)
				require.NotZero(t, result.Splits)
				for point, times := range result.Failed {
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
	p, err := Static(static.Config{FPRate: 0.01})
	require.NoError(t, err)
	want := localFrame(t, p, pattern)
	for _, n := range []int{1, 3, 16} {
		p, err := p.Windows(n)
		require.NoError(t, err)
		frame, result := runCut(t, p, cutrunner.Options{
			Elements: 1, Workers: 2, Seed: uint64(n), Fault: cutrunner.Random(uint64(n)),
		}, files(pattern))
		require.True(t, bytes.Equal(want, frame), "%d windows", n)
		require.EqualValues(t, len(want), Result("", result).Size)
	}
}

// combined takes the frames that a pipeline of Combine writes.
var combined struct {
	sync.Mutex
	frames map[int][]byte
}

// keepFrame keeps the frame of a key.
func keepFrame(key int, frame []byte) {
	combined.Lock()
	defer combined.Unlock()
	combined.frames[key] = frame
}

func init() { beam.RegisterFunction(keepFrame) }

// Combine combines each key once, whether or not the runner combines before it
// groups.
func TestCombinersThatAreCutAndRepeated(t *testing.T) {
	keys := testKeys(500)
	byKey := map[int][][]byte{}
	for _, key := range keys {
		byKey[len(key)%3] = append(byKey[len(key)%3], key)
	}
	for i, test := range singles {
		p, err := test.plan()
		require.NoError(t, err)
		for j, n := range []int{1, 7, 0} {
			combined.frames = map[int][]byte{}
			combine, err := Combine[string](p)
			require.NoError(t, err)
			pipeline, s := beam.NewPipelineWithRoot()
			pairs := beam.ParDo(s, pairOf, beam.CreateList(s, forms(keys)[0]))
			beam.ParDo0(s, keepFrame, beam.CombinePerKey(s, combine, pairs))
			seed := uint64(10*i + j)
			_, err = cutrunner.Run(t.Context(), pipeline, cutrunner.Options{
				Elements: n, Workers: 2, Seed: seed, Fault: cutrunner.Random(seed), Lift: (i+j)%2 == 0, Hold: j != 1,
			})
			require.NoError(t, err)
			for key, some := range byKey {
				want, err := test.frame(some)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, combined.frames[key]), "%s, %d elements", test.name, n)
			}
		}
	}
}

// A job that fails leaves the output as it was, unless the worker is lost after
// the frame got its name. The next job removes what is left.
func TestAJobThatFailsLeavesTheOutput(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(1000), 3)
	for _, plan := range []func() (Plan, error){singles[2].plan, singles[5].plan, ordered[0].plan} {
		p, err := plan()
		require.NoError(t, err)
		for _, windows := range []int{0, 5} {
			p, err := p.Windows(windows)
			require.NoError(t, err)
			requireSafe(t, p, pattern)
		}
	}
}

// requireSafe lets a job fail in each stage, at each point.
func requireSafe(t *testing.T, p Plan, pattern string) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "out.bin")
	want, stages := runCut(t, p, cutrunner.Options{}, files(pattern))
	for stage, name := range stages.Stages {
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
			frame, err := os.ReadFile(out)
			require.NoError(t, err)
			if string(frame) != "before" {
				require.True(t, bytes.Equal(want, frame))
			}
		}
	}
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, cutScheme+out, cutScheme+pattern)
	_, err := cutrunner.Run(t.Context(), pipeline, cutrunner.Options{Workers: 2})
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
