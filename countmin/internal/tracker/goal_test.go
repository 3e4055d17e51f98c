package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts of a budget are a tail, which has half of it at first, heads and a
// log. They do not depend on the size of an int. With a budget, the log should
// hold 7/4 K or 0.15/Phi records. Without one, it should hold 8 K or 4/Phi, and
// the tail has 2 K or 1/Phi words.
func TestSizesFollowFromTheGoal(t *testing.T) {
	for _, c := range []struct {
		goal Goal
		want int
		tail uint64
		room uint64
	}{
		{Goal{Phi: 0.001, Memory: 1024}, 150, 64, 192},
		{Goal{Phi: 0.1, Memory: 1024}, 1, 64, 192},
		{Goal{K: 100, Memory: 1480}, 175, 88, 448},
		{Goal{Phi: 0.01, Memory: 16 << 10}, 15, 1024, 7168},
		{Goal{K: 100, Memory: 16 << 10}, 175, 1024, 7168},
		{Goal{K: 200, Memory: 20_000}, 350, 1152, 9536},
		{Goal{Phi: 0.001, Memory: 1 << 30}, 150, 1 << 26, 488064192},
		{Goal{K: 1}, 256, 512, 4096},
		{Goal{K: 257}, 2056, 1024, 4096},
		{Goal{K: MaxK}, maxLog, maxTail, 4096},
		{Goal{Phi: 1.0 / 512}, 2048, 512, 4096},
		{Goal{Phi: 1.0 / 1024}, 4096, 1024, 4096},
		{Goal{Phi: 1e-300}, maxLog, maxTail, 4096},
	} {
		h := New(c.goal)
		require.Equal(t, c.want, c.goal.wanted(), "%+v", c.goal)
		require.Equal(t, c.tail, c.goal.tailWords(), "%+v", c.goal)
		require.Equal(t, c.room, h.room(), "%+v", c.goal)
		if budget := c.goal.Memory; budget > 0 {
			require.LessOrEqual(t, structBytes+8*c.tail+c.room+4*(c.room/headShare), budget)
		}
	}
}

// When a budget's tail has been halved, the log has its memory. The tail keeps
// 1/16 to 1/8 of the budget, and more only if it cannot be halved again.
func TestTheLogGetsHalfOfTheTail(t *testing.T) {
	for memory := uint64(MinMemory); memory < 1<<30; memory += 1 + memory/50 {
		h := New(Goal{Phi: 0.1, Memory: memory})
		require.Zero(t, h.tail.size%8)
		for h.canHalve(h.tail.size) {
			size, room := h.tail.size, h.room()
			h.tail.halve()
			require.Equal(t, size/2, h.tail.size)
			require.Greater(t, h.room(), room)
			require.LessOrEqual(t, structBytes+8*uint64(h.tail.size)+h.room()+4*(h.room()/headShare), memory)
		}
		require.Greater(t, 8*uint64(h.tail.size), memory/18)
		require.True(t, 8*uint64(h.tail.size) <= memory/8 || h.tail.size%4 > 0)
	}
	huge := Goal{Phi: 0.1, Memory: 1 << 34}
	require.EqualValues(t, maxLog, huge.logBytes(uint32(huge.tailWords())), "the rest of the memory is not used")
}

// Without a budget, a log has room for 4 KiB, or for up to twice its length.
// Evicting 1/16 of a full log does not change the room.
func TestRoomFollowsFromTheLength(t *testing.T) {
	g := New(Goal{Phi: 0.1})
	for length, room := range map[uint64]uint64{
		0: 4096, 1: 4096, 4096: 4096, 4097: 8192, 32768: 32768, 32769: 65536,
		maxLog - 1: maxLog, maxLog: maxLog, 2 * maxLog: maxLog,
	} {
		require.Equal(t, room, g.roomFor(length), "%d bytes", length)
	}
	for length := uint64(1); length < maxLog; length += 1 + length/100 {
		room := g.roomFor(length)
		require.Equal(t, room, g.roomFor(room))
		require.Equal(t, room, g.roomFor(room-room/evictShare))
	}
}

// Without a budget, a key must be kept if it has at least 9/10 of a heavy
// hitter's count.
func TestNineTenthsOfAHeavyHitterMustBeKept(t *testing.T) {
	require.True(t, Goal{Phi: 0.5}.mustKeep(45, 100))
	require.False(t, Goal{Phi: 0.5}.mustKeep(44, 100))
	require.False(t, Goal{Phi: 0.5, Memory: 4096}.mustKeep(100, 100))
	require.False(t, Goal{K: 1}.mustKeep(100, 100))
}
