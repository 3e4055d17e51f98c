package bloom

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

// mostKeys is a number of keys that fit in a filter on every platform.
const mostKeys = min(1e9, sizing.MaxBits/128)

var layouts = []Layout{Classic, Partitioned, Blocked}

func TestInvalidParametersReturnAFieldError(t *testing.T) {
	for _, c := range []struct {
		field  string
		config Config
	}{
		{"Config.Capacity", Config{Capacity: 0, FPRate: 0.01}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: 0}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: 1}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: -0.5}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.NaN()}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.Inf(1)}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.Inf(-1)}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.SmallestNonzeroFloat64}},
		{"Config.FPRate", Config{Capacity: 1 << 40, FPRate: 1.0 / (1 << 24)}}, // n/2^64 exactly
		{"Config.FPRate", Config{Capacity: math.MaxUint64, FPRate: 0.999}},
		{"Config.Capacity", Config{Capacity: 1 << 60, FPRate: 0.3}},
		{"Config.Layout", Config{Capacity: 10, FPRate: 0.01, Layout: 3}},
	} {
		for _, layout := range layouts {
			if c.field != "Config.Layout" {
				c.config.Layout = layout
			}
			_, err := New(c.config)
			requireField(t, err, ErrParams, c.field)
		}
	}
	for _, c := range []struct {
		field  string
		params Params
	}{
		{"Params.Bits", Params{Bits: 0, Hashes: 7}},
		{"Params.Bits", Params{Bits: sizing.MaxBits + 1, Hashes: 7}},
		{"Params.Bits", Params{Bits: math.MaxUint64, Hashes: 7}},
		{"Params.Bits", Params{Bits: 64, Hashes: 7, Layout: Partitioned}},
		{"Params.Bits", Params{Bits: 500, Hashes: 7, Layout: Blocked}},
		{"Params.Hashes", Params{Bits: 64, Hashes: 0}},
		{"Params.Hashes", Params{Bits: 64, Hashes: -1, Layout: Partitioned}},
		{"Params.Hashes", Params{Bits: 64, Hashes: 256}},
		{"Params.Layout", Params{Bits: 64, Hashes: 7, Layout: 3}},
	} {
		_, err := NewFromParams(c.params)
		requireField(t, err, ErrParams, c.field)
	}
}

func requireField(t *testing.T, err, sentinel error, field string) {
	t.Helper()
	require.ErrorIs(t, err, sentinel)
	var fe *FieldError
	require.True(t, errors.As(err, &fe), "%v is not a FieldError", err)
	require.Equal(t, field, fe.Field, "%v", err)
	require.Contains(t, err.Error(), field)
	require.NotEmpty(t, fe.Allowed)
}

// The last value that is allowed, and the first that is not.
func TestParametersAtTheirLimits(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string // the text of the error, or empty
	}{
		{Params{Bits: sizing.MaxBits, Hashes: sizing.MaxHashes}.check(ErrParams), ""},
		{Params{Bits: sizing.MaxBits + 1, Hashes: 1}.check(ErrParams), "Params.Bits"},
		{Params{Bits: 1, Hashes: sizing.MaxHashes + 1}.check(ErrParams), "Params.Hashes"},
		{Params{Bits: 1, Hashes: 1}.check(ErrParams), ""},
		{Params{Bits: 0, Hashes: 1}.check(ErrParams), "Params.Bits"},
		{Params{Bits: 1, Hashes: 0}.check(ErrParams), "Params.Hashes"},
		{RotatingConfig{Capacity: 1, FPRate: 0.01, Generations: 255}.check(ErrParams), ""},
		{RotatingConfig{Capacity: 1, FPRate: 0.01, Generations: 256}.check(ErrParams), "RotatingConfig.Generations"},
		{ScalableConfig{Expected: 1, FPRate: 0}.check(ErrParams), "above 0 and below 1"},
		{ScalableConfig{Expected: 1, FPRate: 1}.check(ErrParams), "above 0 and below 1"},
		{ScalableConfig{Expected: 1 << 62, FPRate: 0.5}.check(ErrParams), "above Expected/2^63 = 0.5,"},
		{ScalableConfig{Expected: 1 << 62, FPRate: math.Nextafter(0.5, 1)}.check(ErrParams), ""},
	} {
		if c.want == "" {
			require.NoError(t, c.err)
			continue
		}
		require.ErrorIs(t, c.err, ErrParams)
		require.ErrorContains(t, c.err, c.want)
	}
}

// An int of WebAssembly has 64 bits, but an address has 32.
func TestAFilterBeyondTheAddressesIsAnError(t *testing.T) {
	if math.MaxInt > math.MaxInt32 && runtime.GOARCH != "wasm" {
		t.Skip("addresses have more than 32 bits")
	}
	_, err := New(Config{Capacity: 1e10, FPRate: 0.01})
	require.ErrorIs(t, err, ErrParams)
	_, err = NewFromParams(Params{Bits: 1 << 35, Hashes: 1})
	require.ErrorIs(t, err, ErrParams)
}

func TestEveryConfigMeetsItsRateWithTheBestNumberOfHashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := uint64(math.Exp(rapid.Float64Range(0, math.Log(mostKeys)).Draw(t, "ln n")))
		rate := math.Exp(rapid.Float64Range(math.Log(1e-7), math.Log(0.9)).Draw(t, "ln rate"))
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		p, err := Config{Capacity: n, FPRate: rate, Layout: layout}.Params()
		require.NoError(t, err)
		require.NoError(t, p.check(ErrParams))
		require.LessOrEqual(t, p.RateAt(n), rate)
		for _, k := range []int{p.Hashes - 1, p.Hashes + 1} {
			q := p
			q.Hashes = k
			if layout == Partitioned && k > 0 {
				q.Bits -= q.Bits % (8 * uint64(k)) // slices are multiples of 8 bits
			}
			if q.check(ErrParams) == nil {
				require.LessOrEqual(t, p.RateAt(n), q.RateAt(n)*(1+1e-9), "k = %d is better", k)
			}
		}
	})
}

func TestClassicNeedsTheTextbookBitsPerKey(t *testing.T) {
	worst := 0.0
	for n := uint64(10_000); n <= 100_000_000; n *= 10 {
		for rate := 0.03; rate > 1e-8; rate *= 0.97 {
			p, err := Config{Capacity: n, FPRate: rate}.Params()
			require.NoError(t, err)
			excess := float64(p.Bits)/float64(n)/sizing.BloomBitsPerKey(rate) - 1
			worst = max(worst, excess)
			require.Less(t, excess, 0.003, "n = %d, rate = %g", n, rate)
		}
	}
	t.Logf("worst excess over 1.4427 log2(1/rate): %.3f %%", 100*worst)
}

func TestTheTextOfALayoutIsItsName(t *testing.T) {
	for _, l := range []Layout{Classic, Partitioned, Blocked} {
		text, err := l.MarshalText()
		require.NoError(t, err)
		require.Equal(t, l.String(), string(text))
		got := Layout(7)
		require.NoError(t, got.UnmarshalText(text))
		require.Equal(t, l, got)
	}
	_, err := Layout(3).MarshalText()
	require.ErrorIs(t, err, ErrParams)
	l := Blocked
	for _, text := range []string{"", "Classic", "Layout(3)", "classic "} {
		require.ErrorIs(t, l.UnmarshalText([]byte(text)), ErrParams)
		require.Equal(t, Blocked, l)
	}
}

func TestABudgetOfMemory(t *testing.T) {
	for _, layout := range layouts {
		conformance.Budget[Params]{
			Params: func(n uint64, rate float64, bytes uint64) (Params, error) {
				return Config{Capacity: n, FPRate: rate, MemoryBytes: bytes, Layout: layout}.Params()
			},
			Neighbors: func(p Params, bytes uint64) (list []Params) {
				for k := max(1, p.Hashes-8); k <= min(p.Hashes+8, sizing.MaxHashes); k++ {
					bits := bytes / 8 * 64
					for _, whole := range []uint64{1, uint64(k), lineBits} {
						list = append(list, Params{Bits: bits - bits%whole, Hashes: k, Layout: layout})
					}
				}
				return list
			},
		}.Run(t)
	}
	_, err := Config{Capacity: 1, MemoryBytes: 1 << 20, Layout: 3}.Params()
	requireField(t, err, ErrParams, "Config.Layout")
	// Around 32 slices of 2 bits there is none better, but 16 of 4 bits are.
	p, err := Config{Capacity: 2, MemoryBytes: 8, Layout: Partitioned}.Params()
	require.NoError(t, err)
	require.Equal(t, Params{Bits: 64, Hashes: 16, Layout: Partitioned}, p)
}
