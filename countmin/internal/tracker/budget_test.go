package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts of a budget do not depend on the size of an int.
func TestBudgetPartsDoNotDependOnIntSize(t *testing.T) {
	for _, c := range []struct {
		budget uint64
		tail   uint64
		heads  int
		log    uint64
	}{
		{1024, 64, 16, 24},
		{1480, 96, 16, 48}, // 1.5 times 64 fits exactly
		{16 << 10, 1024, 240, 864},
		{39_744, 2048, 720, 2520},
		{330_382_104, 1 << 24, 6_130_128, 21_455_448},
		{1<<30 - 1, 1 << 26, 16_777_200, 58_720_224},
	} {
		for _, g := range []Goal{{Phi: 0.001, Memory: c.budget}, {K: 7, Memory: c.budget}} {
			require.Equal(t, c.tail, g.tailWords(), "%d bytes", c.budget)
			require.Equal(t, c.heads, g.maxHeads(), "%d bytes", c.budget)
			require.Equal(t, c.log, g.logWords(c.tail), "%d bytes", c.budget)
			require.LessOrEqual(t, structBytes+4*uint64(c.heads)+8*(c.tail+c.log), c.budget)
		}
	}
}

// Without a budget, a log should hold 8 records for each of the top k, or 4/Phi
// records. With one, these numbers are 2 and 0.15/Phi. Without a budget, a tail
// has 2 K or 1/Phi words.
func TestInitialSizesFollowFromTheGoal(t *testing.T) {
	for _, c := range []struct {
		goal Goal
		want int
		tail uint64
	}{
		{Goal{K: 1}, 256, 512},
		{Goal{K: 33}, 264, 512},
		{Goal{K: 257}, 2056, 1024},
		{Goal{K: MaxK}, min(8*MaxK, maxLog), maxTail},
		{Goal{K: 100, Memory: 1480}, 200, 96},
		{Goal{Phi: 1.0 / 512}, 2048, 512},
		{Goal{Phi: 1.0 / 1024}, 4096, 1024},
		{Goal{Phi: 1e-300}, maxLog, maxTail},
		{Goal{Phi: 0.001, Memory: 1480}, 150, 96},
	} {
		require.Equal(t, c.want, c.goal.wanted(), "%+v", c.goal)
		require.Equal(t, c.tail, c.goal.tailWords(), "%+v", c.goal)
	}
}

// A tail may be halved while it uses more than an eighth of the budget. Decode
// accepts no other sizes, and counters of 4 to 64 bits.
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
		{budget, 4096, tailShift - 1, false},
		{budget, 4096, tailMaxShift + 1, false},
		{grown, 1024, tailShift, true},
		{grown, 2048, tailShift + 1, true},
		{grown, 1024 << 4, tailMaxShift, true},
		{grown, 1024 << 5, tailMaxShift + 1, false},
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
