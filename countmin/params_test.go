package countmin

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// requireField checks that err is what and names the field.
func requireField(t require.TestingT, err error, what error, field string) {
	require.ErrorIs(t, err, what)
	var fault *FieldError
	require.True(t, errors.As(err, &fault))
	require.Equal(t, field, fault.Field)
}

func TestImpossibleParametersAreTypedErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		field  string
		config Config
	}{
		{"Config", Config{}},
		{"Config", Config{CounterBits: 64}},
		{"Config.Depth", Config{Width: 10}},
		{"Config.Width", Config{Depth: 10}},
		{"Config.Depth", Config{Width: 10, Depth: -1}},
		{"Config.Depth", Config{Width: 10, Depth: 256}},
		{"Config.Width", Config{Width: math.MaxUint64, Depth: 1}},
		{"Config.Width", Config{Width: 1 << 48, Depth: 255}},
		{"Config.CounterBits", Config{Width: 10, Depth: 1, CounterBits: 16}},
		{"Config.CounterBits", Config{Epsilon: 0.1, Delta: 0.1, CounterBits: -32}},
		{"Config.Width", Config{Epsilon: 0.1, Delta: 0.1, Width: 10}},
		{"Config.Depth", Config{Epsilon: 0.1, Delta: 0.1, Depth: 10}},
		{"Config.Epsilon", Config{Delta: 0.1}},
		{"Config.Epsilon", Config{Epsilon: 1, Delta: 0.1}},
		{"Config.Epsilon", Config{Epsilon: -1, Delta: 0.1}},
		{"Config.Epsilon", Config{Epsilon: nan, Delta: 0.1}},
		{"Config.Epsilon", Config{Epsilon: inf, Delta: 0.1}},
		{"Config.Delta", Config{Epsilon: 0.1}},
		{"Config.Delta", Config{Epsilon: 0.1, Delta: 1}},
		{"Config.Delta", Config{Epsilon: 0.1, Delta: nan}},
		{"Config.Delta", Config{Epsilon: 0.1, Delta: 1e-20}},
		{"Config.Delta", Config{Epsilon: 1e-6, Delta: 1e-14}},
		{"Config.Epsilon", Config{Epsilon: math.SmallestNonzeroFloat64, Delta: 0.5}},
		{"Config.Epsilon", Config{Epsilon: 1e-18, Delta: 0.9}},
		{"Config.Epsilon", Config{Epsilon: 1e-15, Delta: 0.01}},
		{"Config.Epsilon", Config{Epsilon: 1e-15}},
		{"Config.Epsilon", Config{Epsilon: 1e-12, Delta: 0.001}},
	} {
		_, err := New(c.config)
		requireField(t, err, ErrParams, c.field)
	}
	for _, c := range []struct {
		field  string
		params Params
	}{
		{"Params.CounterBits", Params{Width: 10, Depth: 1}},
		{"Params.Width", Params{Depth: 1, CounterBits: 32}},
		{"Params.Depth", Params{Width: 10, CounterBits: 32}},
	} {
		_, err := NewFromParams(c.params)
		requireField(t, err, ErrParams, c.field)
	}
	for _, c := range []HeavyConfig{{}, {Phi: -1}, {Phi: 1.01}, {Phi: nan}, {Phi: inf}} {
		_, err := NewHeavyHitters(c)
		requireField(t, err, ErrParams, "HeavyConfig.Phi")
	}
	for _, memory := range []int{-1, 1, 1023, math.MaxInt} {
		_, err := NewHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: memory})
		requireField(t, err, ErrParams, "HeavyConfig.MemoryBytes")
		_, err = NewTopK(TopKConfig{K: 1, MemoryBytes: memory})
		requireField(t, err, ErrParams, "TopKConfig.MemoryBytes")
	}
	for _, k := range []int{0, -1, math.MaxInt} {
		_, err := NewTopK(TopKConfig{K: k})
		requireField(t, err, ErrParams, "TopKConfig.K")
	}
	for _, phi := range []float64{1, math.SmallestNonzeroFloat64} {
		h, err := NewHeavyHitters(HeavyConfig{Phi: phi})
		require.NoError(t, err)
		h.AddString("a")
		require.Equal(t, uint64(1), h.Threshold())
	}
}

// Cormode and Muthukrishnan 2005: ceil(e/epsilon) by ceil(ln 1/delta).
func TestSizesAreTheTheorems(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta float64
		width          uint64
		depth          int
	}{
		{1e-3, 1e-2, 2719, 5},
		{1e-4, 1e-2, 27183, 5},
		{1e-4, 1e-3, 27183, 7},
	} {
		p, err := Config{Epsilon: c.epsilon, Delta: c.delta}.Params()
		require.NoError(t, err)
		require.Equal(t, Params{Width: c.width, Depth: c.depth, CounterBits: 32}, p)
		require.LessOrEqual(t, p.Epsilon(), c.epsilon)
		require.LessOrEqual(t, p.Delta(), c.delta)
		s := mustNew(t, p)
		require.Equal(t, 4*c.width*uint64(c.depth), s.SizeBytes())
	}
}

func TestPrintingNeverShowsTheKey(t *testing.T) {
	fam := hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	s := must(New(Config{Epsilon: 0.1, Delta: 0.1, Family: fam}))
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: 2048, Family: fam}))
	k := must(NewTopK(TopKConfig{K: 3, Family: fam}))
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
		for _, v := range []any{s, *s, s.Params(), h, *h, h.Params(), k, *k, k.Params()} {
			text := fmt.Sprintf(verb, v)
			for _, half := range []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908} {
				require.NotContains(t, text, fmt.Sprint(half), "%s of %T", verb, v)
				require.NotContains(t, text, fmt.Sprintf("%x", half), "%s of %T", verb, v)
			}
		}
	}
}

func TestWhatIsSetAsideForTheStructuresThemselvesSuffices(t *testing.T) {
	require.LessOrEqual(t, reflect.TypeFor[HeavyHitters]().Size(), uintptr(new(HeavyHitters).SizeBytes()))
	require.LessOrEqual(t, reflect.TypeFor[TopK]().Size(), uintptr(new(TopK).SizeBytes()))
}

// An error says what to write instead.
func TestParameterErrorsSayWhatIsWanted(t *testing.T) {
	_, err := Config{}.Params()
	require.ErrorContains(t, err, "want either Epsilon and Delta or Width and Depth")
	_, err = Config{Epsilon: 1e-14, Delta: 0.5, CounterBits: 64}.Params()
	require.ErrorContains(t, err, fmt.Sprintf("Config.Epsilon = 1e-14, want at least %.3g at a depth of 1", math.E/float64(maxWidth(64, 1))))
	s := must(New(Config{Width: 10, Depth: 2}))
	require.ErrorContains(t, s.RemoveString("a"), "n = 1, want at most the key's count, 0")
}

// A size that is too large for a number is not small.
func TestSizesDoNotOverflow(t *testing.T) {
	for p, size := range map[Params]uint64{
		{Width: 3, Depth: 2, CounterBits: 32}:                24,
		{Width: 1 << 57, Depth: 2, CounterBits: 32}:          1 << 60,
		{Width: 1 << 58, Depth: 2, CounterBits: 32}:          math.MaxUint64,
		{Width: 1 << 63, Depth: 2, CounterBits: 64}:          math.MaxUint64,
		{Width: math.MaxUint64, Depth: 255, CounterBits: 64}: math.MaxUint64,
		{Width: 1, Depth: -1, CounterBits: 32}:               math.MaxUint64,
	} {
		require.Equal(t, size, p.SizeBytes(), "%v", p)
	}
}
