package cutrunner

import (
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"
)

func init() {
	beam.RegisterType(reflect.TypeFor[sumFn]())
	beam.RegisterType(reflect.TypeFor[totalFn]())
	beam.RegisterType(reflect.TypeFor[writingFn]())
	beam.Init()
}

// A sumFn adds up the elements of a bundle. If it is Careless, it does not
// begin again after an attempt that failed.
type sumFn struct {
	Careless bool

	sum int
}

func (s *sumFn) StartBundle(func(int, int)) {
	if !s.Careless {
		s.sum = 0
	}
}

func (s *sumFn) ProcessElement(n int, _ func(int, int)) { s.sum += n }

func (s *sumFn) FinishBundle(emit func(int, int)) {
	emit(0, s.sum)
	s.sum = 0
}

var total atomic.Int64

// A totalFn adds up the sums of all bundles.
type totalFn struct{}

func (totalFn) ProcessElement(_ int, next func(*int) bool) {
	sum, n := 0, 0
	for next(&n) {
		sum += n
	}
	total.Store(int64(sum))
}

// sum returns the sum of the numbers below 100, and what the run has done.
func sum(t *testing.T, careless bool, o Options) (int64, *Result, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	var numbers []int
	for i := range 100 {
		numbers = append(numbers, i)
	}
	sums := beam.ParDo(s, &sumFn{Careless: careless}, beam.CreateList(s, numbers))
	beam.ParDo0(s, &totalFn{}, beam.GroupByKey(s, sums))
	total.Store(-1)
	result, err := Run(t.Context(), p, o)
	return total.Load(), result, err
}

// The result does not depend on the bundles and the faults, unless a function
// is careless.
func TestFaultsAreSeenOnlyByCarelessFunctions(t *testing.T) {
	wrong := 0
	for seed := range uint64(20) {
		for _, n := range []int{0, 1, 7, 1000} {
			o := Options{Elements: n, Workers: 3, Seed: seed, Fault: Random(seed)}
			got, _, err := sum(t, false, o)
			require.NoError(t, err)
			require.EqualValues(t, 4950, got)
			got, _, err = sum(t, true, o)
			require.NoError(t, err)
			if got != 4950 {
				wrong++
			}
		}
	}
	require.NotZero(t, wrong)
}

// Elements are cut into bundles, each of which is tried three times.
func TestBundlesAndTries(t *testing.T) {
	_, result, err := sum(t, false, Options{Elements: 7})
	require.NoError(t, err)
	require.Equal(t, 1+15+1, result.Tries)
	tries := 0
	_, result, err = sum(t, false, Options{Elements: 7, Fault: func(a Attempt) Fault {
		if a.Number == 1 && a.Bundle == 3 {
			tries++
			return Fault{Point: Commit}
		}
		return Fault{}
	}})
	require.ErrorIs(t, err, errLost)
	require.Equal(t, 3, tries)
	require.Equal(t, 3, result.Failed[Commit])
	require.EqualValues(t, -1, total.Load(), "the next stage did not start")
}

// A writingFn emits its memory and writes to it: before the end of the bundle,
// at the start of the next one, or to the element that it got.
type writingFn struct {
	When string

	memory []byte
}

func (f *writingFn) StartBundle(func([]byte)) { f.write("later") }

func (f *writingFn) ProcessElement(in []byte, emit func([]byte)) {
	f.memory = append([]byte(nil), in...)
	emit(f.memory)
	f.write("at once")
	if f.When == "input" {
		in[0]++
	}
}

// write writes to what was emitted last, if it is the time.
func (f *writingFn) write(when string) {
	if f.When == when && len(f.memory) > 0 {
		f.memory[0]++
	}
}

// A function that writes to an element is found if elements are held.
func TestElementsThatAreHeldMustNotChange(t *testing.T) {
	for when, want := range map[string]string{
		"never": "", "at once": "output: ", "later": "output: ", "input": "input: ",
	} {
		for _, hold := range []bool{false, true} {
			p, s := beam.NewPipelineWithRoot()
			list := beam.CreateList(s, [][]byte{[]byte("a"), []byte("b"), []byte("c")})
			beam.ParDo(s, &writingFn{When: when}, list)
			_, err := Run(t.Context(), p, Options{Elements: 1, Hold: hold})
			if !hold || want == "" {
				require.NoError(t, err, when)
				continue
			}
			require.ErrorIs(t, err, errChanged, when)
			require.ErrorContains(t, err, want)
		}
	}
}
