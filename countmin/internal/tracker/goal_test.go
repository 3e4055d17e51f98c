package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts of a budget are a tail, heads and a log. They do not depend on the
// size of an int. A tail has half of a budget, or less, but at least 1/6, if the
// log needs the rest for 2 K or 0.15/Phi records. Without a budget, it has 2 K or
// 1/Phi words, and the log should hold 8 K or 4/Phi records.
func TestSizesFollowFromTheGoal(t *testing.T) {
	for _, c := range []struct {
		goal Goal
		want uint64
		tail uint64
		room uint64
	}{
		{Goal{Phi: 0.001, Memory: 1024}, 150, 20, 512},
		{Goal{Phi: 0.1, Memory: 1024}, 1, 64, 192},
		{Goal{K: 100, Memory: 1480}, 200, 30, 832},
		{Goal{Phi: 0.01, Memory: 16 << 10}, 15, 1024, 7040},
		{Goal{K: 100, Memory: 16 << 10}, 200, 416, 11328},
		{Goal{K: 200, Memory: 20_000}, 400, 416, 14592},
		{Goal{Phi: 0.001, Memory: 1 << 30}, 150, 67108864, 477218304},
		{Goal{K: 1}, 256, 512, 4096},
		{Goal{K: 257}, 2056, 1024, 4096},
		{Goal{K: MaxK}, 8 * MaxK, maxTail, 4096},
		{Goal{Phi: 1.0 / 512}, 2048, 512, 4096},
		{Goal{Phi: 1.0 / 1024}, 4096, 1024, 4096},
		{Goal{Phi: 1e-300}, maxLog, maxTail, 4096},
	} {
		require.Equal(t, c.want, c.goal.wanted(), "%+v", c.goal)
		require.Equal(t, c.tail, c.goal.tailWords(), "%+v", c.goal)
		if budget := c.goal.Memory; budget > 0 {
			require.Equal(t, c.room, c.goal.logBytes(), "%d bytes", budget)
			require.LessOrEqual(t, structBytes+8*c.tail+c.room+4*(c.room/headShare), budget)
		}
	}
}

// Without a budget, a log has room for 4 KiB, or a quarter to a half more
// than its length, rounded up, so evicting 1/16 does not change the room.
func TestRoomFollowsFromTheLength(t *testing.T) {
	g := New(Goal{Phi: 0.1})
	for length, room := range map[uint64]uint64{
		0: 4096, 1: 4096, 4096: 4096, 4097: 8192, 32768: 32768, 32769: 49152, 65536: 65536, 65537: 98304, 98304: 98304,
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

// A count is near if it is at least 9/10 of a heavy hitter's count. A top k has
// no such counts.
func TestNearCountsAreAtLeastNineTenths(t *testing.T) {
	require.True(t, Goal{Phi: 0.5}.near(45, 100))
	require.False(t, Goal{Phi: 0.5}.near(44, 100))
	require.False(t, Goal{K: 1}.near(100, 100))
}
