package bloom

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
	"github.com/stretchr/testify/require"
)

var layouts = []Layout{Classic, Partitioned, Blocked}

func TestInvalidParametersReturnAFieldError(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	// config returns the errors for c in all layouts.
	config := func(c Config) (list []error) {
		for c.Layout = range Blocked + 1 {
			list = append(list, errorOf(New(c)))
		}
		return list
	}
	rates := []error{}
	for _, rate := range []float64{0, 1, -0.5, nan, inf, -inf, math.SmallestNonzeroFloat64} {
		rates = append(rates, config(Config{Capacity: 10, FPRate: rate})...)
	}
	rates = append(rates, config(Config{Capacity: 1 << 40, FPRate: 1.0 / (1 << 24)})...) // n/2^64 exactly
	rates = append(rates, config(Config{Capacity: math.MaxUint64, FPRate: 0.999})...)
	params := func(bits uint64, hashes int, l Layout) error {
		return errorOf(NewFromParams(Params{Bits: bits, Hashes: hashes, Layout: l}))
	}
	words := func(bits uint64, words ...uint64) error {
		return errorOf(FromWords(Params{Bits: bits, Hashes: 7}, words))
	}
	folded := mustNew(t, Params{Bits: 1024, Hashes: 3})
	for field, list := range map[string][]error{
		"Config.Capacity": append(config(Config{FPRate: 0.01}), config(Config{Capacity: 1 << 60, FPRate: 0.3})...),
		"Config.FPRate":   rates,
		"Config.Layout":   {errorOf(New(Config{Capacity: 10, FPRate: 0.01, Layout: 3})), errorOf(Config{MemoryBytes: 99, Layout: 3}.Params())},
		"Params.Bits": {
			params(0, 7, Classic), params(sizing.MaxBits+1, 1, Classic), params(math.MaxUint64, 7, Classic),
			params(64, 7, Partitioned), params(500, 7, Blocked), errorOf(FromWords(Params{Hashes: 7}, nil)),
		},
		"Params.Hashes": {
			params(64, 0, Classic), params(64, -1, Partitioned), params(1, sizing.MaxHashes+1, Classic), errorOf(FromWords(Params{Bits: 64}, make([]uint64, 1))),
		},
		"Params.Layout":        {params(64, 7, 3)},
		"len(words)":           {words(64), words(65, 0), words(64, 0, 0), words(1<<30, 0, 0)},
		"bits beyond the last": {words(63, 1<<63), words(65, 0, 2)},
		"rate":                 {folded.FoldTo(0), folded.FoldTo(1), folded.FoldTo(-1), folded.FoldTo(nan)},
	} {
		for _, err := range list {
			requireField(t, err, hashfam.ErrParams, field)
		}
	}
	require.EqualValues(t, 1024, folded.Params().Bits)
	require.NoError(t, Params{Bits: sizing.MaxBits, Hashes: sizing.MaxHashes}.check(hashfam.ErrParams))
	require.NoError(t, Params{Bits: 1, Hashes: 1}.check(hashfam.ErrParams))
}

// SizeBytes also checks the configuration, and returns the size of a new
// filter.
func TestInvalidConfigsOfStagesReturnAFieldError(t *testing.T) {
	half := math.Nextafter(0.5, 1)
	for field, list := range map[string][]ScalableConfig{
		"": {
			{Expected: 1, FPRate: 0.5}, {Expected: 10_000, FPRate: 0.01}, {Expected: 123_456, FPRate: 0.0001, Layout: Blocked},
		},
		"ScalableConfig.Expected": {{FPRate: 0.01}, {Expected: 1 << 50, FPRate: 0.01}, {Expected: 1 << 62, FPRate: half}},
		"ScalableConfig.FPRate": {
			{Expected: 1}, {Expected: 1, FPRate: 1}, {Expected: 1, FPRate: math.NaN()}, {Expected: 1 << 62, FPRate: 0.5},
		},
		"ScalableConfig.Layout": {{Expected: 1, FPRate: 0.01, Layout: 3}},
	} {
		requireSizes(t, field, list, NewScalable)
	}
	for field, list := range map[string][]RotatingConfig{
		"":                      {{Keys: 1, FPRate: 0.5}, {Keys: 10_000, FPRate: 0.01, Parts: 7, Layout: Blocked}},
		"RotatingConfig.Keys":   {{FPRate: 0.01}, {Keys: math.MaxUint64, FPRate: 0.1}, {Keys: 1 << 50, FPRate: 0.1}},
		"RotatingConfig.FPRate": {{Keys: 1}, {Keys: 1, FPRate: 1}, {Keys: 1, FPRate: math.NaN()}},
		"RotatingConfig.Span":   {{Keys: 1, FPRate: 0.1, Span: -1}},
		"RotatingConfig.Parts":  {{Keys: 1, FPRate: 0.1, Parts: -1}, {Keys: 1, FPRate: 0.1, Parts: 256}},
		"RotatingConfig.Layout": {{Keys: 1, FPRate: 0.1, Layout: 3}},
	} {
		requireSizes(t, field, list, NewRotating)
	}
	require.NoError(t, RotatingConfig{Keys: 1, FPRate: 0.01, Parts: 255}.check(hashfam.ErrParams))
}

// requireSizes checks that create and SizeBytes return an error about a field,
// or that they agree if field is empty.
func requireSizes[C interface{ InitialBytes() (uint64, error) }, F interface{ SizeBytes() uint64 }](t *testing.T, field string, list []C, create func(C) (F, error)) {
	for _, c := range list {
		f, err := create(c)
		size, same := c.InitialBytes()
		if field == "" {
			require.NoError(t, errors.Join(err, same))
			require.Equal(t, f.SizeBytes(), size, "%v", c)
			continue
		}
		requireField(t, err, hashfam.ErrParams, field)
		require.EqualError(t, same, err.Error())
		require.Zero(t, size)
	}
}

func errorOf[T any](_ T, err error) error { return err }

func requireField(t require.TestingT, err, sentinel error, field string) {
	require.ErrorIs(t, err, sentinel)
	var fe *hashfam.FieldError
	require.True(t, errors.As(err, &fe), "%v is not a hashfam.FieldError", err)
	require.Equal(t, field, fe.Field, "%v", err)
	require.Contains(t, err.Error(), field)
	require.NotEmpty(t, fe.Allowed)
}

// In WebAssembly, an int has 64 bits, but an address has 32.
func TestFiltersBeyondTheAddressSpaceAreErrors(t *testing.T) {
	machine.Matters(t)
	if math.MaxInt > math.MaxInt32 && runtime.GOARCH != "wasm" {
		t.Skip("addresses have more than 32 bits")
	}
	require.ErrorIs(t, errorOf(New(Config{Capacity: 1e10, FPRate: 0.01})), hashfam.ErrParams)
	require.ErrorIs(t, errorOf(NewFromParams(Params{Bits: 1 << 35, Hashes: 1})), hashfam.ErrParams)
}

func TestTextOfLayouts(t *testing.T) {
	for _, l := range layouts {
		text, err := l.MarshalText()
		got := Layout(7)
		require.NoError(t, errors.Join(err, got.UnmarshalText(text)))
		require.Equal(t, l, got)
		require.Equal(t, l.String(), string(text))
	}
	require.ErrorIs(t, errorOf(Layout(3).MarshalText()), hashfam.ErrParams)
	for _, text := range []string{"", "Classic", "Layout(3)", "classic "} {
		l := Blocked
		require.ErrorIs(t, l.UnmarshalText([]byte(text)), hashfam.ErrParams)
		require.Equal(t, Blocked, l)
	}
}

// Package budget tests other memories.
func TestMemoryBudgetsAreNotALocalOptimum(t *testing.T) {
	// 32 slices of 2 bits are a local optimum, but 16 of 4 bits are better.
	p, err := Config{Capacity: 2, MemoryBytes: 8, Layout: Partitioned}.Params()
	require.NoError(t, err)
	require.Equal(t, Params{Bits: 64, Hashes: 16, Layout: Partitioned}, p)
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	checks.ZeroValues(t, "^bloom: use of a zero [A-Z].*: make it with New", new(Filter), new(Concurrent), new(View), new(Scalable), new(Rotating), FrameReader{},
		NewReceiver(keyed), NewReceiver(keyed).Clone(), NewScalableReceiver(keyed), NewRotatingReceiver(keyed))
	require.PanicsWithValue(t, "bloom: use of a zero Filter, View or Concurrent: make it with New, NewView or NewConcurrent, or decode into it",
		func() { new(Filter).AddString("key") })
	s := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.1})
	requireField(t, s.Attach(new(Filter)), hashfam.ErrIncompatible, "Params.Bits")
}
