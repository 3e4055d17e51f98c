package bloom

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

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
