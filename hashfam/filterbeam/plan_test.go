package filterbeam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

var testFamily = hashfam.New(hashfam.Key{1, 2, 3})

func init() {
	if err := RegisterFamily("test", func() (hashfam.Family, error) { return testFamily, nil }); err != nil {
		panic(err)
	}
}

// A keyed family is found by its name. The plan does not contain its key, and a
// worker that has another key, or none, fails.
func TestKeyedFamiliesAreFoundByName(t *testing.T) {
	c := bloomConfig(bloom.Blocked)
	c.Family = hashfam.New(hashfam.Key{9})
	_, err := Bloom(c)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.ErrorContains(t, err, "RegisterFamily")

	c.Family = testFamily
	p := must(Bloom(c))
	keys := testKeys(1000)
	pattern := writeKeys(t, t.TempDir(), keys, 3)
	frame, _ := runJob(t, p, prismRunner, files(pattern))
	require.Equal(t, frameOf(bloom.New, c)(keys), frame)
	require.NotContains(t, string(must(json.Marshal(p.spec))), "010203")
	p.spec.Check++
	require.ErrorContains(t, fails(t, p, pattern), hashfam.ErrFamily.Error())
	p.spec.Family = "unknown"
	require.ErrorContains(t, fails(t, p, pattern), hashfam.ErrFamily.Error())
	_, err = p.spec.family()
	require.ErrorIs(t, err, hashfam.ErrFamily)
}

// A family needs a new name and a function that opens it.
func TestRegisterFamilyChecksItsArguments(t *testing.T) {
	open := func() (hashfam.Family, error) { return testFamily, nil }
	require.ErrorIs(t, RegisterFamily("", open), hashfam.ErrParams)
	require.ErrorIs(t, RegisterFamily("test", open), hashfam.ErrParams)
	require.ErrorIs(t, RegisterFamily("nil", nil), hashfam.ErrParams)
}

// Plans, results of Combine and errors do not contain the family's key, {0xa1,
// 0xa2, ...}.
func TestNoOutputShowsTheKey(t *testing.T) {
	key := hashfam.Key{0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8}
	c := bloomConfig(bloom.Blocked)
	c.Family = hashfam.New(key)
	_, unknown := Bloom(c)
	require.ErrorIs(t, unknown, hashfam.ErrParams)
	require.NoError(t, RegisterFamily(t.Name(), func() (hashfam.Family, error) { return c.Family, nil }))
	p := must(Bloom(c))
	combine := must(Combine[string](p))
	for _, v := range []any{p, &p, []Plan{p}, struct{ Plan Plan }{p}, unknown, combine} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		b, err := json.Marshal(v)
		require.NoError(t, err)
		out.Write(b)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
		for _, secret := range []string{"12152865349844574881", "a8a7a6a5a4a3a2a1", "a1a2a3a4", "161 162 163", "161,162,163"} {
			require.NotContains(t, out.String(), secret, "%T", v)
		}
	}
}

func init() {
	register.Function1x2(pairOf)
	register.Function2x0(keepFrame)
	register.Function1x0(keepTexts)
	register.Function1x0(keepDigests)
}

// pairOf returns a pair for CombinePerKey.
func pairOf(key string) (int, string) { return len(key) % 3, key }

// combined contains the frames that a pipeline of Combine writes, by key.
var combined sync.Map

func keepFrame(key int, frame []byte) { combined.Store(key, frame) }
func keepTexts(frame []byte)          { keepFrame(-1, frame) }
func keepDigests(frame []byte)        { keepFrame(-2, frame) }

// Combine combines all keys once, or the keys of each pair, in every runner.
// Prism also combines before it groups.
func TestCombineBuildsTheFrameOfASingleProcess(t *testing.T) {
	keys := testKeys(3000)
	byKey := map[int][][]byte{}
	for _, key := range keys {
		byKey[len(key)%3] = append(byKey[len(key)%3], key)
	}
	for i, test := range singles {
		wanted := map[int][]byte{-1: test.frame(keys), -2: test.frame(keys)}
		for key, some := range byKey {
			wanted[key] = test.frame(some)
		}
		for _, r := range []runner{prismRunner, forElements[i%4+2], repeated(7, i%2 == 0)} {
			combined.Clear()
			_, err := r.try(t, "", test.plan, func(s beam.Scope, p Plan, _ string) {
				texts := beam.CreateList(s, forms(keys)[0])
				beam.ParDo0(s, keepTexts, beam.Combine(s, must(Combine[string](p)), texts))
				digests := beam.CreateList(s, forms(keys)[2])
				beam.ParDo0(s, keepDigests, beam.Combine(s, must(Combine[hashfam.Digest](p)), digests))
				frames := beam.CombinePerKey(s, must(Combine[string](p)), beam.ParDo(s, pairOf, texts))
				beam.ParDo0(s, keepFrame, frames)
			})
			require.NoError(t, err, "%s, %s", test.name, r.name)
			for key, want := range wanted {
				frame, _ := combined.Load(key)
				require.Equal(t, want, frame, "%s, %s, %d", test.name, r.name, key)
			}
		}
	}
}

// A combination is an accumulator that an engine holds, with its keys.
type combination struct {
	*accumulator
	encoded []byte
	keys    [][]byte
	depth   int // of the tree of mergers
}

// Accumulators can be merged in any grouping and at any depth, held in memory
// or encoded, and passed to a function again. The result always has all keys,
// and no accumulator changes after it was passed on. An accumulator with few
// keys contains only their digests.
func TestCombineInAnyGrouping(t *testing.T) {
	keys := testKeys(900)
	for i, s := range append(singles[:6:6], single{"heavy", heavyPlan, nil}) {
		stages := make([]*combineFn[[]byte], 40) // a function for each depth
		for i := range stages {
			stages[i] = &combineFn[[]byte]{Spec: s.plan.spec}
			require.NoError(t, stages[i].Setup())
		}
		r := rand.New(rand.NewPCG(7, uint64(i)))
		var all []combination
		for step := range stages {
			c := combination{accumulator: stages[0].CreateAccumulator()}
			if step < 4 || step%4 == 0 {
				c.keys = keys[r.IntN(len(keys)):]
				for _, key := range c.keys {
					c.accumulator = must(stages[0].AddInput(c.accumulator, key))
				}
			} else {
				c = all[r.IntN(len(all))]
				if step%2 == 0 {
					c.accumulator = must(decodeAccumulator(c.encoded))
				}
				for range 1 + step%3 {
					other := all[r.IntN(len(all))]
					c.depth = max(c.depth, other.depth) + 1
					c.accumulator = must(stages[c.depth%len(stages)].MergeAccumulators(c.accumulator, other.accumulator))
					c.keys = append(c.keys[:len(c.keys):len(c.keys)], other.keys...)
				}
			}
			if frame := must(stages[0].ExtractOutput(c.accumulator)); s.frame != nil {
				require.Equal(t, s.frame(c.keys), frame, s.name)
			} else {
				n, _ := highs(t, s.plan, frame)
				require.EqualValues(t, len(c.keys), n, s.name)
			}
			c.encoded = encodeAccumulator(c.accumulator)
			all = append(all, c)
			for _, c := range all {
				require.Equal(t, c.encoded, encodeAccumulator(c.accumulator), "%s, step %d", s.name, step)
			}
		}
	}
	few := &combineFn[string]{Spec: bloomPlan(bloom.Blocked).spec}
	require.NoError(t, few.Setup())
	sum := must(few.MergeAccumulators(must(few.AddInput(&accumulator{}, "ada")), must(few.AddInput(&accumulator{}, "grace"))))
	require.Len(t, encodeAccumulator(sum), 1+2*8)
}

// A strict job fails if the rate is too high, in every design, and the error
// has the number of keys.
func TestStrictJobsMeetTheRate(t *testing.T) {
	small := bloom.Config{Capacity: 100, FPRate: 0.01}
	pattern := writeKeys(t, t.TempDir(), testKeys(1000), 2)
	for _, p := range []Plan{must(Bloom(small)), must(must(Bloom(small)).Windows(2)), must(must(Bloom(small)).Parts(2)), must(Counting(counting.Config{Capacity: 100, FPRate: 0.01}))} {
		err := fails(t, p.Strict(), pattern)
		require.ErrorContains(t, err, "the Capacity is too small for 1000 keys: the rate is ")
		require.ErrorContains(t, err, "%, more than twice 1%; want a Capacity for 1000 keys")
		runTo(t, outputBefore(t), p, runners[0], files(pattern))
	}
	small.Capacity = 1000
	for _, p := range []Plan{must(Bloom(small)), must(Static(static.Config{FPRate: 0.01})), must(Sketch(sketchConfig)), heavyPlan} {
		runTo(t, outputBefore(t), p.Strict(), runners[0], files(pattern))
	}
}

// A filter of few keys can have a high rate by chance, although its Capacity is
// right. Such a job succeeds, but not with twice as many keys.
func TestStrictJobsMayHaveBadLuck(t *testing.T) {
	chosen := map[int]string{3: "a62\nb62\nc62\n", 6: "a7\nb7\nc7\nd7\ne7\nf7\n", 12: "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"}
	dir := t.TempDir()
	file := func(n int) string { return filepath.Join(dir, fmt.Sprint(n)) }
	for n, text := range chosen {
		write(t, file(n), text)
	}
	small := bloom.Config{Capacity: 3, FPRate: 0.01}
	for _, test := range []struct {
		plan Plan
		keys int
	}{
		{must(Bloom(small)), 3},
		{must(Counting(counting.Config{Capacity: 3, FPRate: 0.01})), 3},
		{must(must(Bloom(small)).Parts(2)), 6},
	} {
		result := runTo(t, filepath.Join(t.TempDir(), "out.bin"), test.plan.Strict(), runners[3], files(file(test.keys)))
		require.Greater(t, Result("", result).FPRate, 0.02, "the keys are chosen for this")
		fails(t, test.plan.Strict(), file(2*test.keys))
	}
}

// A worker refuses a task that does not fit into its memory.
func TestTasksMustFitIntoTheMemory(t *testing.T) {
	huge := must(Bloom(bloom.Config{Capacity: 2e13, FPRate: 0.01}))
	require.EqualValues(t, 23984069633216, huge.SizeBytes())
	require.EqualValues(t, 2*23984069633216, must(huge.Parts(2)).SizeBytes())
	require.Zero(t, must(Static(static.Config{FPRate: 0.01})).SizeBytes())
	for _, p := range []Plan{
		must(huge.Windows(1)), must(huge.Parts(2)), must(Sketch(countmin.Config{Epsilon: 2e-12, Delta: 0.01})),
		must(Cuckoo(cuckoo.Config{Capacity: 2e13, FPRate: 0.01})),
	} {
		_, err := p.spec.design()
		require.ErrorContains(t, err, "filterbeam: a task of this job needs ")
	}
	_, err := must(must(Bloom(bloom.Config{Capacity: 1e12, FPRate: 0.01})).Windows(maxTasks)).spec.design()
	require.NoError(t, err, "a window has 300 MB")
}

// Combine requires frames of no more than 8 MiB. It returns an error when the
// pipeline is made. Plans for heavy hitters of any size use frames.
func TestCombineRequiresSmallFrames(t *testing.T) {
	for _, p := range []Plan{{}, ordered[0].plan, ordered[1].plan, topkPlan, must(Bloom(bloom.Config{Capacity: 1e8, FPRate: 0.01}))} {
		_, err := Combine[string](p)
		require.ErrorIs(t, err, hashfam.ErrParams)
	}
	for memory, want := range map[int]error{0: nil, 1 << 20: nil, frameLimit: nil, frameLimit + 1: hashfam.ErrParams, 1 << 26: hashfam.ErrParams} {
		p := must(Heavy(countmin.HeavyConfig{Phi: 0.001, MemoryBytes: memory}))
		_, err := Combine[string](p)
		require.ErrorIs(t, err, want, "%d bytes", memory)
		if want != nil {
			require.ErrorContains(t, err, fmt.Sprintf("size of the structure = %d, want at most 8388608 bytes", memory))
		}
		require.IsType(t, frames{}, must(p.spec.design()))

		top := must(Heavy(countmin.HeavyConfig{K: 10, MemoryBytes: memory}))
		require.IsType(t, shards{}, must(top.spec.design()))
		require.Equal(t, 16, top.spec.tasks(), "a top k's windows do not depend on MemoryBytes")
	}
}
