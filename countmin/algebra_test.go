package countmin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// The inner product is never too low, and over 60 families, each of which
// exceeds the bound with probability at most e^-5 = 0.0067, more than 8 exceed
// it with probability below 10^-9.
func TestInnerProductIsWithinItsBound(t *testing.T) {
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
		got, err := a.InnerProduct(b)
		require.NoError(t, err)
		require.GreaterOrEqual(t, got, truth)
		least, w := uint64(math.MaxUint64), int(p.Width)
		for row := 0; row < len(a.of32); row += w {
			dot := uint64(0)
			for j := range w {
				dot += uint64(a.of32[row+j]) * uint64(b.of32[row+j])
			}
			least = min(least, dot)
		}
		require.Equal(t, least, got, "the least product of two rows")
		if float64(got) > float64(truth)+p.Epsilon()*float64(a.Total())*float64(b.Total()) {
			above++
		}
	}
	require.LessOrEqual(t, above, 8)
	big := mustNew(t, Params{Width: 3, Depth: 2, CounterBits: 64})
	big.AddN([]byte("a"), 1<<40)
	got, err := big.InnerProduct(big)
	require.NoError(t, err)
	require.EqualValues(t, uint64(math.MaxUint64), got, "2^80 does not fit")
	full := mustNew(t, Params{Width: 3, Depth: 2, CounterBits: 32})
	full.AddN([]byte("a"), 1<<40)
	got, err = full.InnerProduct(full)
	require.NoError(t, err)
	require.EqualValues(t, uint64(math.MaxUint64), got, "the count behind a full counter is unknown")
	_, err = full.InnerProduct(big)
	requireField(t, err, ErrIncompatible, "Params.CounterBits")
}

// What conservative update breaks is refused: 50 keys of which 48 would be
// counted too low are what one gets otherwise.
func TestConservativeSketchesRefuseWhatTheyCannotDo(t *testing.T) {
	s := mustNew(t, Params{Width: 10, Depth: 3, CounterBits: 32, Conservative: true})
	s.AddN([]byte("a"), 5)
	before := s.Clone()
	requireField(t, s.Remove([]byte("a"), 1), ErrParams, "Params.Conservative")
	_, err := s.InnerProduct(s)
	requireField(t, err, ErrParams, "Params.Conservative")
	require.True(t, s.Equal(before))
}

// A count is never below that of a counter of its own that stops at its maximum
// and is halved as often, and equals it if no other key is in its counters.
func TestHalvedCountsAreThoseOfHalvedCounters(t *testing.T) {
	for _, bits := range []int{8, 16, 32, 64} {
		for _, width := range []uint64{40, 5_000} {
			s := mustNew(t, Params{Width: width, Depth: 4, CounterBits: bits, Conservative: true})
			r, truth, most := rand.New(rand.NewPCG(1, uint64(bits))), map[uint64]uint64{}, most(s)
			for step := range 5_000 {
				key, n := r.Uint64N(50), r.Uint64()>>r.UintN(64)
				s.AddNDigest(s.Family().SumUint64(key), n)
				truth[key] = min(most, tracker.AddSat(truth[key], n))
				if step%20 == 0 {
					require.NoError(t, s.Halve())
					require.NoError(t, s.UnmarshalBinary(must(s.MarshalBinary())), "the rows are within the total")
					for key := range truth {
						truth[key] /= 2
					}
				}
				count := s.CountDigest(s.Family().SumUint64(key))
				require.GreaterOrEqual(t, count, truth[key])
				require.True(t, width == 40 || count == truth[key])
			}
		}
	}
}

// Rounding would break the rows of a plain sketch, and forged rows that exceed
// the total are still decoded when they are halved.
func TestHalvedRowsAreValid(t *testing.T) {
	s := mustNew(t, Params{Width: 2, Depth: 1, CounterBits: 8})
	s.AddString("a")
	before := s.Clone()
	requireField(t, s.Halve(), ErrParams, "Params.Conservative")
	require.True(t, s.Equal(before))
	s = mustNew(t, Params{Width: 2, Depth: 1, CounterBits: 8, Conservative: true})
	require.NoError(t, s.UnmarshalBinary(set(must(s.MarshalBinary()), map[int]uint64{64: 0xc8ff})))
	require.NoError(t, s.Halve())
	require.NoError(t, s.UnmarshalBinary(must(s.MarshalBinary())))
}

// Merging sketches at once gives what merging them in turn gives, the sketch
// itself among them too, with rows longer than a block.
func TestMergingSketchesAtOnceIsMergingInTurn(t *testing.T) {
	for _, conservative := range []bool{false, true} {
		for _, bits := range []int{8, 16, 32, 64} {
			p := Params{Width: 1500, Depth: 3, CounterBits: bits, Conservative: conservative}
			a, b, c := mustNew(t, p), mustNew(t, p), mustNew(t, p)
			for i := range uint64(6000) {
				[]*Sketch{a, b, c}[i%3].AddNDigest(p.Family.SumUint64(i%1000), 1<<(i%63))
			}
			turn := a.Clone()
			for _, other := range []*Sketch{b, turn, c} {
				require.NoError(t, turn.Merge(other))
			}
			require.NoError(t, a.Merge(b, a, c))
			require.True(t, turn.Equal(a))
		}
	}
}

// A counter at its maximum means that or more. So a key may be removed as often
// as it was counted, beyond the range of a counter; its count stays.
func TestMoreThanACounterHoldsCanBeRemoved(t *testing.T) {
	s := must(New(Config{Width: 100, Depth: 3}))
	s.AddN([]byte("a"), 1<<33)
	s.AddN([]byte("b"), 5)
	require.NoError(t, s.Remove([]byte("a"), 1<<33-1))
	require.Equal(t, uint64(math.MaxUint32), s.CountString("a"))
	require.EqualValues(t, 5, s.CountString("b"))
	require.EqualValues(t, 6, s.Total())
	require.ErrorContains(t, s.Remove([]byte("a"), 7), "n = 7, want at most the key's count, 6")
	require.ErrorContains(t, s.Remove([]byte("b"), 6), "n = 6, want at most the key's count, 5")
	require.NoError(t, s.Remove([]byte("a"), 1))
	require.NoError(t, s.Remove([]byte("b"), 5))
	require.Zero(t, s.Total())
	require.Error(t, s.Remove([]byte("a"), 1))
}

// A counter at its maximum has forgotten how much it held, so it is never
// decremented: the other keys in it would be counted too low.
func TestAFullCounterIsNotDecremented(t *testing.T) {
	for _, bits := range []int{8, 16, 32} {
		s := mustNew(t, Params{Width: 1, Depth: 1, CounterBits: bits})
		s.AddN([]byte("a"), most(s))
		s.AddN([]byte("b"), 100)
		require.NoError(t, s.Remove([]byte("a"), most(s)))
		require.GreaterOrEqual(t, s.CountString("b"), uint64(100))
		require.EqualValues(t, 100, s.Total())
	}
}
