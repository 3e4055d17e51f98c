package bloom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame"
)

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
		s, err := parseScalable(frame.Header{Params: b}, hashfam.Family{})
		if !c.ok {
			require.ErrorIs(t, err, ErrCorrupt, "%+v", c)
			require.ErrorContains(t, err, "number of stages")
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, uint64(c.grown)+uint64(c.frozen), s.count)
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
		got, err := s.cut(c.words, c.n)
		if c.want == "" {
			require.NoError(t, err, c.name)
			require.EqualValues(t, c.n, len(got.list))
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
		{[]uint64{100, 100, 1 << 20}, "bits of stage 2 = 100, want at least"},
	} {
		s := Scalable{config: ScalableConfig{Expected: 32, FPRate: 0.5}, frozen: 1, stages: stages{list: make([]Filter, 1)}}
		for _, bits := range c.bits {
			s.list = append(s.list, *newFilter(Params{Bits: bits, Hashes: 1}, nil))
		}
		err := s.checkStages()
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, c.want)
		if len(c.bits) != 2 {
			s.config.MemoryBytes = 1 << 30 // changes nothing
			require.ErrorContains(t, s.checkStages(), c.want)
		}
	}
	// The last stage within a limit of memory can be as small as the one
	// before.
	s := Scalable{config: ScalableConfig{Expected: 32, FPRate: 0.5, MemoryBytes: 47}}
	for _, bits := range []uint64{100, 100} {
		s.list = append(s.list, *newFilter(Params{Bits: bits, Hashes: 1}, nil))
	}
	require.NoError(t, s.checkStages())
	s.list[1].params.Bits--
	require.ErrorContains(t, s.checkStages(), "bits of stage 1 = 99, want at least 100")
	s.list[1].params.Bits++
	s.config.MemoryBytes++ // a third stage of two words follows: this one is too small
	require.ErrorContains(t, s.checkStages(), "bits of stage 1 = 100, want at least 239")
}

// smallLastStage returns the filter in scalable-limit.bin. Its last stage uses
// what the planned sizes of the others left of MemoryBytes.
func smallLastStage() *Scalable {
	s, err := NewScalable(ScalableConfig{Expected: 20, FPRate: 0.1})
	if err != nil {
		panic(err)
	}
	for i := range 100 {
		if s.Stages() == 2 && s.stored == s.capacity() {
			s.append(newFilter(Params{Bits: 512, Hashes: 7}, make([]uint64, 8)))
			s.stored = 0
		}
		s.AddString(fmt.Sprint("key ", i))
	}
	s.config.MemoryBytes = 130
	return s
}

// Fields that no filter has, and padding that is not zero. An encoding cannot
// make the next stage much larger than what has arrived: the keys that its
// stages claim to have must fit into their bits, also those that the newest
// stage is for. A time that no clock shows would stop a window.
func TestFieldsOfEncodedStagesAreChecked(t *testing.T) {
	rotating := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.1, Generations: 2})
	timed := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.1, Span: time.Hour})
	scalable := mustScale(t, ScalableConfig{Expected: 100, FPRate: 0.01})
	rotating.AddString("a")
	scalable.AddAll(sums(scalable, 90))
	byKeys, byTime, grown := encoded(t, rotating), encoded(t, timed), encoded(t, scalable)
	small := encoded(t, &Scalable{config: scalable.config, stages: newStages(Params{Bits: 512, Hashes: 3}, 1)})
	le := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	rate, one := math.Float64bits, []byte{1}
	for i, c := range []struct {
		good   []byte
		offset int
		change []byte
	}{
		{byKeys, 24, le(0)}, {byKeys, 32, le(rate(2))}, {byKeys, 40, le(1 << 63)}, {byKeys, 48, le(0)},
		{byKeys, 64, le(6)}, {byKeys, 48, le(1 << 40)}, {byTime, 64, le(math.MaxInt64)},
		{byKeys, 24 + 35, one}, {byKeys, 24 + 39, one}, {byKeys, 128 + 63, one},
		{grown, 24, slices.Concat(le(1<<40), le(rate(0.01)), le(1<<40))}, {grown, 40, le(101)}, {grown, 40, le(1 << 40)},
		{grown, 32, le(rate(2))}, {grown, 32, le(rate(0))}, {small, 0, nil},
		{grown, 24 + 26, one}, {grown, 64 + 10, one}, {grown, 64 + 16, one}, {grown, len(grown) - 9, one},
	} {
		b := bytes.Clone(c.good)
		copy(b[c.offset:], c.change)
		conformance.Reseal(b)
		if bytes.Equal(c.good[:5], byKeys[:5]) {
			require.ErrorIs(t, new(Rotating).UnmarshalBinary(b), ErrCorrupt, "%d: %v", i, c)
		} else {
			require.ErrorIs(t, new(Scalable).UnmarshalBinary(b), ErrCorrupt, "%d: %v", i, c)
		}
	}
	for _, b := range [][]byte{byKeys, byTime} {
		require.NoError(t, new(Rotating).UnmarshalBinary(b))
	}
	require.NoError(t, new(Scalable).UnmarshalBinary(grown))
}
