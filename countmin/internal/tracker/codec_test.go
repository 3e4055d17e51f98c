package tracker

import (
	"math"
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

// recode encodes t and decodes the result.
func recode(t *Tracker) (Tracker, error) {
	h := frame.Header{Kind: frame.TopK, Version: 1, Params: make([]byte, 16), Payload: 8 * t.PayloadWords()}
	r := frame.NewBytesReader(frame.Append(nil, h, frame.Words(t.PayloadWords(), t.Payload())), errs)
	words := frame.Read[uint64](r, r.Header(h.Kind, h.Version, 0).Payload/8)
	if err := r.Err(); err != nil {
		return Tracker{}, err
	}
	return Decode(r, words, t.Goal, hashfam.Family{})
}

// decodeWords decodes a payload.
func decodeWords(words []uint64, g Goal) (Tracker, error) {
	return Decode(frame.NewBytesReader(nil, errs), words, g, hashfam.Family{})
}

// shortestGoal has a tail of 64 words.
var shortestGoal = Goal{Phi: 0.1, Memory: MinMemory}

// payload returns a payload with the given total and words of records, and an
// empty tail for shortestGoal.
func payload(total, records uint64, words ...uint64) []uint64 {
	head := append([]uint64{total, 0, 0, 64 | tailShift<<32, records}, make([]uint64, 64)...)
	return append(head, words...)
}

// bytesOf returns a word that consists of the given bytes, with the first byte
// in its low bits.
func bytesOf(first byte, rest string) uint64 {
	w := uint64(first)
	for i := range len(rest) {
		w |= uint64(rest[i]) << (8 * (i + 1))
	}
	return w
}

// Every field is valid at its limit. One step beyond, the error names it.
func TestDecodeAcceptsFieldsUpToTheirLimits(t *testing.T) {
	machine.Matters(t)
	long := slices.Repeat([]uint64{bytesOf('x', "xxxxxxx")}, 32) // 256 bytes
	fewer := slices.Clone(long)
	fewer[31] >>= 8 // 255
	one := func(count, guess uint64, key ...uint64) []uint64 {
		return payload(9, 1, append([]uint64{count, guess}, key...)...)
	}
	a, b := bytesOf(1, "a"), bytesOf(1, "b") // in the order of their digests
	if fam := (hashfam.Family{}); fam.SumString("a") > fam.SumString("b") {
		a, b = b, a
	}
	head := func(total, floor, missed, counter uint64) []uint64 {
		words := payload(total, 0)
		words[1], words[2], words[headWords] = floor, missed, counter
		return words
	}
	for _, c := range []struct {
		words []uint64
		err   string // if any
	}{
		{head(5, 5, 5, 5), ""},
		{head(5, 4, 4, 0), ""},
		{head(5, 5, 4, 0), "floor = 5, want at most missed, 4"},
		{head(5, 4, 6, 0), "missed = 6, want at most the total, 5"},
		{head(5, 4, 4, 6), "counter = 6, want at most the total, 5"},
		{make([]uint64, 4), "payload length = 32, want at least 40"},
		{make([]uint64, 5), "counter width = 0, want 2 to 6"},
		{[]uint64{0, 0, 0, 64 | (tailMaxShift+1)<<32, 0}, "counter width = 7, want 2 to 6"},
		{[]uint64{0, 0, 0, 48 | tailShift<<32, 0}, "number of counter words = 48, want a size that follows from the parameters"},
		{payload(0, 0), ""},
		{payload(0, 0)[:68], "payload length = 544, want at least 552, for the counters"},
		{payload(0, 1), "length of record 0 of 1 = 0, want 3 words or more"},
		{payload(9, 1, 1, 0), "length of record 0 of 1 = 2, want 3 words or more"},
		{payload(9, 0, 1, 0, a), "number of records = 0, want more, because 3 words follow"},
		{one(9, 0, a), ""},
		{one(10, 0, a), "count of record 0 of 1 = 10, want 1 to the total, 9"},
		{one(1, 2, a), "estimate of record 0 of 1 = 2, want at most the count, 1"},
		{payload(1<<33, 1, 1<<33, maxGuess+1, a), "estimate of record 0 of 1 = 4294967296, want at most 4294967295"},
		{one(0, 0, a), "count of record 0 of 1 = 0, want 1 to the total, 9"},
		{one(1, 0, 0), ""}, // the empty key
		{one(1, 0, 7), ""}, // a key of seven zeros
		{one(1, 0, bytesOf(7, "1234567")), ""},
		{one(1, 0, bytesOf(6, "1234567")), "padding of record 0 of 1"},
		{one(1, 0, bytesOf(8, "1234567")), "key length of record 0 of 1 = 8, want at most what fits in 1 words"},
		{one(1, 0, bytesOf(8, "1234567"), '8'), ""},
		{one(1, 0, bytesOf(8, "1234567"), '8'|1<<8), "padding of record 0 of 1"},
		{one(1, 0, append([]uint64{254}, make([]uint64, 31)...)...), "memory"}, // read, but more than 1 KB
		{one(1, 0, append([]uint64{254}, make([]uint64, 30)...)...), "key length of record 0 of 1 = 254, want at most what fits in 31 words"},
		{one(1, 0, longKey), "key length of record 0 of 1 = 255, want the length in the next word"},
		{one(1, 0, append([]uint64{longKey | 1<<8, 256}, long...)...), "key length of record 0 of 1 = 511, want 255 if the length is in the next word"},
		{one(1, 0, append([]uint64{longKey, 254}, fewer...)...), "key length of record 0 of 1 = 254, want the short form below 255"},
		{one(1, 0, append([]uint64{longKey, 255}, fewer...)...), "memory"},
		{one(1, 0, append([]uint64{longKey, 255}, long...)...), "padding of record 0 of 1"},
		{one(1, 0, append([]uint64{longKey, 256}, long...)...), "memory"},
		{one(1, 0, append([]uint64{longKey, 257}, long...)...), "key length of record 0 of 1 = 257, want at most what fits in 34 words"},
		{one(1, 0, longKey, math.MaxUint64), "key length of record 0 of 1 = 18446744073709551615, want at most what fits in 2 words"},
		{payload(9, 2, 1, 0, a, 1, 0, b), ""},
		{payload(9, 2, 1, 0, b, 1, 0, a), "digest of record 1 of 2"},
		{payload(9, 2, 1, 0, a, 1, 0, a), "digest of record 1 of 2"},
		{one(1, 1, a), "estimate of record 0 of 1 = 1, want at most the tail's count, 0"},
	} {
		h, err := decodeWords(c.words, shortestGoal)
		if c.err == "" {
			require.NoError(t, err)
			require.Equal(t, c.words, slices.Collect(h.Payload()))
			require.EqualValues(t, len(c.words), h.PayloadWords())
			continue
		}
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, "test: corrupt encoding: "+c.err)
	}
}

// Records may fill a budget of 1,024 bytes exactly: 24 words, in addition to 64
// words of the tail, 16 heads and the structure.
func TestRecordsFillABudget(t *testing.T) {
	for words, ok := range map[int]bool{23: true, 24: true, 25: false} {
		h := New(shortestGoal)
		key := strings.Repeat("x", 8*words-25)
		h.log = appendRecord(nil, 1, 0, hashfam.Family{}.SumString(key), key)
		h.total = 1
		h.settle()
		require.Len(t, h.log, words)
		g, err := recode(&h)
		if !ok {
			require.ErrorContains(t, err, "memory for records and counters = 1032, want at most MemoryBytes, 1024")
			continue
		}
		require.NoError(t, err)
		require.True(t, g.equal(&h))
		add(&g, "one more", 1)
		require.LessOrEqual(t, g.sizeBytes(), uint64(1024))
	}
}

// A decoded tracker behaves like the original, whatever the original's log once
// held: after a sweep of nearly all records, merging gives the same result.
func TestDecodedTrackerMergesLikeTheOriginal(t *testing.T) {
	h, o := New(Goal{K: 3}), New(Goal{K: 3})
	addMany(&h, 1, 257, 1)
	require.Equal(t, 3, h.live, "all have the same count, so only K are kept")
	addMany(&h, 301, 428, 3)
	addMany(&o, 501, 628, 5)
	g, err := recode(&h)
	require.NoError(t, err)
	require.Equal(t, 131, g.live)
	g.Merge(&o)
	h.Merge(&o)
	require.True(t, g.equal(&h))
	addMany(&o, 701, 701, 5) // the 129th record
	g, err = recode(&o)
	require.NoError(t, err)
	require.Equal(t, o.room, g.room)
}

// Low does not include the estimated part of a count. If guess is maxGuess,
// this part may be the whole count.
func TestLowExcludesTheGuess(t *testing.T) {
	d := hashfam.Family{}.SumString("key")
	for guess, low := range map[uint64]uint64{1: 1<<40 - 1, maxGuess - 1: 1<<40 - maxGuess + 1, maxGuess: 0, maxGuess + 1: 0} {
		h := New(Goal{Phi: 0.1})
		h.raise(d, guess)
		h.log, h.total = appendRecord(nil, 1<<40, guess, d, "key"), 1<<40
		h.settle()
		g, err := recode(&h)
		require.NoError(t, err)
		require.True(t, g.equal(&h))
		require.Equal(t, Estimate{Low: low, High: 1 << 40}, g.estimate(d))
	}
}
