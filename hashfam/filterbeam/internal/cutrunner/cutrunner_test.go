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
			o := Options{Elements: n, Workers: 3, Seed: seed, Fault: Random(seed), Hold: n%2 == 1}
			got, result, err := sum(t, false, o)
			require.NoError(t, err)
			require.EqualValues(t, 4950, got)
			require.Zero(t, result.Failed[None])
			got, _, err = sum(t, true, o)
			require.NoError(t, err)
			if got != 4950 {
				wrong++
			}
		}
	}
	require.NotZero(t, wrong)
}
