package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts of a budget are a tail, heads and a log. They do not depend on the
// size of an int. Without a budget, a tail has 2 K or 1/Phi words. The log
// should hold 8 records for each of the top k, or 4/Phi records, and with a
// budget 2, or 0.15/Phi.
func TestSizesFollowFromTheGoal(t *testing.T) {
	for _, c := range []struct {
		goal  Goal
		want  int
		tail  uint64
		heads int
		log   uint64
	}{
		{Goal{Phi: 0.001, Memory: 1024}, 150, 64, 16, 24},
		{Goal{K: 100, Memory: 1480}, 200, 96, 16, 48}, // 1.5 times 64 fits exactly
		{Goal{Phi: 0.01, Memory: 16 << 10}, 15, 1024, 240, 864},
		{Goal{K: 7, Memory: 39_744}, 14, 2048, 720, 2520},
		{Goal{Phi: 0.001, Memory: 330_382_104}, 150, 1 << 24, 6_130_128, 21_455_448},
		{Goal{Phi: 0.001, Memory: 1<<30 - 1}, 150, 1 << 26, 16_777_200, 58_720_224},
		{Goal{K: 1}, 256, 512, 0, 0},
		{Goal{K: 257}, 2056, 1024, 0, 0},
		{Goal{K: MaxK}, min(8*MaxK, maxLog), maxTail, 0, 0},
		{Goal{Phi: 1.0 / 512}, 2048, 512, 0, 0},
		{Goal{Phi: 1.0 / 1024}, 4096, 1024, 0, 0},
		{Goal{Phi: 1e-300}, maxLog, maxTail, 0, 0},
	} {
		require.Equal(t, c.want, c.goal.wanted(), "%+v", c.goal)
		require.Equal(t, c.tail, c.goal.tailWords(), "%+v", c.goal)
		if budget := c.goal.Memory; budget > 0 {
			require.Equal(t, c.heads, c.goal.maxHeads(), "%d bytes", budget)
			require.Equal(t, c.log, c.goal.logWords(c.tail), "%d bytes", budget)
			require.LessOrEqual(t, structBytes+4*uint64(c.heads)+8*(c.tail+c.log), budget)
		}
	}
}

// A tail may be halved while it uses more than an eighth of the budget. Decode
// accepts no other sizes.
func TestDecoderAcceptsOnlyPossibleTails(t *testing.T) {
	budget, grown := Goal{Phi: 0.001, Memory: 64 << 10}, Goal{Phi: 1.0 / 1024}
	for words, halved := range map[uint64]bool{4096: true, 2048: true, 1028: true, 1026: false, 1024: false} {
		require.Equal(t, halved, budget.canHalve(words), "%d words", words)
		require.False(t, grown.canHalve(words))
	}
	for _, c := range []struct {
		goal         Goal
		words, shift uint64
		fits         bool
	}{
		{budget, 4096, tailShift, true},
		{budget, 2048, tailMaxShift, true},
		{budget, 1024, tailShift, true},
		{budget, 512, tailShift, false},
		{budget, 3072, tailShift, false},
		{grown, 1024, tailShift, true},
		{grown, 2048, tailShift + 1, true},
		{grown, 1024 << 4, tailMaxShift, true},
		{grown, 1024 << 5, tailMaxShift, false},
		{grown, 2048, tailShift, false},
		{grown, 512, tailShift, false},
	} {
		require.Equal(t, c.fits, c.goal.fits(c.words, c.shift), "%+v", c)
	}
}

// A count is near if it is at least 9/10 of a heavy hitter's count, which must
// be 16 or more with a budget. A top k has no such counts.
func TestNearCountsAreAtLeastNineTenths(t *testing.T) {
	for _, c := range []struct {
		goal         Goal
		count, total uint64
		near         bool
	}{
		{Goal{Phi: 0.5}, 45, 100, true},
		{Goal{Phi: 0.5}, 44, 100, false},
		{Goal{Phi: 0.5, Memory: 1024}, 45, 100, true},
		{Goal{Phi: 0.5, Memory: 1024}, 16, 32, true},
		{Goal{Phi: 0.5, Memory: 1024}, 16, 31, false},
		{Goal{K: 1, Memory: 1024}, 100, 100, false},
	} {
		require.Equal(t, c.near, c.goal.near(c.count, c.total), "%+v", c)
	}
}
