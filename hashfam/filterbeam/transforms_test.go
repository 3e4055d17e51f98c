package filterbeam

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
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

// A single is what one process builds of all keys.
type single struct {
	name  string
	plan  func() (Plan, error)
	frame func(keys [][]byte) ([]byte, error)
}

var singles = []single{
	{"bloom classic", bloomPlan(bloom.Classic), bloomFrame(bloom.Classic)},
	{"bloom partitioned", bloomPlan(bloom.Partitioned), bloomFrame(bloom.Partitioned)},
	{"bloom blocked", bloomPlan(bloom.Blocked), bloomFrame(bloom.Blocked)},
	{"counting classic", countingPlan(counting.Classic), countingFrame(counting.Classic)},
	{"counting blocked", countingPlan(counting.Blocked), countingFrame(counting.Blocked)},
	{"sketch", func() (Plan, error) { return Sketch(sketchConfig) }, func(keys [][]byte) ([]byte, error) {
		s, err := countmin.New(sketchConfig)
		if err != nil {
			return nil, err
		}
		s.AddAll(s.Family().SumAll(nil, keys))
		return s.MarshalBinary()
	}},
}

const testCapacity = 20_000

var sketchConfig = countmin.Config{Epsilon: 0.001, Delta: 0.01}

func bloomConfig(l bloom.Layout) bloom.Config {
	return bloom.Config{Capacity: testCapacity, FPRate: 0.01, Layout: l}
}

func bloomPlan(l bloom.Layout) func() (Plan, error) {
	return func() (Plan, error) { return Bloom(bloomConfig(l)) }
}

func bloomFrame(l bloom.Layout) func([][]byte) ([]byte, error) {
	return func(keys [][]byte) ([]byte, error) {
		f, err := bloom.New(bloomConfig(l))
		if err != nil {
			return nil, err
		}
		f.AddAll(f.Family().SumAll(nil, keys))
		return f.MarshalBinary()
	}
}

func countingConfig(l counting.Layout) counting.Config {
	return counting.Config{Capacity: testCapacity, FPRate: 0.01, Layout: l}
}

func countingPlan(l counting.Layout) func() (Plan, error) {
	return func() (Plan, error) { return Counting(countingConfig(l)) }
}

func countingFrame(l counting.Layout) func([][]byte) ([]byte, error) {
	return func(keys [][]byte) ([]byte, error) {
		f, err := counting.New(countingConfig(l))
		if err != nil {
			return nil, err
		}
		f.AddAll(f.Family().SumAll(nil, keys))
		return f.MarshalBinary()
	}
}

// A cuckoo filter depends on the set of keys only.
func TestACuckooFilterDependsOnTheSetOfKeysOnly(t *testing.T) {
	keys := testKeys(testCapacity)
	var first []byte
	for _, n := range []int{0, 1, 7, 64} {
		p, err := Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01})
		require.NoError(t, err)
		p, err = p.Windows(n)
		require.NoError(t, err)
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
	p, err := Cuckoo(cuckoo.Config{Capacity: 100, FPRate: 0.01})
	require.NoError(t, err)
	for n := range 4 {
		keys := [][]byte{nil, []byte("ada"), []byte("grace")}[:n]
		frame, _ := stages(t, p, keys)
		var f cuckoo.Filter
		require.NoError(t, f.UnmarshalBinary(frame))
		require.EqualValues(t, len(keys), f.Len())
		for _, key := range keys {
			require.True(t, f.Contains(key))
		}
	}
}
