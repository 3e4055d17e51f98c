package bloom

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

func encoded(t require.TestingT, f encoding.BinaryMarshaler) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// Arrays that fill whole lines are not followed by an empty piece.
func TestPiecesOfEncodingsAreNotEmpty(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Keys: 100, FPRate: 0.1, Layout: Blocked})
	for piece := range r.yield {
		require.NotEmpty(t, piece)
	}
}

// AppendFrame returns the same bytes as New, AddAll and AppendBinary, wherever
// it appends them.
func TestAppendFrame(t *testing.T) {
	for _, layout := range layouts {
		for _, n := range []uint64{0, 1, 5000} {
			c := Config{Capacity: max(n, 1), FPRate: 0.01, Layout: layout, Family: keyed}
			f, err := New(c)
			require.NoError(t, err)
			digests := sums(f, n)
			f.AddAll(digests)
			whole := encoded(t, f)
			for before := range 9 {
				want := append(bytes.Repeat([]byte{0xff}, before), whole...)
				for _, room := range []int{0, len(whole)} { // bytes after dst need not be zero
					got, err := AppendFrame(bytes.Repeat([]byte{0xff}, before+room)[:before], c, digests)
					require.NoError(t, err)
					require.Equal(t, want, got)
				}
			}
			c.Capacity = 0 // the number of digests
			got, err := AppendFrame(nil, c, digests)
			require.NoError(t, err)
			require.Equal(t, whole, got)
		}
	}
	got, err := AppendFrame([]byte("before"), Config{Capacity: 1}, nil)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.Equal(t, "before", string(got))
}

// Frames for a Config that repeats need no new plan. The remembered plan is
// never used for another Config or family.
func TestAppendFrameRemembersThePlan(t *testing.T) {
	digests := make([]hashfam.Digest, 100)
	for i := range digests {
		digests[i] = hashfam.Family{}.SumUint64(uint64(i))
	}
	configs := []Config{
		{Capacity: 100, FPRate: 0.01}, {Capacity: 101, FPRate: 0.01}, {Capacity: 100, FPRate: 0.02}, {FPRate: 0.01},
		{Capacity: 100, FPRate: 0.01, Layout: Blocked}, {Capacity: 100, MemoryBytes: 500}, {Capacity: 100, FPRate: 0.01, Family: keyed},
	}
	for range 3 {
		for _, c := range configs {
			frame, err := AppendFrame(nil, c, digests)
			require.NoError(t, err)
			c.Capacity = max(c.Capacity, 100)
			f := hashfam.Must(New(c))
			f.AddAll(digests)
			require.Equal(t, encoded(t, f), frame, "%+v", c)
		}
	}
	frame := hashfam.Must(AppendFrame(nil, configs[0], digests))
	most := 3.0
	if _, err := NewView(frame, hashfam.Family{}); errors.Is(err, errors.ErrUnsupported) {
		most++ // words are not encoded in place, but in a buffer
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		frame = hashfam.Must(AppendFrame(frame[:0], configs[0], digests))
	}), most)
}

// A frame without any bits must not make a FrameReader panic.
func TestFrameReaderRejectsEmptyArrays(t *testing.T) {
	machine.Matters(t)
	for _, bits := range []uint64{0, 1<<64 - 1} {
		h := Params{Bits: bits, Hashes: 1}.encoded().Header(hashfam.Family{}.CheckValue())
		h.Payload = 0
		found, err := NewFrameReader(hashfam.Family{}).ContainsDigest(frame.Append(nil, h, frame.Numbers([]uint64{})), 1)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.True(t, found)
	}
}

func TestStageCountsAreChecked(t *testing.T) {
	for stages, ok := range map[struct {
		grown  byte
		frozen uint32
	}]bool{
		{1, 0}: true, {64, 0}: true, {64, math.MaxInt32}: true, {0, 0}: false, {65, 0}: false, {1, math.MaxInt32 + 1}: false,
	} {
		p := frame.EncodeParams(scalableParams{Expected: 1000, FPRate: 0.01, MemoryBytes: 1, Grown: stages.grown, Frozen: stages.frozen})
		_, err := parseScalable(frame.Header{Version: 1, Params: p}, hashfam.Family{})
		require.Equal(t, ok, err == nil, "%v: %v", stages, err)
	}
}

// The table of stages has a multiple of 8 words, and the arrays follow.
func TestStageTablesAreChecked(t *testing.T) {
	partitioned := 1 + uint64(Partitioned)<<8
	for _, c := range []struct {
		name   string
		frozen int
		words  []uint64
		n      uint64
		want   string
	}{
		{"no word of the table", 0, nil, 1, "payload length = 0, want at least 64"},
		{"all words except one", 0, make([]uint64, 7), 1, "payload length = 56, want at least 64"},
		{"a table and no array", 0, []uint64{64, 1, 7: 0}, 1, "payload = too short"},
		{"a table and an array", 0, []uint64{64, 1, 15: 0}, 1, ""},
		{"an extra word", 0, []uint64{64, 1, 16: 0}, 1, "payload = too long"},
		{"the first grown stage has another layout", 0, []uint64{64, partitioned, 15: 0}, 1, "layout of stage 0 = partitioned, want classic"},
		{"bytes after the layout", 0, []uint64{64, 1 + 5<<16, 15: 0}, 1, "bytes 10 to 15 of stage 0 = 0x5, want zeros"},
		{"a frozen stage can have another layout", 1, []uint64{64, partitioned, 64, 1, 23: 0}, 2, ""},
		{"the stage after it cannot", 1, []uint64{64, 1, 64, partitioned, 23: 0}, 2, "layout of stage 1"},
	} {
		s := Scalable{config: ScalableConfig{Expected: 1, FPRate: 0.5}, frozen: c.frozen}
		requireText(t, s.readStages(c.words, c.n), c.want)
		require.True(t, c.want != "" || len(s.list) == int(c.n), c.name)
	}
}

// requireText checks that err is ErrCorrupt and contains text, or that it is
// nil if text is empty.
func requireText(t *testing.T, err error, text string) {
	t.Helper()
	if text == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	require.ErrorContains(t, err, text)
}

// 32 keys with a rate of 1/4 need 64 bits, and the next 64 keys, with a rate of
// 0.075, need 239. If MemoryBytes leaves no room for another stage, the newest
// one can be as small as the previous one.
func TestStagesAreLargeEnoughForTheirKeys(t *testing.T) {
	for _, c := range []struct {
		limit uint64
		bits  []uint64 // of an attached stage and of the others
		want  string
	}{
		{0, []uint64{1, 64}, ""},
		{0, []uint64{1, 63}, "bits of stage 1 = 63, want at least 64 for 32 keys"},
		{0, []uint64{1, 64, 240}, ""},
		{0, []uint64{1, 64, 239}, "bits of stage 2 = 239, want at least 239 for 64 keys"},
		{0, []uint64{1, 100, 100, 1 << 20}, "bits of stage 2 = 100, want at least"},
		{1 << 30, []uint64{1, 63}, "bits of stage 1 = 63, want at least 64 for 32 keys"},
		{1 << 30, []uint64{1, 100, 100, 1 << 20}, "bits of stage 2 = 100, want at least"},
		{55, []uint64{1, 100, 100}, ""},
		{55, []uint64{1, 100, 99}, "bits of stage 2 = 99, want at least 100"},
		{56, []uint64{1, 100, 100}, "bits of stage 2 = 100, want at least 239"}, // another stage would fit
	} {
		s := Scalable{config: ScalableConfig{Expected: 32, FPRate: 0.5, MemoryBytes: c.limit}, frozen: 1}
		for _, bits := range c.bits {
			s.append(newFilter(Params{Bits: bits, Hashes: 1}, nil))
		}
		requireText(t, s.checkStages(), c.want)
	}
}

// smallLastStage returns the filter in scalable-limit.bin. Its last stage uses
// the memory that the planned sizes of the others left.
func smallLastStage() conformance.Encoded {
	s, err := NewScalable(ScalableConfig{Expected: 20, FPRate: 0.1})
	if err != nil {
		panic(err)
	}
	for i := range 100 {
		if len(s.list) == 2 && s.stored == s.capacity() {
			s.append(newFilter(Params{Bits: 512, Hashes: 7}, make([]uint64, 8)))
			s.stored = 0
		}
		s.AddString(fmt.Sprint("key ", i))
	}
	s.config.MemoryBytes = 130
	return s
}

// Decoders reject fields that no filter has, and padding that is not zero. If
// the bits after the last one could be set, filters with the same keys could
// differ. The keys that the stages claim to contain must fit into their bits,
// so that an encoding cannot make the next stage much larger than the bytes
// that arrived. An impossible time would stop a window.
func TestFieldsOfEncodingsAreChecked(t *testing.T) {
	rotating := mustRotate(t, RotatingConfig{Keys: 10, FPRate: 0.1, Parts: 2})
	scalable := mustScale(t, ScalableConfig{Expected: 100, FPRate: 0.01})
	rotating.AddString("a")
	scalable.AddAll(sums(scalable, 90))
	plain, byKeys, grown := encoded(t, mustNew(t, Params{Bits: 1000, Hashes: 7})), encoded(t, rotating), encoded(t, scalable)
	byTime := encoded(t, mustRotate(t, RotatingConfig{Keys: 10, FPRate: 0.1, Span: time.Hour, Parts: 4}))
	small := encoded(t, &Scalable{config: scalable.config, stages: newStages(Params{Bits: 512, Hashes: 3}, 1)})
	le := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	rate, one := math.Float64bits, []byte{1}
	type changes []struct {
		good   []byte
		offset int
		change []byte
	}
	for receiver, list := range map[encoding.BinaryUnmarshaler]changes{
		new(Filter): {{plain, 64 + 125, one}, {plain, 64 + 127, []byte{128}}},
		new(Rotating): {
			{byKeys, 24, le(0)}, {byKeys, 32, le(rate(2))}, {byKeys, 40, le(1 << 63)}, {byKeys, 48, le(0)},
			{byKeys, 64, le(6)}, {byKeys, 48, le(1 << 40)}, {byTime, 64, le(math.MaxInt64)},
			{byKeys, 24 + 35, one}, {byKeys, 24 + 39, one}, {byKeys, 128 + 63, one},
		},
		new(Scalable): {
			{grown, 24, slices.Concat(le(1<<40), le(rate(0.01)), le(1<<40))}, {grown, 40, le(101)}, {grown, 40, le(1 << 40)},
			{grown, 32, le(rate(2))}, {grown, 32, le(rate(0))}, {small, 0, nil},
			{grown, 24 + 26, one}, {grown, 64 + 10, one}, {grown, 64 + 16, one}, {grown, len(grown) - 9, one},
		},
	} {
		for _, c := range list {
			b := bytes.Clone(c.good)
			copy(b[c.offset:], c.change)
			require.ErrorIs(t, receiver.UnmarshalBinary(frametest.Seal(b)), hashfam.ErrCorrupt, "%T: %d, %x", receiver, c.offset, c.change)
		}
	}
}
