package filterbeam

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

func init() {
	register.Function1x2(pairOf)
	register.Function2x0(noneOf)
	register.Function2x1(lengthOf)
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
	p, err := Bloom(bloomConfig(bloom.Blocked))
	require.NoError(t, err)
	for _, n := range []int{0, 7} {
		p, err := p.Windows(n)
		require.NoError(t, err)
		out := filepath.Join(t.TempDir(), "out.bin")
		pipeline, s := beam.NewPipelineWithRoot()
		Build(s, p, out, beam.ParDo(s, noneOf, beam.Create(s, "dropped")))
		require.NoError(t, ptest.Run(pipeline))
		frame, err := os.ReadFile(out)
		require.NoError(t, err)
		want, err := bloomFrame(bloom.Blocked)(nil)
		require.NoError(t, err)
		require.Equal(t, want, frame, "%d windows", n)
	}
}

// noneOf emits nothing.
func noneOf(string, func(string)) {}

// pairOf makes a collection of one key for CombinePerKey.
func pairOf(key string) (int, string) { return len(key) % 3, key }

func lengthOf(_ int, frame []byte) int { return len(frame) }

// Combine gives the same frame, also for each key of a collection of pairs.
func TestCombineBuildsWhatASingleProcessBuilds(t *testing.T) {
	keys := testKeys(3000)
	for _, test := range singles {
		want, err := test.frame(keys)
		require.NoError(t, err)
		p, err := test.plan()
		require.NoError(t, err)
		pipeline, s := beam.NewPipelineWithRoot()
		combine, err := Combine[string](p)
		require.NoError(t, err)
		passert.Equals(s, beam.Combine(s, combine, beam.CreateList(s, forms(keys)[0])), want)
		combine, err = Combine[hashfam.Digest](p)
		require.NoError(t, err)
		passert.Equals(s, beam.Combine(s, combine, beam.CreateList(s, forms(keys)[2])), want)
		perKey, err := Combine[string](p)
		require.NoError(t, err)
		frames := beam.CombinePerKey(s, perKey, beam.ParDo(s, pairOf, beam.CreateList(s, forms(keys)[0])))
		passert.Equals(s, beam.ParDo(s, lengthOf, frames), len(want), len(want), len(want))
		require.NoError(t, ptest.Run(pipeline), test.name)
	}
}

// An accumulator of few keys holds their digests, also after it has been sent
// to another worker and merged there.
func TestAccumulatorsOfFewKeysAreSmall(t *testing.T) {
	p, err := Bloom(bloomConfig(bloom.Blocked))
	require.NoError(t, err)
	c := &combineFn[string]{Spec: p.spec}
	require.NoError(t, c.Setup())
	sum := c.CreateAccumulator()
	for _, key := range []string{"ada", "grace", "edsger"} {
		a, err := c.AddInput(c.CreateAccumulator(), key)
		require.NoError(t, err)
		encoded, err := encodeAccumulator(a)
		require.NoError(t, err)
		a, err = decodeAccumulator(encoded)
		require.NoError(t, err)
		sum, err = c.MergeAccumulators(sum, a)
		require.NoError(t, err)
	}
	encoded, err := encodeAccumulator(sum)
	require.NoError(t, err)
	require.Equal(t, 1+3*8, len(encoded))
	got, err := c.ExtractOutput(sum)
	require.NoError(t, err)
	want, err := bloomFrame(bloom.Blocked)([][]byte{[]byte("ada"), []byte("grace"), []byte("edsger")})
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// What cannot be combined is refused when the pipeline is made.
func TestCombineRefusesWhatIsNotBuiltOfFrames(t *testing.T) {
	large, err := Bloom(bloom.Config{Capacity: 1e8, FPRate: 0.01})
	require.NoError(t, err)
	ordered, err := Cuckoo(cuckoo.Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	top, err := TopK(countmin.TopKConfig{K: 10})
	require.NoError(t, err)
	for _, p := range []Plan{{}, large, ordered, top} {
		_, err := Combine[string](p)
		require.ErrorIs(t, err, ErrParams)
	}
}

// Combine refuses heavy hitters and a top k that may take more than 8 MiB. A
// plan of heavy hitters of any size is built of frames.
func TestCombineRefusesALargeBudget(t *testing.T) {
	for _, test := range []struct {
		memory int
		want   error
	}{{0, nil}, {1 << 20, nil}, {frameLimit, nil}, {frameLimit + 1, ErrParams}, {1 << 26, ErrParams}} {
		p, err := Heavy(countmin.HeavyConfig{Phi: 0.001, MemoryBytes: test.memory})
		require.NoError(t, err)
		_, err = Combine[string](p)
		require.ErrorIs(t, err, test.want, "%d bytes", test.memory)
		if test.want != nil {
			require.ErrorContains(t, err, fmt.Sprintf("size of the structure = %d, want at most 8388608 bytes", test.memory))
		}
		d, err := p.spec.design()
		require.NoError(t, err)
		require.IsType(t, frames{}, d)

		top, err := TopK(countmin.TopKConfig{K: 10, MemoryBytes: test.memory})
		require.NoError(t, err)
		_, err = Combine[string](top)
		require.ErrorIs(t, err, ErrParams)
		d, err = top.spec.design()
		require.NoError(t, err)
		require.IsType(t, shards{}, d)
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
	p, err := Heavy(countmin.HeavyConfig{Phi: 0.001})
	require.NoError(t, err)
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
	p, err := TopK(countmin.TopKConfig{K: 100})
	require.NoError(t, err)
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

func init() { register.Function1x2(stamped) }

// stamped gives a key a time in one of many windows.
func stamped(key string) (beam.EventTime, string) {
	return mtime.FromTime(time.Unix(int64(60*len(key)), 0)), key
}

// Build ignores the windows of its collection.
func TestBuildOfACollectionInWindows(t *testing.T) {
	var texts []string
	keys := testKeys(200)
	for i, key := range keys {
		texts = append(texts, string(key)+"windows of a minute"[:i%19])
	}
	want, err := bloom.New(bloomConfig(bloom.Blocked))
	require.NoError(t, err)
	for _, text := range texts {
		want.AddString(text)
	}
	encoded, err := want.MarshalBinary()
	require.NoError(t, err)
	for _, n := range []int{0, 7} {
		p, err := bloomPlan(bloom.Blocked)()
		require.NoError(t, err)
		p, err = p.Windows(n)
		require.NoError(t, err)
		out := filepath.Join(t.TempDir(), "out.bin")
		pipeline, s := beam.NewPipelineWithRoot()
		timed := beam.ParDo(s, stamped, beam.CreateList(s, texts))
		Build(s, p, out, beam.WindowInto(s, window.NewFixedWindows(time.Minute), timed))
		require.NoError(t, ptest.Run(pipeline))
		frame, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, encoded, frame)
	}
}
