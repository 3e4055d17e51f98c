package filterbeam

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/boot"
)

// TestMain runs the tests, or makes this process the worker of one of them.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := boot.Worker(context.Background()); err != nil {
		log.Fatal(err)
	}
	ptest.Main(m)
}

// testKeys returns n different keys, of which some are long and one is empty.
func testKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key %d", i)
	}
	keys[0] = nil
	keys[n/2] = bytes.Repeat([]byte("long"), 50_000)
	return keys
}

// writeKeys writes the keys to files in dir: some are compressed, one is empty,
// and some have no newline at the end. It returns a pattern.
func writeKeys(t *testing.T, dir string, keys [][]byte, files int) string {
	t.Helper()
	for i := range files {
		from, to := i*len(keys)/files, (i+1)*len(keys)/files
		text := bytes.Join(keys[from:to], []byte("\n"))
		if len(keys[to-1]) == 0 || i%2 == 0 {
			text = append(text, '\n')
		}
		name := filepath.Join(dir, fmt.Sprintf("keys-%d.txt", i))
		if i%3 == 2 {
			var zipped bytes.Buffer
			w := gzip.NewWriter(&zipped)
			_, err := w.Write(text)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			name, text = name+".gz", zipped.Bytes()
		}
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys-empty.txt"), nil, 0o600))
	return filepath.Join(dir, "keys-*")
}

// runFiles runs a job on the files and returns the frame that it wrote.
func runFiles(t *testing.T, p Plan, patterns ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, out, patterns...)
	require.NoError(t, ptest.Run(pipeline))
	frame, err := os.ReadFile(out)
	require.NoError(t, err)
	left, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Len(t, left, 1, "intermediate files are left")
	return frame
}

// must returns v, which was made without an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A single is a plan, and what one process builds of all keys.
type single struct {
	name  string
	plan  Plan
	frame func(keys [][]byte) []byte
}

const testCapacity = 20_000

var sketchConfig = countmin.Config{Epsilon: 0.001, Delta: 0.01}

func bloomConfig(l bloom.Layout) bloom.Config {
	return bloom.Config{Capacity: testCapacity, FPRate: 0.01, Layout: l}
}

func bloomPlan(l bloom.Layout) Plan { return must(Bloom(bloomConfig(l))) }

func countingConfig(l counting.Layout) counting.Config {
	return counting.Config{Capacity: testCapacity, FPRate: 0.01, Layout: l}
}

var singles = []single{
	{"bloom classic", bloomPlan(bloom.Classic), frameOf(bloom.New, bloomConfig(bloom.Classic))},
	{"bloom partitioned", bloomPlan(bloom.Partitioned), frameOf(bloom.New, bloomConfig(bloom.Partitioned))},
	{"bloom blocked", bloomPlan(bloom.Blocked), bloomFrame},
	{"counting classic", must(Counting(countingConfig(counting.Classic))), frameOf(counting.New, countingConfig(counting.Classic))},
	{"counting blocked", must(Counting(countingConfig(counting.Blocked))), frameOf(counting.New, countingConfig(counting.Blocked))},
	{"sketch", must(Sketch(sketchConfig)), frameOf(countmin.New, sketchConfig)},
}

// bloomFrame returns the frame of a Blocked filter.
var bloomFrame = frameOf(bloom.New, bloomConfig(bloom.Blocked))

// frameOf returns a function that builds the frame of a structure.
func frameOf[C any, F interface {
	Family() hashfam.Family
	AddAll([]hashfam.Digest)
	MarshalBinary() ([]byte, error)
}](make func(C) (F, error), c C) func(keys [][]byte) []byte {
	return func(keys [][]byte) []byte {
		f := must(make(c))
		f.AddAll(f.Family().SumAll(nil, keys))
		return must(f.MarshalBinary())
	}
}

// A cuckoo filter depends on the set of keys only.
func TestACuckooFilterDependsOnTheSetOfKeysOnly(t *testing.T) {
	keys := testKeys(testCapacity)
	var first []byte
	for _, n := range []int{0, 1, 7, 64} {
		p := must(Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01}))
		p = must(p.Windows(n))
		frame := runFiles(t, p, writeKeys(t, t.TempDir(), append(keys[:len(keys):len(keys)], keys[:100*n]...), 3))
		if first == nil {
			first = frame
		}
		require.True(t, bytes.Equal(first, frame), "%d windows", n)
	}
	var f cuckoo.Filter
	require.NoError(t, f.UnmarshalBinary(first))
	require.EqualValues(t, len(keys), f.Len())
	for _, key := range keys {
		require.True(t, f.Contains(key))
	}
}

// A cuckoo filter may have fewer keys than windows, or none.
func TestACuckooFilterOfFewKeys(t *testing.T) {
	p := must(Cuckoo(cuckoo.Config{Capacity: 100, FPRate: 0.01}))
	for n := range 4 {
		keys := [][]byte{nil, []byte("ada"), []byte("grace")}[:n]
		frame, _ := stages(t, p, filepath.Join(t.TempDir(), "out.bin"), keys)
		var f cuckoo.Filter
		require.NoError(t, f.UnmarshalBinary(frame))
		require.EqualValues(t, len(keys), f.Len())
		for _, key := range keys {
			require.True(t, f.Contains(key))
		}
	}
}

// allPlans returns a plan of every kind.
func allPlans() map[kind]Plan {
	return map[kind]Plan{
		bloomKind:    bloomPlan(bloom.Blocked),
		countingKind: must(Counting(countingConfig(bloom.Blocked))),
		cuckooKind:   must(Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01})),
		staticKind:   must(Static(static.Config{FPRate: 0.01})),
		sketchKind:   must(Sketch(sketchConfig)),
		heavyKind:    must(Heavy(countmin.HeavyConfig{Phi: 0.01})),
		topkKind:     must(TopK(countmin.TopKConfig{K: 10})),
	}
}

// requireUntouched checks that the file out has the text "before", and that
// nothing is beside it.
func requireUntouched(t *testing.T, out string) {
	t.Helper()
	require.Equal(t, "before", string(must(os.ReadFile(out))))
	require.Len(t, must(os.ReadDir(filepath.Dir(out))), 1)
}

// A context that has ended leaves the output as it was, whatever the plan, and
// also if no line is read.
func TestLocalOfAContextThatHasEnded(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.txt")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for k, p := range allPlans() {
		for _, pattern := range []string{empty, writeKeys(t, t.TempDir(), testKeys(100), 3)} {
			_, err := Local(ended, p, out, nil, pattern)
			require.ErrorIs(t, err, context.Canceled, "%s of %s", k, pattern)
			requireUntouched(t, out)
		}
	}
}

// A context that ends while the frame is written leaves the output as it was.
func TestAContextThatEndsBeforeTheFrameHasItsName(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	require.ErrorIs(t, replace(ctx, out, func(w io.Writer) error {
		_, err := w.Write([]byte("after"))
		cancel()
		return err
	}), context.Canceled)
	requireUntouched(t, out)
}

// Local takes the memory of the structure: there is no copy of it.
func TestLocalMakesNoCopyOfTheStructure(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	for _, p := range []Plan{
		must(Bloom(bloom.Config{Capacity: 1e7, FPRate: 0.01})),
		must(Sketch(countmin.Config{Width: 1 << 20, Depth: 3})),
		must(Cuckoo(cuckoo.Config{Capacity: 1e7, FPRate: 0.01})),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sum, err := Local(t.Context(), p, filepath.Join(t.TempDir(), "out.bin"), nil, pattern)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Greater(t, sum.Size, uint64(10e6))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, sum.Size+3e6, p.spec.Kind)
	}
}

// A frame that cannot get its name is removed.
func TestAFrameThatCannotGetItsName(t *testing.T) {
	out := filepath.Join(t.TempDir(), "folder")
	require.NoError(t, os.Mkdir(out, 0o700))
	p := must(Bloom(bloomConfig(bloom.Blocked)))
	_, err := Local(t.Context(), p, out, nil, writeKeys(t, t.TempDir(), testKeys(10), 1))
	require.ErrorContains(t, err, "filterbeam: "+out)
	require.Len(t, must(os.ReadDir(filepath.Dir(out))), 1)
}

// Without a pattern nothing is built: an empty filter would answer every
// question with no.
func TestAtLeastOnePatternIsNeeded(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	for k, p := range allPlans() {
		for _, patterns := range [][]string{nil, {""}} {
			_, err := Local(t.Context(), p, out, nil, patterns...)
			require.ErrorIs(t, err, ErrParams, k)
			require.ErrorContains(t, err, "one that matches a file", k)
			requireUntouched(t, out)
			if k == bloomKind || k == staticKind {
				pipeline, s := beam.NewPipelineWithRoot()
				Files(s, p, out, patterns...)
				err = ptest.Run(pipeline)
				require.ErrorContains(t, err, ErrParams.Error(), k)
				require.ErrorContains(t, err, "one that matches a file", k)
				requireUntouched(t, out)
			}
		}
	}
}

// The summary of a filter has a rate, also if the filter counts.
func TestTheSummaryOfEveryFilterHasARate(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(testCapacity), 3)
	for k, p := range allPlans() {
		sum, err := Local(t.Context(), p, filepath.Join(t.TempDir(), "out.bin"), nil, pattern)
		require.NoError(t, err)
		switch k {
		case sketchKind, heavyKind, topkKind:
			require.Zero(t, sum.FPRate, k)
		default:
			require.InDelta(t, 0.01, sum.FPRate, 0.004, k)
		}
	}
}

// A file whose length changes while Local reads it is an error, and one that is
// only modified is counted.
func TestLocalNoticesAFileThatChanges(t *testing.T) {
	var text bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintln(&text, "key", i)
	}
	length := text.Len()
	p := must(Bloom(bloomConfig(bloom.Blocked)))
	for _, c := range []struct {
		change  func(name string) error
		want    int // the length that is read
		changed uint64
	}{
		{func(string) error { return nil }, length, 0},
		{func(name string) error { return os.Chtimes(name, time.Now(), time.Unix(1e9, 0)) }, length, 1},
		{func(name string) error { return os.Truncate(name, int64(length/2+3)) }, length/2 + 3, 0},
		{func(name string) error { return os.WriteFile(name, append(text.Bytes(), "more\n"...), 0o600) }, length + 5, 0},
	} {
		name, out := filepath.Join(t.TempDir(), "keys.txt"), filepath.Join(t.TempDir(), "out.bin")
		require.NoError(t, os.WriteFile(name, text.Bytes(), 0o600))
		require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
		var once sync.Once
		sum, err := Local(t.Context(), p, out, func(Summary) { once.Do(func() { require.NoError(t, c.change(name)) }) }, name)
		if c.want == length {
			require.NoError(t, err)
			require.Equal(t, c.changed, sum.Changed)
			continue
		}
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, fmt.Sprintf("%s: filterbeam: invalid parameters: length = %d, want %d bytes", name, c.want, length))
		requireUntouched(t, out)
	}
}
