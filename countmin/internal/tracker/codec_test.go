package tracker

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

var errs = &fault.Maker{Package: "test"}

// encode returns the payload of t.
func encode(t *Tracker) []byte { return slices.Concat(slices.Collect(cloned(t.Payload()))...) }

// cloned yields copies of the pieces.
func cloned(p frame.Payload) frame.Payload {
	return func(yield func([]byte) bool) {
		for piece := range p {
			if !yield(slices.Clone(piece)) {
				return
			}
		}
	}
}

// decode decodes a payload.
func decode(data []byte, g Goal) (Tracker, error) {
	return Decode(frame.NewBytesReader(nil, errs), data, g, hashfam.Family{})
}

// recode encodes t and decodes the result.
func recode(t *Tracker) (Tracker, error) { return decode(encode(t), t.Goal) }

// shortestGoal has a tail of 64 words, which can be halved to 32 and 16, and
// room for 192 bytes.
var shortestGoal = Goal{Phi: 0.1, Memory: MinMemory}

// payload returns a payload for shortestGoal with the given numbers and records
// and, if missed is not 0, with counters, the first of which is missed.
func payload(total, floor, missed uint64, shift uint32, live uint64, records ...string) []byte {
	return payloadWith(payloadFields{total, floor, missed, 64, shift, live}, records...)
}

func payloadWith(f payloadFields, records ...string) []byte {
	data := frame.EncodeParams(f)
	if f.Missed > 0 {
		tail := make([]uint64, f.Words)
		tail[0] = f.Missed
		data = append(data, frame.EncodeParams(tail)...)
	}
	for _, r := range records {
		data = append(data, r...)
	}
	return append(data, make([]byte, (8-len(data)%8)%8)...)
}

// encoded returns the encoding of a record with the given length, which need
// not be the key's.
func encoded(count, guess uint64, length uint32, key string) string {
	b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, count), guess)
	return string(binary.LittleEndian.AppendUint32(b, length)) + key
}

// Every field is valid at its limit. One step beyond, the error names it.
func TestDecodeAcceptsFieldsUpToTheirLimits(t *testing.T) {
	machine.Matters(t)
	one := func(count, guess uint64, length uint32, key string) []byte {
		return payload(9, 0, 0, 2, 1, encoded(count, guess, length, key))
	}
	a, b := encoded(1, 0, 1, "a"), encoded(1, 0, 1, "b") // in the order of their digests
	if fam := (hashfam.Family{}); fam.SumString("a") > fam.SumString("b") {
		a, b = b, a
	}
	tooHigh := payload(5, 4, 4, 4, 0)
	tooHigh[fixedBytes] = 6
	for _, c := range []struct {
		data []byte
		err  string // if any
	}{
		{payload(5, 5, 5, 4, 0), ""},
		{payload(5, 4, 4, 4, 0), ""},
		{payload(5, 5, 4, 4, 0), "floor = 5, want at most missed, 4"},
		{payload(5, 4, 6, 4, 0), "missed = 6, want at most the total, 5"},
		{tooHigh, "counter = 6, want at most the total, 5"},
		{make([]byte, 32), "payload length = 32, want at least 40"},
		{payload(0, 0, 0, 1, 0), "counter width = 1, want 2 to 6"},
		{payload(0, 0, 0, 7, 0), "counter width = 7, want 2 to 6"},
		{payload(0, 0, 0, 2, 0), ""},
		{payload(0, 0, 0, 6, 0), ""},
		{payloadWith(payloadFields{Words: 32, Shift: 2}), ""},
		{payloadWith(payloadFields{Words: 16, Shift: 2}), ""},
		{payloadWith(payloadFields{Words: 8, Shift: 2}), "number of counter words = 8, want"},
		{payloadWith(payloadFields{Words: 65, Shift: 2}), "number of counter words = 65, want"},
		{payload(5, 4, 4, 4, 0)[:40+63*8], "payload length = 544, want at least 552, for the counters"},
		{payload(0, 0, 0, 2, 1), "number of records = 1, want at most what fits in 0 bytes"},
		{payload(9, 0, 0, 2, 0, a), "bytes after the records = 24, want zeros up to a multiple of 8"},
		{payload(9, 0, 0, 2, 1, a, "\x00"), ""},
		{payload(9, 0, 0, 2, 1, a, "\x01"), "bytes after the records = 3"},
		{one(9, 0, 1, "a"), ""},
		{one(10, 0, 1, "a"), "count of record 0 of 1 = 10, want 1 to the total, 9"},
		{one(0, 0, 1, "a"), "count of record 0 of 1 = 0, want 1 to the total, 9"},
		{one(1, 2, 1, "a"), "estimate of record 0 of 1 = 2, want at most the count, 1"},
		{one(1, 1, 1, "a"), "estimate of record 0 of 1 = 1, want at most the count, 1, and the tail's, 0"},
		{one(1, 0, 0, ""), ""},     // the empty key
		{one(1, 0, 4, "four"), ""}, // 24 bytes
		{one(1, 0, 5, "four"), "key length of record 0 of 1 = 5, want at most 4"},
		{one(1, 0, 1<<32-1, "four"), "key length of record 0 of 1 = 4294967295, want at most 4"},
		{one(1, 0, 160, strings.Repeat("x", 160)), ""},
		{one(1, 0, 161, strings.Repeat("x", 161)), "memory for records = 193, want at most 192"},
		{payload(9, 0, 0, 2, 2, a, b), ""},
		{payload(9, 0, 0, 2, 2, b, a), "digest of record 1 of 2"},
		{payload(9, 0, 0, 2, 2, a, a), "digest of record 1 of 2"},
	} {
		h, err := decode(c.data, shortestGoal)
		if c.err == "" {
			require.NoError(t, err)
			require.Equal(t, c.data, encode(&h))
			require.EqualValues(t, len(c.data), h.PayloadBytes())
			continue
		}
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, "test: corrupt encoding: "+c.err)
	}
}

// A decoded tracker behaves like the original, whatever the original's log once
// held: after an eviction of nearly all records, merging gives the same result.
func TestDecodedTrackerMergesLikeTheOriginal(t *testing.T) {
	h, o := New(Goal{Phi: 0.1}), New(Goal{Phi: 0.1})
	addMany(&h, 1, 421, 1)
	require.Less(t, h.live, 330, "all have the same count, so they were evicted together")
	addMany(&h, 501, 628, 3)
	addMany(&o, 501, 628, 5)
	g, err := recode(&h)
	require.NoError(t, err)
	require.True(t, g.equal(&h))
	g.Merge(&o)
	h.Merge(&o)
	require.True(t, g.equal(&h))
}

// Low does not include the estimated part of a count.
func TestLowExcludesTheGuess(t *testing.T) {
	d := hashfam.Family{}.SumString("key")
	for _, guess := range []uint64{1, 1 << 33} {
		h := New(Goal{Phi: 0.1})
		h.tail.raise(d, guess)
		h.total, h.missed = 1<<40, guess
		admit(&h, 1<<40, guess, d, "key")
		g, err := recode(&h)
		require.NoError(t, err)
		require.True(t, g.equal(&h))
		require.Equal(t, Estimate{Low: 1<<40 - guess, High: 1 << 40}, g.estimate(d))
	}
}
