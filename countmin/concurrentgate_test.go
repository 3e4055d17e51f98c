package countmin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Large additions, which could add up to 2^64 in a lane, are alone. So a lane
// at rest has nothing under way, and no total falls.
func TestLargeAdditionsAreAlone(t *testing.T) {
	g := newGate()
	l := &g.lanes[0]
	for _, n := range []uint64{1, largeAddition - 1} {
		require.False(t, g.enter(l, n))
		require.True(t, g.alone.TryLock(), "%d", n)
		g.alone.Unlock()
		g.leave(l, n, false)
	}
	total := uint64(largeAddition)
	require.Equal(t, total, g.total())
	for _, n := range []uint64{largeAddition, 1 << 63, 1 << 63, math.MaxUint64} {
		total = addSat(total, n)
		require.True(t, g.enter(l, n))
		require.False(t, g.alone.TryLock(), "%d", n)
		require.True(t, g.closed.Load())
		require.Equal(t, total, g.total())
		g.leave(l, n, true)
		require.Equal(t, total, g.complete())
		require.False(t, g.closed.Load())
	}
	require.Equal(t, uint64(math.MaxUint64), g.total())
	g.debit(5)
	require.Equal(t, uint64(math.MaxUint64), g.total(), "the largest number means that or more")
}

// A removal between the count of another key, which includes it, and the total,
// which does not, is in the total of what was read. One before is not.
func TestTheTotalOfWhatWasRead(t *testing.T) {
	c := must(NewConcurrentSketch(Config{Width: 1, Depth: 1}))
	c.AddNString("a", 1)
	c.AddNString("b", 2000)
	require.NoError(t, c.RemoveN([]byte("b"), 1000))
	count := uint64(0)
	require.EqualValues(t, 1001, c.gate.totalOf(func() {
		count = c.CountString("a")
		require.NoError(t, c.RemoveN([]byte("b"), 700))
	}))
	require.EqualValues(t, 1001, count)
	require.EqualValues(t, 301, c.Total())
	require.EqualValues(t, 301, c.gate.totalOf(func() {}))
}

// A lane that is half full gets no more, so it never begins again at zero.
func TestALaneDoesNotOverflow(t *testing.T) {
	g := newGate()
	l := &g.lanes[0]
	l.begun.Store(halfLane - 1)
	l.done.Store(halfLane - 1)
	require.False(t, g.enter(l, 1))
	g.leave(l, 1, false)
	full := uint64(halfLane)
	require.True(t, g.enter(l, 3))
	g.leave(l, 3, true)
	require.Equal(t, full, l.begun.Load())
	require.Equal(t, full+3, g.complete())
	g.debit(4) // first what was counted apart
	require.Equal(t, [3]uint64{0, full - 1, full - 1}, [3]uint64{g.large.Load(), l.begun.Load(), l.done.Load()})
}
