package bloom

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/conformance"
)

// A filter goes on after decoding where it was when it was encoded.
func TestADecodedRotatingGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := RotatingConfig{
			Capacity:    rapid.Uint64Range(1, 50).Draw(t, "capacity"),
			Generations: rapid.IntRange(1, 6).Draw(t, "generations"),
			Span:        time.Duration(rapid.Int64Range(0, 1).Draw(t, "timed")) * time.Hour,
			FPRate:      0.01,
			Layout:      rapid.SampledFrom(layouts).Draw(t, "layout"),
		}
		r := mustRotate(t, c)
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		add := func(r *Rotating, from, to uint64) {
			for i := from; i < to; i++ {
				r.Advance(now.Add(time.Duration(i) * time.Minute))
				r.AddDigest(c.Family.SumUint64(i))
			}
		}
		at := rapid.Uint64Range(0, 200).Draw(t, "at")
		add(r, 0, at)
		b, err := r.MarshalBinary()
		require.NoError(t, err)
		var decoded Rotating
		require.NoError(t, decoded.UnmarshalBinary(b))
		require.True(t, decoded.Equal(r))
		add(r, at, at+100)
		add(&decoded, at, at+100)
		require.True(t, decoded.Equal(r))
	})
}

func TestFieldsOfAnEncodedRotatingAreChecked(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.1, Generations: 2})
	r.AddString("a")
	good, err := r.MarshalBinary()
	require.NoError(t, err)
	for _, c := range []struct {
		offset int
		value  uint64
	}{{0, 0}, {8, math.Float64bits(2)}, {16, 1 << 63}, {24, 0}, {40, 6}, {24, 1 << 40}} {
		b := append([]byte{}, good...)
		binary.LittleEndian.PutUint64(b[24+c.offset:], c.value)
		conformance.Reseal(b)
		require.ErrorIs(t, new(Rotating).UnmarshalBinary(b), ErrCorrupt, "%v", c)
	}
	for _, at := range []int{24 + 35, 24 + 39, 128 + 63} { // zeros
		b := append([]byte{}, good...)
		b[at] = 1
		conformance.Reseal(b)
		require.ErrorIs(t, new(Rotating).UnmarshalBinary(b), ErrCorrupt, "byte %d", at)
	}
}

// A time that no clock shows would stop the window: no key would be forgotten.
func TestTheTimeOfAnEncodedRotatingIsPossible(t *testing.T) {
	c := RotatingConfig{Capacity: 10, FPRate: 0.1, Span: time.Hour}
	at := func(t0 time.Time) uint64 {
		r := mustRotate(t, c)
		r.Advance(t0)
		return r.ring.Word()
	}
	first, last := at(time.Time{}), at(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	unknown := uint64(1 << 63)
	good, err := mustRotate(t, c).MarshalBinary()
	require.NoError(t, err)
	for word, possible := range map[uint64]bool{
		unknown: true, first: true, last: true,
		unknown + 1: false, first - 1: false, last + 1: false, math.MaxInt64: false,
	} {
		binary.LittleEndian.PutUint64(good[24+40:], word)
		conformance.Reseal(good)
		if err := new(Rotating).UnmarshalBinary(good); possible {
			require.NoError(t, err, "%x", word)
		} else {
			require.ErrorIs(t, err, ErrCorrupt, "%x", word)
		}
	}
}
