package countmin

import (
	"fmt"
	"math"
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame/frametest"
	"github.com/stretchr/testify/require"
)

// The inner product is never too low. Over 60 families, each of which exceeds
// the bound with probability e^-5 = 0.0067 or less, more than 8 exceed it with
// probability below 10^-9.
func TestInnerProductIsWithinItsBound(t *testing.T) {
	_, err := new(Sketch).InnerProduct(nil)
	requireField(t, err, hashfam.ErrIncompatible, "other")
	above := 0
	for i := range 60 {
		p := must(Config{Epsilon: 0.02, Delta: 0.01, Family: hashfam.Family{}.Derive(fmt.Sprint(i))}.Params())
		a, b := mustNew(t, p), mustNew(t, p)
		truth := uint64(0)
		for k := range uint64(300) {
			x, y := k%17, 1000/(k+1)
			a.AddNDigest(p.Family.SumUint64(k), x)
			b.AddNDigest(p.Family.SumUint64(k), y)
			truth += x * y
		}
		got := must(a.InnerProduct(b))
		require.GreaterOrEqual(t, got, truth)
		if float64(got) > float64(truth)+p.Epsilon()*float64(a.Total())*float64(b.Total()) {
			above++
		}
	}
	require.LessOrEqual(t, above, 8)
	a := mustNew(t, Params{Width: 4, Depth: 8, CounterBits: 32})
	a.AddString("a")
	for key := range uint64(20) { // shares a counter with a in some rows, but not in all
		b := mustNew(t, a.Params())
		b.AddDigest(b.Family().SumUint64(key))
		require.Zero(t, must(a.InnerProduct(b)))
	}
	for _, bits := range []int{32, 64} { // a full counter may stand for any count, and 2^80 does not fit
		s := mustNew(t, Params{Width: 3, Depth: 2, CounterBits: bits})
		s.AddN([]byte("a"), 1<<40)
		require.EqualValues(t, uint64(math.MaxUint64), must(s.InnerProduct(s)))
	}
}

// Sketches with the same total can have different counters. Conservative
// sketches with equal counters can have different totals: here, Halve rounds
// two counters down to 0.
func TestEqualComparesCountersAndTotals(t *testing.T) {
	for _, bits := range []int{8, 16, 32, 64} {
		a := mustNew(t, Params{Width: 100, Depth: 1, CounterBits: bits})
		b := a.Clone()
		a.AddString("a")
		b.AddString("b")
		require.False(t, a.Equal(b))
	}
	s := mustNew(t, Params{Width: 100, Depth: 1, CounterBits: 32, Conservative: true})
	empty := s.Clone()
	s.AddString("a")
	s.AddString("b")
	require.NoError(t, s.Halve())
	require.Equal(t, empty.cells(), s.cells())
	require.EqualValues(t, 1, s.Total())
	require.False(t, s.Equal(empty) || empty.Equal(s))
}

// Forged rows whose sum exceeds the total are valid after Halve.
func TestHalveKeepsForgedRowsValid(t *testing.T) {
	s := mustNew(t, Params{Width: 2, Depth: 1, CounterBits: 8, Conservative: true})
	require.NoError(t, s.UnmarshalBinary(frametest.Set(must(s.MarshalBinary()), map[int]uint64{64: 0xc8ff})))
	require.NoError(t, s.Halve())
	require.NoError(t, s.UnmarshalBinary(must(s.MarshalBinary())))
}

// A counter at its maximum does not limit how often a key can be removed, and
// is not decremented, since this could make the counts of other keys too low.
func TestRemoveIgnoresSaturatedCounters(t *testing.T) {
	machine.Matters(t)
	s := must(New(Config{Width: 100, Depth: 3}))
	s.AddN([]byte("a"), 1<<33)
	s.AddN([]byte("b"), 5)
	require.NoError(t, s.Remove([]byte("a"), 1<<33-1))
	require.Equal(t, uint64(math.MaxUint32), s.CountString("a"))
	require.EqualValues(t, 5, s.CountString("b"))
	require.EqualValues(t, 6, s.Total())
	require.ErrorContains(t, s.Remove([]byte("a"), 7), "n = 7, want at most the key's count, 6")
	require.ErrorContains(t, s.Remove([]byte("b"), 6), "n = 6, want at most the key's count, 5")
	wrong := s.Clone()
	require.NoError(t, wrong.Remove([]byte("a"), 6))
	require.ErrorContains(t, wrong.Remove([]byte("b"), 1), "n = 1, want at most the key's count, 0", "the total is 0")
	require.NoError(t, s.Remove([]byte("a"), 1))
	require.NoError(t, s.Remove([]byte("b"), 5))
	require.Zero(t, s.Total())
	require.ErrorContains(t, s.Remove([]byte("a"), 1), "n = 1, want at most the key's count, 0")
}

// The receiver can be among the others, in any place and any number of times.
func TestMergeAcceptsTheReceiver(t *testing.T) {
	for _, conservative := range []bool{false, true} {
		s := mustNew(t, Params{Width: 100, Depth: 4, CounterBits: 32, Conservative: conservative})
		other := mustNew(t, s.Params())
		s.AddString("a")
		other.AddString("b")
		for times, others := range map[uint64][]*Sketch{2: {other, s}, 3: {s, other, s}, 4: {s, s, other, s}} {
			merged := s.Clone()
			for i := range others {
				if others[i] == s {
					others[i] = merged
				}
			}
			require.NoError(t, merged.Merge(others...))
			require.EqualValues(t, times, merged.CountString("a"))
			require.EqualValues(t, 1, merged.CountString("b"))
			require.EqualValues(t, times+1, merged.Total())
		}
	}
}

// Counters whose sum does not fit in 64 bits are forged. Without its check,
// Remove would leave rows whose sum is not the total, which is not decoded.
func TestForgedRowsAreNotChangedByRemove(t *testing.T) {
	s := mustNew(t, Params{Width: 2, Depth: 1, CounterBits: 64})
	s.of64[0] = 1 << 63
	s.of64[1] = 1 << 63
	s.total = 5
	var forged Sketch
	require.NoError(t, forged.UnmarshalBinary(must(s.MarshalBinary())))
	err := forged.Remove([]byte("a"), 3)
	requireField(t, err, hashfam.ErrParams, "sum of a row")
	require.True(t, forged.Equal(s))
	require.NoError(t, new(Sketch).UnmarshalBinary(must(forged.MarshalBinary())))
	sum := mustNew(t, s.Params())
	require.NoError(t, sum.Merge(&forged))
	requireField(t, sum.Remove([]byte("a"), 3), hashfam.ErrParams, "sum of a row")
	sum.Reset()
	sum.AddString("a")
	require.NoError(t, sum.Remove([]byte("a"), 1))
}
