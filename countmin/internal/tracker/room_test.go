package tracker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// crowded returns a tracker whose log of 864 words is full: record i of 216
// counts 100 + i, and no count comes near a heavy hitter's. A sweep frees 54
// words.
func crowded(t *testing.T) *Tracker {
	h := New(Goal{Phi: 1, Memory: 16 << 10})
	h.want = 0 // so that the tail is not halved
	for i := range uint64(216) {
		add(&h, fmt.Sprintf("%07d", i), 100+i)
	}
	require.Equal(t, 216, h.live)
	require.EqualValues(t, 864, h.room)
	require.Zero(t, h.lacks(0))
	require.Zero(t, h.floor)
	return &h
}

// lengthFor returns the length of a key whose record has that many words, more
// than 40.
func lengthFor(words uint64) int { return 8 * int(words-recordHead-2) }

// A sweep for a short record frees a share of the log, one for a longer record
// no more than it needs. A share is 54 words: 14 records.
func TestSweepFreesAShare(t *testing.T) {
	h := crowded(t)
	for words, bar := range map[uint64]uint64{1: 113, 4: 113, 53: 113, 54: 113, 55: 113, 56: 113, 57: 114, 864: 315} {
		require.Equal(t, bar, h.bar(words), "%d words", words)
	}
	h.sweep(102) // three records, and what counts as much goes with them
	require.Equal(t, 213, h.live)
	require.EqualValues(t, 102, h.floor)
	require.EqualValues(t, 102, h.missed)
	for words, bar := range map[uint64]uint64{1: 116, 54: 116, 55: 113, 12: 116, 864: 315} {
		require.Equal(t, bar, h.bar(words), "%d words lacking %d", words, h.lacks(words))
	}
	h.sweep(103)
	require.Equal(t, 212, h.live)
	require.EqualValues(t, 103, h.estimate(hashfam.Family{}.SumString("0000003")).High)
}

// The records of a merge, or of a frame, may count no more than the floor. A
// sweep of some of these does not raise it. Here it would exceed the total, and
// what comes of a frame could not be encoded and decoded again.
func TestASweepOfRecordsBelowTheFloor(t *testing.T) {
	h := crowded(t)
	h.floor = 400
	require.EqualValues(t, 400, h.bar(4))

	var shards []*Tracker
	for i := range 2 {
		forged := New(Goal{Phi: 1, Memory: 16 << 10})
		addMany(&forged, 216*i+1, 216*i+216, 1)
		forged.total, forged.floor, forged.missed = 1, 1, 1
		decoded, err := recode(&forged)
		require.NoError(t, err)
		shards = append(shards, &decoded)
	}
	joint := Join(shards)
	require.Less(t, joint.live, 432, "it was swept")
	require.EqualValues(t, 1, joint.floor)
	_, err := recode(&joint)
	require.NoError(t, err)
}

// A record of a share of the log causes a sweep whatever it counts, and is
// admitted if it counts more than the records that had to go. A longer one that
// does not is refused, and displaces none.
func TestRecordsDisplaceSmallerCounts(t *testing.T) {
	for _, c := range []struct {
		words, count uint64
		floor        uint64 // after it
		live         int
	}{
		{54, 112, 113, 202},
		{54, 113, 113, 202},
		{54, 114, 113, 203},
		{55, 113, 0, 216},
		{55, 114, 113, 203},
		{57, 114, 0, 216},
		{57, 115, 114, 202},
		{864, 315, 0, 216},
		{864, 316, 315, 1},
		{865, 1 << 40, 0, 216},
	} {
		h := crowded(t)
		require.True(t, c.words > 40)
		key := strings.Repeat("k", lengthFor(c.words))
		require.Equal(t, c.words, recordWords(len(key)))
		h.total, h.Phi = 1<<50, 1 // so that the long one is not near
		add(h, key, c.count)
		require.Equal(t, c.floor, h.floor, "%+v", c)
		require.Equal(t, c.live, h.live, "%+v", c)
		admitted := tracked([]Tracker{*h}, hashfam.Family{}.SumString(key))
		require.Equal(t, c.floor > 0 && c.count > c.floor, admitted, "%+v", c)
		require.Equal(t, c.count, h.estimate(hashfam.Family{}.SumString(key)).High, "%+v", c)
		if !admitted {
			require.Equal(t, max(c.floor, c.count), h.missed, "%+v", c)
		}
		require.EqualValues(t, 1024, len(h.tail.words))
	}
}

// The tail gives up half of its words while the log holds less records than it
// should, and not one record later.
func TestTheTailIsHalvedUntilRecordsSuffice(t *testing.T) {
	for want, c := range map[int]struct{ tail, live int }{216: {1024, 203}, 217: {512, 217}} {
		h := crowded(t)
		h.want = want
		add(h, "another", 500)
		require.Equal(t, c.tail, len(h.tail.words), "%d wanted", want)
		require.Equal(t, c.live, h.live, "%d wanted", want)
	}
}

// A refused key of as many words that counts no more is not looked into, nor is
// a longer one; any other is. One that is longer than the room never fits.
func TestRefusalsCoverLongerKeys(t *testing.T) {
	for _, c := range []struct {
		words, now uint64
		walks      int
	}{{100, 110, 0}, {101, 110, 0}, {100, 109, 0}, {99, 110, 1}, {100, 111, 1}} {
		h := crowded(t)
		h.refuse(100, 110)
		before := h.walks
		require.False(t, h.makeRoom(c.words, c.now))
		require.Equal(t, c.walks, h.walks-before, "%+v", c)
	}
	h := crowded(t)
	h.refuse(864, 110)
	require.Equal(t, refusal{864, 110}, h.refused)
	h.refuse(865, 110)
	require.Equal(t, refusal{865, 1<<64 - 1}, h.refused)
}

// A key that counts as much as floor, which may be more than the tail's
// counters hold yet, is not admitted.
func TestAKeyHasToCountMoreThanTheFloor(t *testing.T) {
	h := New(Goal{Phi: 0.1})
	h.total, h.floor, h.missed = 100, 100, 100
	d := hashfam.Family{}.SumString("key")
	add(&h, "key", 100)
	require.Zero(t, h.live)
	require.Equal(t, Estimate{High: 100}, h.estimate(d))
	add(&h, "key", 1)
	require.Equal(t, 1, h.live)
	require.Equal(t, Estimate{Low: 1, High: 101}, h.estimate(d))
	require.EqualValues(t, 100, h.missed)
}
