package filterbeam

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

func init() {
	register.Function1x2(pairOf)
	register.Function2x0(noneOf)
	register.Function2x0(keepFrame)
	register.Function1x0(keepTexts)
	register.Function1x0(keepDigests)
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

// A collection without elements gives an empty filter.
func TestBuildOfNoKeys(t *testing.T) {
	none := func(s beam.Scope, p Plan, out string) {
		Build(s, p, out, beam.ParDo(s, noneOf, beam.Create(s, "dropped")))
	}
	for _, n := range []int{0, 7} {
		frame, _ := runJob(t, must(bloomPlan(bloom.Blocked).Windows(n)), runners[1], none)
		require.Equal(t, bloomFrame(nil), frame, "%d windows", n)
	}
}

// noneOf emits nothing.
func noneOf(string, func(string)) {}

// pairOf makes a collection of one key for CombinePerKey.
func pairOf(key string) (int, string) { return len(key) % 3, key }

// combined takes the frames that a pipeline of Combine writes, by key.
var combined sync.Map

func keepFrame(key int, frame []byte) { combined.Store(key, frame) }
func keepTexts(frame []byte)          { keepFrame(-1, frame) }
func keepDigests(frame []byte)        { keepFrame(-2, frame) }

// Combine combines all keys, or each key of a collection of pairs, once, in
// every runner. Prism combines before it groups, too.
func TestCombineBuildsWhatASingleProcessBuilds(t *testing.T) {
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
		for _, r := range []runner{
			runners[1], forElements[i%4+2], {"held, of few keys", cut(repeated(7, i%2 == 0))},
		} {
			combined.Clear()
			pipeline, s := beam.NewPipelineWithRoot()
			texts := beam.CreateList(s, forms(keys)[0])
			beam.ParDo0(s, keepTexts, beam.Combine(s, must(Combine[string](test.plan)), texts))
			digests := beam.CreateList(s, forms(keys)[2])
			beam.ParDo0(s, keepDigests, beam.Combine(s, must(Combine[hashfam.Digest](test.plan)), digests))
			frames := beam.CombinePerKey(s, must(Combine[string](test.plan)), beam.ParDo(s, pairOf, texts))
			beam.ParDo0(s, keepFrame, frames)
			_, err := r.run(t.Context(), pipeline)
			require.NoError(t, err, "%s, %s", test.name, r.name)
			for key, want := range wanted {
				frame, _ := combined.Load(key)
				require.Equal(t, want, frame, "%s, %s, %d", test.name, r.name, key)
			}
		}
	}
}

// An accumulator of few keys holds their digests, also after it has been sent
// to another worker and merged there.
func TestAccumulatorsOfFewKeysAreSmall(t *testing.T) {
	c := &combineFn[string]{Spec: bloomPlan(bloom.Blocked).spec}
	require.NoError(t, c.Setup())
	sum := c.CreateAccumulator()
	for _, key := range []string{"ada", "grace", "edsger"} {
		a := must(c.AddInput(c.CreateAccumulator(), key))
		sum = must(c.MergeAccumulators(sum, must(decodeAccumulator(encodeAccumulator(a)))))
	}
	require.Equal(t, 1+3*8, len(encodeAccumulator(sum)))
	require.Equal(t, bloomFrame([][]byte{[]byte("ada"), []byte("grace"), []byte("edsger")}), must(c.ExtractOutput(sum)))
}

// What is not built of frames of up to 8 MiB cannot be combined. That is an
// error when the pipeline is made. A plan of heavy hitters of any size is built
// of frames.
func TestCombineRefusesWhatIsNotBuiltOfFrames(t *testing.T) {
	for _, p := range []Plan{{}, ordered[0].plan, ordered[1].plan, must(Bloom(bloom.Config{Capacity: 1e8, FPRate: 0.01}))} {
		_, err := Combine[string](p)
		require.ErrorIs(t, err, ErrParams)
	}
	for memory, want := range map[int]error{0: nil, 1 << 20: nil, frameLimit: nil, frameLimit + 1: ErrParams, 1 << 26: ErrParams} {
		p := must(Heavy(countmin.HeavyConfig{Phi: 0.001, MemoryBytes: memory}))
		_, err := Combine[string](p)
		require.ErrorIs(t, err, want, "%d bytes", memory)
		if want != nil {
			require.ErrorContains(t, err, fmt.Sprintf("size of the structure = %d, want at most 8388608 bytes", memory))
		}
		require.IsType(t, frames{}, must(p.spec.design()))

		top := must(TopK(countmin.TopKConfig{K: 10, MemoryBytes: memory}))
		_, err = Combine[string](top)
		require.ErrorIs(t, err, ErrParams)
		require.IsType(t, shards{}, must(top.spec.design()))
		require.Equal(t, 16, top.spec.windows(), "the windows of a top k do not depend on its budget")
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

// Heavy hitters of many bundles are complete.
func TestHeavyHittersAreComplete(t *testing.T) {
	stream, counts := zipf(20_000)
	p := must(Heavy(countmin.HeavyConfig{Phi: 0.001}))
	var h countmin.HeavyHitters
	require.NoError(t, h.UnmarshalBinary(runFiles(t, p, writeKeys(t, t.TempDir(), stream, 16))))
	require.True(t, h.Complete())
	require.EqualValues(t, len(stream), h.Total())
	found := map[string]countmin.Estimate{}
	for key, estimate := range h.All() {
		found[key] = estimate
	}
	for key, n := range counts {
		if n >= h.Threshold() {
			require.Contains(t, found, key)
			require.LessOrEqual(t, found[key].Low, n)
			require.GreaterOrEqual(t, found[key].High, n)
		}
	}
}

// A top k is exactly the k most frequent keys, because all counts of a key meet
// in one shard.
func TestATopKIsThatOfTheWhole(t *testing.T) {
	stream, counts := zipf(20_000)
	p := must(TopK(countmin.TopKConfig{K: 100}))
	var k countmin.TopK
	require.NoError(t, k.UnmarshalBinary(runFiles(t, p, writeKeys(t, t.TempDir(), stream, 16))))
	require.True(t, k.Complete())
	require.EqualValues(t, len(stream), k.Total())
	n := 0
	for key, estimate := range k.All() {
		n++
		require.LessOrEqual(t, estimate.Low, counts[key], key)
		require.GreaterOrEqual(t, estimate.High, counts[key], key)
		require.GreaterOrEqual(t, counts[key], uint64(20_000/101), key)
	}
	require.Equal(t, 100, n)
}

// stamped gives a key a time in one of many windows.
func stamped(key string) (beam.EventTime, string) {
	return mtime.FromTime(time.Unix(int64(60*len(key)), 0)), key
}

// Build ignores the windows of its collection.
func TestBuildOfACollectionInWindows(t *testing.T) {
	var texts [][]byte
	for i, key := range testKeys(200) {
		texts = append(texts, append(key, "windows of a minute"[:i%19]...))
	}
	windowed := func(s beam.Scope, p Plan, out string) {
		timed := beam.ParDo(s, stamped, beam.CreateList(s, forms(texts)[0]))
		Build(s, p, out, beam.WindowInto(s, window.NewFixedWindows(time.Minute), timed))
	}
	for _, n := range []int{0, 7} {
		frame, _ := runJob(t, must(bloomPlan(bloom.Blocked).Windows(n)), runners[1], windowed)
		require.Equal(t, bloomFrame(texts), frame)
	}
}
