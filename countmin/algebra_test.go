package countmin

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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
		for row := 0; row < len(a.narrow); row += w {
			dot := uint64(0)
			for j := range w {
				dot += uint64(a.narrow[row+j]) * uint64(b.narrow[row+j])
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

// Merging sketches at once gives what merging them in turn gives, the sketch
// itself among them too.
func TestMergingSketchesAtOnceIsMergingInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, rapid.Bool().Draw(t, "conservative"))
		p.Width *= rapid.SampledFrom([]uint64{1, 100}).Draw(t, "wider")
		s := must(NewFromParams(p))
		others := make([]*Sketch, rapid.IntRange(0, 5).Draw(t, "others"))
		for i := range others {
			if others[i] = must(NewFromParams(p)); rapid.IntRange(0, 4).Draw(t, "itself") == 0 {
				others[i] = s
			}
			for range 20 {
				others[i].AddNDigest(p.Family.SumUint64(rapid.Uint64Range(0, 50).Draw(t, "key")), 1<<rapid.IntRange(0, 62).Draw(t, "n"))
			}
		}
		turn := s.Clone()
		for _, other := range others {
			if other == s {
				other = turn
			}
			require.NoError(t, turn.Merge(other))
		}
		require.NoError(t, s.Merge(others...))
		require.True(t, turn.Equal(s))
	})
}
