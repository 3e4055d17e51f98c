//lint:file-ignore SA1019 jobs must also work on the direct runner

package filterbeam

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	localfiles "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// must returns v if err is nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// testKeys returns n distinct keys, including a long and an empty one.
func testKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key %d", i)
	}
	keys[0] = nil
	keys[n/2] = bytes.Repeat([]byte("long"), 50_000)
	return keys
}

// writeKeys writes the keys to files in dir and returns a pattern. Some files
// are compressed, one is empty, and some have no newline at the end.
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
			name, text = name+".gz", []byte(gzipped(t, string(text)))
		}
		write(t, name, string(text))
	}
	write(t, filepath.Join(dir, "keys-empty.txt"), "")
	return filepath.Join(dir, "keys-*")
}

// gzipped returns a text compressed with gzip.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var to strings.Builder
	w := gzip.NewWriter(&to)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return to.String()
}

// write writes a file.
func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// outputBefore returns the name of an output that contains "before".
func outputBefore(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	write(t, out, "before")
	return out
}

// requireUntouched checks that the output contains "before", and is the only
// file in its folder.
func requireUntouched(t *testing.T, out string) {
	t.Helper()
	require.Equal(t, "before", string(must(os.ReadFile(out))))
	requireFiles(t, filepath.Dir(out), 1)
}

// requireFiles checks the number of files in a folder.
func requireFiles(t *testing.T, dir string, n int) {
	t.Helper()
	require.Len(t, must(os.ReadDir(dir)), n)
}

// A job adds the stages that write out to a pipeline.
type job func(s beam.Scope, p Plan, out string)

// files returns a job of Files, in which empty lines are keys.
func files(patterns ...string) job {
	return func(s beam.Scope, p Plan, out string) { Files(s, p.Lines(Lines{Empty: true}), out, patterns...) }
}

// buildOf returns a job of Build for a list of keys.
func buildOf(keys any) job {
	return func(s beam.Scope, p Plan, out string) { Build(s, p, out, beam.CreateList(s, keys)) }
}

// A runner runs a pipeline.
type runner struct {
	name string
	run  func(context.Context, *beam.Pipeline) (beam.PipelineResult, error)
}

// try runs a job that writes out.
func (r runner) try(t *testing.T, out string, p Plan, j job) (beam.PipelineResult, error) {
	t.Helper()
	pipeline, s := beam.NewPipelineWithRoot()
	j(s, p, out)
	return r.run(t.Context(), pipeline)
}

// runTo runs a job that writes out.
func runTo(t *testing.T, out string, p Plan, r runner, j job) beam.PipelineResult {
	t.Helper()
	result, err := r.try(t, out, p, j)
	require.NoError(t, err)
	return result
}

// runJob runs a job and returns the frame that it wrote.
func runJob(t *testing.T, p Plan, r runner, j job) ([]byte, beam.PipelineResult) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	result := runTo(t, cutScheme+out, p, r, j)
	requireFiles(t, filepath.Dir(out), 1)
	return must(os.ReadFile(out)), result
}

// fails runs a job that must fail, and returns its error.
func fails(t *testing.T, p Plan, patterns ...string) error {
	t.Helper()
	out := outputBefore(t)
	_, err := prismRunner.try(t, out, p, files(patterns...))
	require.Error(t, err)
	require.Equal(t, "before", string(must(os.ReadFile(out))))
	return err
}

// runAlone returns the frame that a single loop builds from the lines of files,
// and its summary.
func runAlone(t *testing.T, p Plan, pattern string) ([]byte, Summary) {
	t.Helper()
	made := must(p.spec.builder())
	b := bundle{collector: made, family: must(p.spec.family())}
	sum := Summary{Complete: true}
	for _, name := range must(filepath.Glob(pattern)) {
		text := must(os.ReadFile(name))
		if strings.HasSuffix(name, ".gz") {
			text = must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(text)))))
		}
		sum.Files++
		sum.Bytes += uint64(len(text))
		keys := bytes.Split(text, []byte("\n"))
		if last := len(keys) - 1; len(keys[last]) == 0 {
			keys = keys[:last] // nothing follows the last newline
		}
		sum.Keys += uint64(len(keys))
		require.NoError(t, b.addKeys(t.Context(), keys))
	}
	var frame bytes.Buffer
	must(must(made.finish(t.Context(), &sum)).WriteTo(&frame))
	sum.Size = uint64(frame.Len())
	return frame.Bytes(), sum
}

var prismRunner = runner{"Prism", prism.Execute}

// cut returns a runner that uses package cutrunner.
func cut(o cutrunner.Options) runner {
	name := fmt.Sprintf("cut in %d, held: %v", o.Elements, o.Hold)
	return runner{name, func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
		return cutrunner.Run(ctx, p, o)
	}}
}

// repeated returns a runner with bundles of some elements, of which up to two
// of three attempts fail.
func repeated(elements int, hold bool) runner {
	return cut(cutrunner.Options{Hold: hold, Elements: elements, Workers: 3, Seed: 5, Fault: cutrunner.Random(5)})
}

// runners either hold all elements in memory or encode them. The last two also
// split, repeat and reorder bundles of some files.
var runners = []runner{
	{"direct", direct.Execute}, prismRunner,
	cut(cutrunner.Options{Hold: true}), cut(cutrunner.Options{}), repeated(1, true), repeated(7, false),
}

// forElements are like runners, with bundles of some keys.
var forElements = append(runners[:4:4], repeated(3000, true), repeated(3000, false))

// A single is a plan with a function that builds the frame of its structure in
// one process, or nil.
type single struct {
	name  string
	plan  Plan
	frame func(keys [][]byte) []byte
}

const testCapacity = 12_000

var sketchConfig = countmin.Config{Epsilon: 0.001, Delta: 0.01}

func bloomConfig(l bloom.Layout) bloom.Config {
	return bloom.Config{Capacity: testCapacity, FPRate: 0.01, Layout: l}
}

func bloomPlan(l bloom.Layout) Plan { return must(Bloom(bloomConfig(l))) }

func countingConfig(l bloom.Layout) counting.Config {
	return counting.Config{Capacity: testCapacity, FPRate: 0.01, Layout: l}
}

var singles = []single{
	{"bloom classic", bloomPlan(bloom.Classic), frameOf(bloom.New, bloomConfig(bloom.Classic))},
	{"bloom partitioned", bloomPlan(bloom.Partitioned), frameOf(bloom.New, bloomConfig(bloom.Partitioned))},
	{"bloom blocked", bloomPlan(bloom.Blocked), bloomFrame},
	{"counting classic", must(Counting(countingConfig(bloom.Classic))), frameOf(counting.New, countingConfig(bloom.Classic))},
	{"counting blocked", must(Counting(countingConfig(bloom.Blocked))), frameOf(counting.New, countingConfig(bloom.Blocked))},
	{"sketch", must(Sketch(sketchConfig)), frameOf(countmin.New, sketchConfig)},
}

// ordered are the structures that depend only on the set of keys.
var ordered = []single{
	{"static", must(Static(static.Config{FPRate: 0.01})), func(keys [][]byte) []byte {
		f := must(static.New(context.Background(), static.Config{FPRate: 0.01}, hashfam.Family{}.SumAll(nil, keys)))
		return must(f.MarshalBinary())
	}},
	{"cuckoo", must(Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01})), nil},
}

// heavyPlan and topkPlan are the plans of the structures that store keys.
var heavyPlan, topkPlan = must(Heavy(countmin.HeavyConfig{Phi: 0.01})), must(Heavy(countmin.HeavyConfig{K: 20}))

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

// cutScheme is the scheme of local files whose operations can fail because the
// worker is lost.
const cutScheme = "cut://"

func init() {
	filesystem.Register("cut", func(ctx context.Context) filesystem.Interface {
		return cutFiles{localfiles.New(ctx).(fullFiles), cutScheme}
	})
}

// A fullFiles is a file system with all operations.
type fullFiles interface {
	filesystem.Interface
	filesystem.Remover
	filesystem.Renamer
}

type cutFiles struct {
	fullFiles
	scheme string
}

func (c cutFiles) local(name string) string { return strings.TrimPrefix(name, c.scheme) }

func (c cutFiles) List(ctx context.Context, pattern string) ([]string, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return nil, err
	}
	names, err := c.fullFiles.List(ctx, c.local(pattern))
	for i := range names {
		names[i] = c.scheme + names[i]
	}
	return names, err
}

func (c cutFiles) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return nil, err
	}
	file, err := c.fullFiles.OpenRead(ctx, c.local(name))
	if err != nil {
		return nil, err
	}
	return cutReader{ctx, file.(io.ReadSeekCloser)}, nil
}

func (c cutFiles) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return nil, err
	}
	file, err := c.fullFiles.OpenWrite(ctx, c.local(name))
	return cutWriter{ctx, file}, err
}

func (c cutFiles) Size(ctx context.Context, name string) (int64, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return 0, err
	}
	return c.fullFiles.Size(ctx, c.local(name))
}

func (c cutFiles) Remove(ctx context.Context, name string) error {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return err
	}
	return c.fullFiles.Remove(ctx, c.local(name))
}

func (c cutFiles) Rename(ctx context.Context, from, to string) error {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return err
	}
	return c.fullFiles.Rename(ctx, c.local(from), c.local(to))
}

// A cutReader is a local file that is read.
type cutReader struct {
	ctx context.Context
	io.ReadSeekCloser
}

func (r cutReader) Read(p []byte) (int, error) {
	if err := cutrunner.FileOperation(r.ctx); err != nil {
		return 0, err
	}
	return r.ReadSeekCloser.Read(p)
}

// A cutWriter is a local file that is written.
type cutWriter struct {
	ctx context.Context
	io.WriteCloser
}

func (w cutWriter) Write(p []byte) (int, error) {
	if err := cutrunner.FileOperation(w.ctx); err != nil {
		return 0, err
	}
	return w.WriteCloser.Write(p)
}
