package bloom

import (
	"encoding/binary"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing"
)

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

// FoldTo folds to a rate that is exactly the one it would have.
func TestFoldToTheExactRate(t *testing.T) {
	f, err := NewFromParams(Params{Bits: 1 << 12, Hashes: 3})
	require.NoError(t, err)
	for i := range uint64(100) {
		f.AddUint64(i)
	}
	half := f.Clone()
	require.NoError(t, half.Fold())
	require.Less(t, half.FalsePositiveRate(), 1.)
	require.NoError(t, f.FoldTo(half.FalsePositiveRate()))
	require.True(t, f.Equal(half))
}

// The numbers of stages in a header.
func TestStagesOfAHeaderAtTheirLimits(t *testing.T) {
	for _, c := range []struct {
		grown  byte
		frozen uint32
		ok     bool
	}{
		{1, 0, true}, {64, 0, true}, {64, math.MaxInt32, true},
		{0, 0, false}, {65, 0, false}, {1, math.MaxInt32 + 1, false},
	} {
		b := binary.LittleEndian.AppendUint64(nil, 1000)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(0.01))
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, byte(Classic), c.grown, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, c.frozen)
		var s Scalable
		n, err := s.parse(b)
		if !c.ok {
			require.ErrorIs(t, err, ErrCorrupt, "%+v", c)
			require.ErrorContains(t, err, "number of stages")
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, uint64(c.grown)+uint64(c.frozen), n)
	}
}

// A table of stages ends at a multiple of 8 words, and the arrays follow.
func TestTablesOfStagesAtTheirLimits(t *testing.T) {
	partitioned := 1 + uint64(Partitioned)<<8
	for _, c := range []struct {
		name   string
		frozen int
		words  []uint64
		n      uint64
		want   string
	}{
		{"no word of the table", 0, nil, 1, "payload length = 0, want at least 64"},
		{"all but one", 0, make([]uint64, 7), 1, "payload length = 56, want at least 64"},
		{"a table and no array", 0, []uint64{64, 1, 7: 0}, 1, "payload = too short"},
		{"a table and an array", 0, []uint64{64, 1, 15: 0}, 1, ""},
		{"a word too many", 0, []uint64{64, 1, 16: 0}, 1, "payload = too long"},
		{"the first grown stage has another layout", 0, []uint64{64, partitioned, 15: 0}, 1, "stage 0"},
		{"a frozen stage may have another layout", 1, []uint64{64, partitioned, 64, 1, 23: 0}, 2, ""},
		{"the stage after it may not", 1, []uint64{64, 1, 64, partitioned, 23: 0}, 2, "stage 1"},
	} {
		s := Scalable{config: ScalableConfig{Expected: 1, FPRate: 0.5}, frozen: c.frozen}
		list, err := s.cut(c.words, c.n)
		if c.want == "" {
			require.NoError(t, err, c.name)
			require.EqualValues(t, c.n, len(list))
			continue
		}
		require.ErrorIs(t, err, ErrCorrupt, c.name)
		require.ErrorContains(t, err, c.want, c.name)
	}
}

// 32 keys at a rate of 1/4 need 64 bits, and the 64 of the next stage, at a
// rate of 0.075, 239.
func TestStagesAreLargeEnoughForTheirKeys(t *testing.T) {
	for _, c := range []struct {
		bits []uint64
		want string
	}{
		{[]uint64{64}, ""},
		{[]uint64{63}, "bits of stage 1 = 63, want at least 64 for 32 keys"},
		{[]uint64{64, 240}, ""},
		{[]uint64{64, 239}, "bits of stage 2 = 239, want at least 239 for 64 keys"},
	} {
		s := Scalable{config: ScalableConfig{Expected: 32, FPRate: 0.5}, frozen: 1, stages: stages{{}}}
		for _, bits := range c.bits {
			s.stages = append(s.stages, Filter{params: Params{Bits: bits, Hashes: 1}})
		}
		err := s.checkStages()
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, c.want)
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
