package point

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// with returns what f returns with mutant id on.
func with[T any](id int, f func() T) T {
	on = id
	defer func() { on = -1 }()
	return f()
}

func TestArithmetic(t *testing.T) {
	for name, c := range map[string]struct {
		call         func() int
		want, mutant int
	}{
		"+":  {func() int { return Add(7, 12, 5) }, 17, 7},
		"-":  {func() int { return Sub(7, 12, 5) }, 7, 17},
		"*":  {func() int { return Mul(7, 12, 5) }, 60, 2},
		"/":  {func() int { return Quo(7, 12, 5) }, 2, 60},
		"%":  {func() int { return Rem(7, 12, 5) }, 2, 60},
		"-x": {func() int { return Neg(7, 12) }, -12, 12},
		"++": {func() int { return 12 + One[int](7) }, 13, 11},
	} {
		require.Equal(t, c.want, c.call(), name)
		require.Equal(t, c.want, with(8, c.call), name)
		require.Equal(t, c.mutant, with(7, c.call), name)
	}
	require.Equal(t, uint64(math.MaxUint64), with(1, func() uint64 { return One[uint64](1) }))
}

func TestComparisons(t *testing.T) {
	for name, c := range map[string]struct {
		call                     func(id, a, b int) bool
		want, boundary, negation [3]bool // of 1 and 2, 2 and 2, 3 and 2
	}{
		"<":  {Less[int], [3]bool{true, false, false}, [3]bool{true, true, false}, [3]bool{false, true, true}},
		"<=": {LessEqual[int], [3]bool{true, true, false}, [3]bool{true, false, false}, [3]bool{false, false, true}},
		">":  {Greater[int], [3]bool{false, false, true}, [3]bool{false, true, true}, [3]bool{true, true, false}},
		">=": {GreaterEqual[int], [3]bool{false, true, true}, [3]bool{false, false, true}, [3]bool{true, false, false}},
	} {
		all := func() [3]bool { return [3]bool{c.call(7, 1, 2), c.call(7, 2, 2), c.call(7, 3, 2)} }
		require.Equal(t, c.want, all(), name)
		require.Equal(t, c.boundary, with(7, all), name)
		require.Equal(t, c.negation, with(8, all), name)
	}
	require.True(t, Not(7, true))
	require.False(t, with(7, func() bool { return Not(7, true) }))
}

func TestAComparisonRecordsBothMutants(t *testing.T) {
	for id, call := range map[int]func(id, a, b int) bool{100: Less[int], 102: LessEqual[int], 104: Greater[int], 106: GreaterEqual[int]} {
		call(id, 1, 2)
		require.Equal(t, []byte{1, 1}, reached[id:id+2])
	}
	require.Zero(t, reached[99])
}
