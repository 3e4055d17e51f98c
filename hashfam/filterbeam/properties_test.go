//lint:file-ignore SA1019 jobs must also work on the direct runner

package filterbeam

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

// A runner runs a pipeline in its way.
type runner struct {
	name string
	run  func(context.Context, *beam.Pipeline) (beam.PipelineResult, error)
}

// cut returns a runner of bundles that are cut and repeated.
func cut(o cutrunner.Options) func(context.Context, *beam.Pipeline) (beam.PipelineResult, error) {
	return func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
		return cutrunner.Run(ctx, p, o)
	}
}

// separate returns a runner whose workers are processes: a job server that
// starts this program for each job. It leaves the flags of Beam as they are.
func separate(t *testing.T) runner {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	port := listener.Addr().(*net.TCPAddr).Port
	_, err = prism.CreateJobServer(t.Context(), prism.Options{Port: port})
	require.NoError(t, err)
	return runner{"processes", func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
		for flag, value := range map[*string]string{
			jobopts.Endpoint: fmt.Sprintf("localhost:%d", port), jobopts.EnvironmentType: "PROCESS", jobopts.WorkerBinary: os.Args[0],
			jobopts.EnvironmentConfig: fmt.Sprintf(`{"command":%q}`, os.Args[0]),
		} {
			defer func(before string) { *flag = before }(*flag)
			*flag = value
		}
		return universal.Execute(ctx, p)
	}}
}

// repeated are the options of bundles of some elements, up to two of three
// attempts at which fail.
func repeated(elements int, hold bool) cutrunner.Options {
	return cutrunner.Options{
		Hold: hold, Elements: elements, Workers: 3, Seed: 5, Fault: cutrunner.Random(5), Split: true,
	}
}

// runners are those that keep all elements in memory, those that encode all of
// them, and those that split, repeat and reorder. The last two ones have
// bundles of some files, or of some keys.
var runners = []runner{
	{"direct", direct.Execute},
	{"Prism", prism.Execute},
	{"held", cut(cutrunner.Options{Hold: true})},
	{"encoded", cut(cutrunner.Options{})},
	{"held and repeated", cut(repeated(2, true))},
	{"encoded and repeated", cut(repeated(3, false))},
}

// forElements are the runners for collections of keys.
var forElements = append(runners[:4:4],
	runner{"held and repeated", cut(repeated(3000, true))},
	runner{"encoded and repeated", cut(repeated(3000, false))},
)

// everything has each structure, layout and option.
func everything() []single {
	keyed := bloomConfig(bloom.Blocked)
	keyed.Family = testFamily
	conservative := sketchConfig
	conservative.Conservative = true
	all := []single{
		{"bloom keyed", must(Bloom(keyed)), nil},
		{"bloom classic large", must(Bloom(bloom.Config{Capacity: 15e6, FPRate: 0.01})), nil},
		{"bloom blocked large", must(Bloom(bloom.Config{Capacity: 15e6, FPRate: 0.01, Layout: bloom.Blocked})), nil},
		{"counting large", must(Counting(counting.Config{Capacity: 4e6, FPRate: 0.01, Layout: counting.Blocked})), nil},
		{"static", must(Static(static.Config{FPRate: 0.01})), staticFrame},
		{"cuckoo", must(Cuckoo(cuckoo.Config{Capacity: 21_000, FPRate: 0.01})), nil},
		{"cuckoo compact", must(Cuckoo(cuckoo.Config{Capacity: 21_000, FPRate: 0.01, Compact: true})), nil},
		{"sketch conservative", must(Sketch(conservative)), nil},
		{"heavy", must(Heavy(countmin.HeavyConfig{Phi: 0.01})), nil},
		{"topk", must(TopK(countmin.TopKConfig{K: 20})), nil},
	}
	return append(all, singles...)
}

// loose reports whether the frame of a plan depends on the order of the keys.
func loose(p Plan) bool {
	return p.spec.Kind == heavyKind || p.spec.Kind == topkKind || strings.Contains(string(p.spec.Params), `"Conservative":true`)
}

// staticFrame returns the frame of a static filter.
func staticFrame(keys [][]byte) []byte {
	f := must(static.New(context.Background(), static.Config{FPRate: 0.01}, hashfam.Family{}.SumAll(nil, keys)))
	return must(f.MarshalBinary())
}

// requireSame checks what a job built of the keys against what one process
// builds: it is identical, or at least all keys are counted, and none too low.
func requireSame(t *testing.T, p Plan, want, got []byte, keys [][]byte) {
	t.Helper()
	if !loose(p) {
		require.True(t, bytes.Equal(want, got), "the frames differ")
		return
	}
	open := func(frame []byte) counter {
		for _, c := range []counter{&countmin.Sketch{}, &countmin.HeavyHitters{}, &countmin.TopK{}} {
			if c.UnmarshalBinary(frame) == nil {
				return c
			}
		}
		t.Fatal("the frame is of another structure")
		return nil
	}
	counts := map[string]uint64{}
	for _, key := range keys {
		counts[string(key)]++
	}
	c := open(got)
	require.Equal(t, open(want).Total(), c.Total())
	for key, n := range counts {
		require.GreaterOrEqual(t, estimateOf(c, key), n)
	}
}

// A counter is a structure that counts.
type counter interface {
	UnmarshalBinary([]byte) error
	Total() uint64
}

// estimateOf returns what a counter says at most.
func estimateOf(c counter, key string) uint64 {
	switch c := c.(type) {
	case *countmin.Sketch:
		return c.CountString(key)
	case *countmin.HeavyHitters:
		return c.EstimateString(key).High
	default:
		return c.(*countmin.TopK).EstimateString(key).High
	}
}

// Every structure, layout and option is built in every runner, of files and of
// elements of each type, and each job has the frame of the loop. There are more
// keys than a block has digests.
func TestEveryRunnerBuildsEveryStructure(t *testing.T) {
	keys := testKeys(testCapacity)
	keys = append(keys, keys[:100]...) // some keys occur twice
	pattern := writeKeys(t, t.TempDir(), keys, 5)
	for i, s := range everything() {
		p := s.plan
		want, alone := runLocal(t, p, pattern)
		if s.frame != nil {
			require.True(t, bytes.Equal(s.frame(keys), want), s.name)
		}
		for j, r := range runners {
			for windows := range 2 {
				p := must(p.Windows(windows * (1 + 4*(j%2))))
				if windows == 0 && strings.HasSuffix(s.name, "large") {
					continue // it has windows anyway
				}
				t.Run(fmt.Sprintf("%s/%s/%d windows", s.name, r.name, p.spec.Windows), func(t *testing.T) {
					got, result := runJob(t, p, r, files(pattern))
					requireSame(t, p, want, got, keys)
					sum := Result(alone.Output, result)
					require.InDelta(t, alone.FPRate, sum.FPRate, 1e-12)
					alone.FPRate = sum.FPRate
					if loose(p) {
						alone.Size = sum.Size
					}
					require.Equal(t, alone, sum)
					got, result = runJob(t, p, forElements[j], buildOf(formOf(i+j+windows, p, keys)))
					requireSame(t, p, want, got, keys)
					require.EqualValues(t, len(keys), Result("", result).Keys)
				})
			}
		}
	}
}

// formOf returns the keys as a collection of a type that the structure takes.
func formOf(n int, p Plan, keys [][]byte) any {
	if p.spec.Kind == heavyKind || p.spec.Kind == topkKind || p.spec.Family != "" {
		return forms(keys)[n%2]
	}
	return forms(keys)[n%3]
}

// A static filter that fills a memory has its rate when it is built.
func TestAStaticPlanHasARate(t *testing.T) {
	for _, c := range []static.Config{{MemoryBytes: 1 << 20}, {FPRate: 0.01, MemoryBytes: 1 << 20}} {
		_, err := Static(c)
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, "Config.MemoryBytes")
	}
}
