package filterbeam

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
	"github.com/filterfam/filterfam/hashfam/filterbeam/parts"
)

// everything returns plans with each structure, layout and option.
func everything() []single {
	keyed := bloomConfig(bloom.Blocked)
	keyed.Family = testFamily
	conservative := sketchConfig
	conservative.Conservative = true
	all := []single{
		{"bloom keyed", must(Bloom(keyed)), nil},
		{"bloom classic large", must(Bloom(bloom.Config{Capacity: 15e6, FPRate: 0.01})), nil},
		{"bloom blocked large", must(Bloom(bloom.Config{Capacity: 15e6, FPRate: 0.01, Layout: bloom.Blocked})), nil},
		{"counting large", must(Counting(counting.Config{Capacity: 4e6, FPRate: 0.01, Layout: bloom.Blocked})), nil},
		{"cuckoo compact", must(Cuckoo(cuckoo.Config{Capacity: 21_000, FPRate: 0.01, Compact: true})), nil},
		{"sketch conservative", must(Sketch(conservative)), nil},
		{"heavy", heavyPlan, nil},
		{"topk", topkPlan, nil},
	}
	return append(append(all, ordered...), singles...)
}

// loose reports whether the frame of a plan depends on the order of the keys.
func loose(p Plan) bool {
	return p.spec.Kind == heavyKind || p.spec.Kind == topkKind || strings.Contains(string(p.spec.Params), `"Conservative":true`)
}

// requireSame checks that a job built the same frame as a single process, or,
// if the frame is loose, that it counts all keys and no key too low.
func requireSame(t *testing.T, p Plan, want, got []byte, keys [][]byte) {
	t.Helper()
	if !loose(p) {
		require.True(t, bytes.Equal(want, got), "the frames differ")
		return
	}
	total, _ := highs(t, p, want)
	n, high := highs(t, p, got)
	require.Equal(t, total, n)
	counts := map[string]uint64{}
	for _, key := range keys {
		counts[string(key)]++
	}
	for key, n := range counts {
		require.GreaterOrEqual(t, high(key), n)
	}
}

// highs returns the total of a loose frame, and its upper bounds for keys.
func highs(t *testing.T, p Plan, frame []byte) (uint64, func(key string) uint64) {
	t.Helper()
	switch p.spec.Kind {
	case heavyKind:
		var h countmin.HeavyHitters
		require.NoError(t, h.UnmarshalBinary(frame))
		return h.Total(), func(key string) uint64 { return h.EstimateString(key).High }
	case topkKind:
		var k countmin.HeavyHitters
		require.NoError(t, k.UnmarshalBinary(frame))
		return k.Total(), func(key string) uint64 { return k.EstimateString(key).High }
	}
	var s countmin.Sketch
	require.NoError(t, s.UnmarshalBinary(frame))
	return s.Total(), s.CountString
}

// Each runner builds the same frames as a single loop, for every structure,
// layout and option, from files and from elements of each type, even if
// attempts fail at any point. There are more keys than fit into a block.
func TestEveryRunnerBuildsEveryStructure(t *testing.T) {
	keys := testKeys(testCapacity)
	keys = append(keys, keys[:100]...) // some keys occur twice
	pattern := writeKeys(t, t.TempDir(), keys, 5)
	var ran cutrunner.Result
	for i, s := range everything() {
		want, alone := runAlone(t, s.plan, pattern)
		if s.frame != nil {
			require.True(t, bytes.Equal(s.frame(keys), want), s.name)
		}
		isFilter := s.plan.spec.Kind != sketchKind && s.plan.spec.Kind != heavyKind && s.plan.spec.Kind != topkKind
		require.Equal(t, isFilter, alone.FPRate > 0, s.name)
		for j, r := range runners {
			for windows := range 2 {
				p := must(s.plan.Windows(windows * (1 + 4*(j%2))))
				if windows == 0 && strings.HasSuffix(s.name, "large") {
					continue // it has windows anyway
				}
				t.Run(fmt.Sprintf("%s/%s/%d windows", s.name, r.name, p.spec.Windows), func(t *testing.T) {
					got, result := runJob(t, p, r, files(cutScheme+pattern))
					requireSame(t, p, want, got, keys)
					sum := Result("", result)
					require.InDelta(t, alone.FPRate, sum.FPRate, 1e-12)
					alone.FPRate = sum.FPRate
					if loose(p) {
						alone.Size = sum.Size
					}
					require.Equal(t, alone, sum)
					addRun(&ran, result)
					got, result = runJob(t, p, forElements[j], buildOf(formOf(i+j+windows, p, keys)))
					requireSame(t, p, want, got, keys)
					require.EqualValues(t, len(keys), Result("", result).Keys)
				})
			}
		}
	}
	require.NotZero(t, ran.Splits)
	require.NotContains(t, ran.Failed[cutrunner.Element:], 0, "attempts failed at each point")
}

func TestBuildPanicsForOtherElements(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	p := must(Bloom(bloom.Config{Capacity: 10, FPRate: 0.01}))
	require.Panics(t, func() { Build(s, p, filepath.Join(t.TempDir(), "out"), beam.CreateList(s, []int{1, 2})) })
}

// addRun adds the failures and splits of a run by cutrunner.
func addRun(sum *cutrunner.Result, result any) {
	if ran, ok := result.(*cutrunner.Result); ok {
		sum.Splits += ran.Splits
		for point, n := range ran.Failed {
			sum.Failed[point] += n
		}
	}
}

// formOf returns the keys as a collection of a type that the structure accepts.
func formOf(n int, p Plan, keys [][]byte) any {
	if p.spec.Kind == heavyKind || p.spec.Kind == topkKind || p.spec.Family != "" {
		return forms(keys)[n%2]
	}
	return forms(keys)[n%3]
}

// Structures that store keys cannot be built from digests.
func TestKeysAreNeededToStoreThem(t *testing.T) {
	for _, p := range []Plan{heavyPlan, topkPlan} {
		_, err := prismRunner.try(t, outputBefore(t), p, buildOf(forms(testKeys(10))[2]))
		require.ErrorContains(t, err, "the structure stores keys")
	}
}

func TestSummariesAreLines(t *testing.T) {
	sum := Summary{Output: "out", Keys: 3, Files: 1, Distinct: 2, Size: 9, FPRate: 0.01}
	require.Equal(t, "out: 3 lines of 1 files, 2 distinct keys, 9 bytes, false-positive rate 1%, may miss keys", sum.String())
}

// A runner returns the numbers of a summary.
func TestSummariesAreNumbers(t *testing.T) {
	sum := Summary{Output: "out", Keys: 8, Files: 7, Bytes: 6, Size: 5, Binary: 4, Distinct: 3, FPRate: 0.25, Complete: true}
	require.Equal(t, sum, summaryOf("out", sum.numbers()))
	require.Equal(t, Summary{Output: "out"}, summaryOf("out", nil))
}

// There may be fewer keys than windows, or none.
func TestJobsOfFewKeys(t *testing.T) {
	for _, s := range append(ordered[:2:2], singles[2], everything()[7]) {
		for n := range 3 {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "keys.txt"), strings.Repeat("ada\ngrace\n", n)[:4*n])
			want, _ := runAlone(t, s.plan, filepath.Join(dir, "*"))
			got, _ := runJob(t, must(s.plan.Windows(5)), runners[3], files(filepath.Join(dir, "*")))
			require.Equal(t, want, got, "%s, %d keys", s.name, n)
		}
	}
}

// A static filter that fills its MemoryBytes has no plan, since its rate is not
// known in advance.
func TestStaticPlansNeedARate(t *testing.T) {
	for _, c := range []static.Config{{MemoryBytes: 1 << 20}, {FPRate: 0.01, MemoryBytes: 1 << 20}} {
		_, err := Static(c)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, "Config.MemoryBytes")
	}
	_, err := Static(static.Config{FPRate: 1}) // which only NewExact accepts
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.ErrorContains(t, err, "Config.FPRate")
}

// The frame of a static filter, whose digests fill several shards of its first
// layer, does not depend on the number of tasks that sort them.
func TestRangesOfAStaticFilter(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(350_000), 3)
	p := ordered[0].plan
	want, _ := runAlone(t, p, pattern)
	for _, n := range []int{1, 3, 16} {
		frame, result := runJob(t, must(p.Windows(n)), repeated(1, false), files(cutScheme+pattern))
		require.True(t, bytes.Equal(want, frame), "%d windows", n)
		require.EqualValues(t, len(want), Result("", result).Size)
	}
}

// A job that fails leaves the output unchanged, unless the worker is lost after
// the frame was renamed. The next job removes the files that are left.
func TestFailedJobsLeaveTheOutput(t *testing.T) {
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
	j := files(cutScheme + pattern)
	want, stages := runJob(t, p, runners[3], j)
	for stage, name := range stages.(*cutrunner.Result).Stages {
		for point := cutrunner.Element; point < cutrunner.Twin; point++ {
			write(t, out, "before")
			r := cut(cutrunner.Options{Elements: 1, Fault: func(a cutrunner.Attempt) cutrunner.Fault {
				if a.Stage == stage && a.Bundle == 0 {
					return cutrunner.Fault{Point: point, After: a.Try}
				}
				return cutrunner.Fault{}
			}})
			result, err := r.try(t, cutScheme+out, p, j)
			require.Error(t, err, "%s, point %d", name, point)
			require.Len(t, result.(*cutrunner.Result).Stages, stage+1)
			if frame := must(os.ReadFile(out)); string(frame) != "before" {
				require.True(t, bytes.Equal(want, frame))
			}
		}
	}
	runTo(t, cutScheme+out, p, runners[3], j)
	requireFiles(t, dir, 1)
}

// buildApart runs a job of Files and returns the filter in parts.
func buildApart(t *testing.T, p Plan, out string, r runner, pattern string) *parts.Filter {
	t.Helper()
	size := Result(out, runTo(t, out, p, r, files(pattern))).Size
	f := must(parts.Open(os.DirFS(filepath.Dir(out)), filepath.Base(out), hashfam.Family{}))
	require.Equal(t, p.spec.Parts, f.Parts())
	for part := range f.Parts() {
		if name := f.File(part); name != "" {
			size -= uint64(len(must(os.ReadFile(filepath.Join(filepath.Dir(out), name)))))
		}
	}
	require.Zero(t, size, "the summary has the size of the parts")
	return f
}

// In every runner, each part is the filter that a single process builds from
// its keys. The files of an earlier job are removed.
func TestPartsAreFiltersOfTheirKeys(t *testing.T) {
	keys := testKeys(3000)
	for _, test := range append(ordered[:2:2], singles[0], singles[4]) {
		pattern := writeKeys(t, t.TempDir(), keys, 4)
		out := filepath.Join(t.TempDir(), "out.bin")
		for i, r := range runners {
			n := 1 + 4*(i%2)
			f := buildApart(t, must(test.plan.Parts(n)), out, r, pattern)
			shards := make([][][]byte, n)
			for _, key := range keys {
				shard := f.Part(hashfam.Family{}.Sum(key))
				shards[shard] = append(shards[shard], key)
				require.True(t, must(f.Contains(key)))
			}
			for shard := range n {
				want, _ := runAlone(t, test.plan, writeKeys(t, t.TempDir(), shards[shard], 2))
				got := must(os.ReadFile(filepath.Join(filepath.Dir(out), f.File(shard))))
				require.True(t, bytes.Equal(want, got), test.name)
			}
			requireFiles(t, filepath.Dir(out), n+1) // the index and the parts
		}
	}
}

// Parts without keys have no files. A later job that writes one frame removes
// the parts.
func TestPartsWithoutKeys(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	buildApart(t, must(singles[0].plan.Parts(maxTasks)), out, runners[4], pattern)
	require.LessOrEqual(t, len(must(os.ReadDir(filepath.Dir(out)))), 1+10)
	runTo(t, out, singles[0].plan, runners[3], files(pattern))
	requireFiles(t, filepath.Dir(out), 1)
}

func TestPartsRequireAFilter(t *testing.T) {
	p := bloomPlan(bloom.Classic)
	var failed [5]error
	_, failed[0] = p.Parts(-1)
	_, failed[1] = p.Parts(maxTasks + 1)
	_, failed[2] = Combine[string](must(p.Parts(2)))
	_, failed[3] = must(Sketch(sketchConfig)).Parts(2)
	_, failed[4] = Plan{}.Parts(2)
	for _, err := range failed {
		require.ErrorIs(t, err, hashfam.ErrParams)
	}
}

func init() {
	register.Function2x0(noneOf)
	register.Function1x2(stamped)
}

// forms returns the keys as collections of each type.
func forms(keys [][]byte) []any {
	var texts []string
	for _, key := range keys {
		texts = append(texts, string(key))
	}
	return []any{texts, keys, hashfam.Family{}.SumAll(nil, keys)}
}

// noneOf emits nothing.
func noneOf(string, func(string)) {}

// stamped gives a key a time in one of many windows.
func stamped(key string) (beam.EventTime, string) {
	return mtime.FromTime(time.Unix(int64(60*len(key)), 0)), key
}

// Build ignores the windows of its collection, which may be empty.
func TestBuildOfCollectionsInWindowsAndWithoutKeys(t *testing.T) {
	var texts [][]byte
	for i, key := range testKeys(200) {
		texts = append(texts, append(key, "windows of a minute"[:i%19]...))
	}
	windowed := func(s beam.Scope, p Plan, out string) {
		timed := beam.ParDo(s, stamped, beam.CreateList(s, forms(texts)[0]))
		Build(s, p, out, beam.WindowInto(s, window.NewFixedWindows(time.Minute), timed))
	}
	none := func(s beam.Scope, p Plan, out string) {
		Build(s, p, out, beam.ParDo(s, noneOf, beam.Create(s, "dropped")))
	}
	for _, n := range []int{0, 7} {
		p := must(bloomPlan(bloom.Blocked).Windows(n))
		frame, _ := runJob(t, p, prismRunner, windowed)
		require.Equal(t, bloomFrame(texts), frame, "%d windows", n)
		frame, _ = runJob(t, p, prismRunner, none)
		require.Equal(t, bloomFrame(nil), frame, "%d windows", n)
	}
}

// zipf returns a stream in which key i occurs about n/i times, and the counts.
func zipf(n int) (stream [][]byte, counts map[string]uint64) {
	counts = map[string]uint64{}
	for i := 1; i <= n; i++ {
		key := fmt.Appendf(nil, "word %d", i)
		for range n / i {
			stream = append(stream, key)
		}
		counts[string(key)] = uint64(n / i)
	}
	for i := range stream { // a fixed shuffle
		j := int(uint64(i) * 0x9E3779B97F4A7C15 >> 1 % uint64(i+1))
		stream[i], stream[j] = stream[j], stream[i]
	}
	return stream, counts
}

// Many bundles build heavy hitters that are complete, and the k most frequent
// keys, since all counts of a key meet in one shard.
func TestHeavyHittersAndTopKAreComplete(t *testing.T) {
	stream, counts := zipf(20_000)
	pattern := writeKeys(t, t.TempDir(), stream, 16)
	var h countmin.HeavyHitters
	var k countmin.HeavyHitters
	for _, test := range []struct {
		plan Plan
		made interface {
			UnmarshalBinary([]byte) error
			Complete() bool
			Total() uint64
			All() iter.Seq2[string, countmin.Estimate]
		}
		frequent func() uint64 // the count from which a key must be found
	}{
		{must(Heavy(countmin.HeavyConfig{Phi: 0.001})), &h, func() uint64 { return h.Threshold() }},
		{must(Heavy(countmin.HeavyConfig{K: 100})), &k, func() uint64 { return 20_000 / 100 }},
	} {
		frame, _ := runJob(t, test.plan, repeated(1, false), files(pattern))
		require.NoError(t, test.made.UnmarshalBinary(frame))
		require.True(t, test.made.Complete())
		require.EqualValues(t, len(stream), test.made.Total())
		found := maps.Collect(test.made.All())
		for key, n := range counts {
			estimate, ok := found[key]
			require.True(t, ok || n < test.frequent(), key)
			require.True(t, !ok || estimate.Low <= n && n <= estimate.High, key)
		}
	}
	require.Len(t, maps.Collect(k.All()), 100)
}
