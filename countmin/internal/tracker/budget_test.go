package tracker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The shares of a budget are part of the format: they must not depend on the
// width of an int, nor on the release of Go.
func TestABudgetIsSharedOutAlikeEverywhere(t *testing.T) {
	for _, c := range []struct {
		budget int
		tail   uint64
		heads  int
		log    uint64
	}{
		{1024, 64, 16, 24},
		{2000, 128, 16, 72},
		{16 << 10, 1024, 224, 864},
		{39_744, 2048, 672, 2384},
		{64 << 10, 4096, 864, 3408},
		{330_382_103, 1 << 24, 6_129_664, 21_454_848},
		{330_382_104, 1 << 24, 6_129_664, 21_454_848},
		{400 << 20, 3 << 23, 6_813_696, 23_854_080},
		{700 << 20, 1 << 25, 14_546_944, 50_920_448},
		{1<<30 - 1, 1 << 26, 16_775_168, 58_719_232},
	} {
		for _, g := range []Goal{{Phi: 0.001, Memory: c.budget}, {K: 7, Memory: c.budget}} {
			require.Equal(t, c.tail, g.tailWords(), "%d bytes", c.budget)
			require.Equal(t, c.heads, g.maxHeads(), "%d bytes", c.budget)
			require.Equal(t, c.log, g.logWords(c.tail), "%d bytes", c.budget)
			require.LessOrEqual(t, structBytes+4*uint64(c.heads)+8*(c.tail+c.log), uint64(c.budget))
		}
	}
}
