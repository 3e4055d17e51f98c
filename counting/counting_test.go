package counting

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

var layouts = []Layout{Classic, Blocked}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

func TestNoKeyIsLostWhenCountersSaturate(t *testing.T) {
	for i, c := range []struct{ adds, deletes int }{{20, 15}, {17, 16}, {100, 100}, {15, 14}, {14, 13}, {14, 14},
		{20, 15}, {17, 16}, {100, 100}, {15, 14}, {14, 13}, {14, 14}} {
		f, err := New(Config{Capacity: 10_001, FPRate: 0.01, Layout: layouts[i/6]})
		require.NoError(t, err)
		for i := range uint64(10_000) {
			f.AddDigest(hashfam.Family{}.SumUint64(i))
		}
		before := f.Clone()
		for range c.adds {
			f.AddString("many times")
		}
		for range c.deletes {
			require.True(t, f.DeleteString("many times"))
		}
		left := c.adds - c.deletes
		require.True(t, left == 0 || f.ContainsString("many times"), "%d left", left)
		require.GreaterOrEqual(t, f.CountString("many times"), uint64(left))
		if c.adds < 14 { // no other key at its counters brings them to 15
			require.True(t, f.Equal(before))
		}
		if c.adds >= 15 {
			require.EqualValues(t, f.Params().Hashes, f.Stuck(), "all counters of the key are stuck")
			require.EqualValues(t, 15, f.CountString("many times"))
		}
		for i := range uint64(10_000) {
			require.True(t, f.ContainsDigest(hashfam.Family{}.SumUint64(i)), "lost %d", i)
		}
	}
}

// With one counter all k positions coincide. Each Add and each Delete counts k
// times, and Delete returns false if the counter is less than k.
func TestAKeyWhosePositionsCoincide(t *testing.T) {
	f := mustNew(t, Params{Counters: 1, Hashes: 7})
	f.AddString("a")
	require.EqualValues(t, 7, f.CountString("a"))
	f.AddString("a")
	require.EqualValues(t, 14, f.CountString("a"))
	require.True(t, f.DeleteString("a"))
	require.True(t, f.DeleteString("a"))
	require.False(t, f.DeleteString("a"))
	require.Zero(t, f.CountString("a"))

	f.counters[0] = 6
	require.False(t, f.DeleteString("a"), "one copy of the key counts 7")
	require.EqualValues(t, 6, f.counters[0])

	for range 3 {
		f.AddString("a")
	}
	require.EqualValues(t, 15, f.counters[0])
	for range 4 {
		require.True(t, f.DeleteString("a"))
	}
	require.True(t, f.ContainsString("a"))
}

// A Delete that meets a zero at any of the key's positions restores the
// counters before it.
func TestAFailedDeleteChangesNothing(t *testing.T) {
	for _, layout := range layouts {
		p := Params{Counters: 512, Hashes: 8, Layout: layout}
		d := p.Family.SumString("absent")
		for zero := range p.Hashes {
			f := mustNew(t, p)
			for i := range f.counters {
				f.counters[i] = 0xfedcba9876543211
			}
			pr := d.Probe()
			if layout == Blocked {
				pr = pr.Next() // the first value chooses the only block
			}
			for range zero {
				pr = pr.Next()
			}
			i := hashfam.Reduce(uint64(pr), p.Counters)
			f.counters[i>>4] &^= 15 << (i & 15 * 4)
			before := f.Clone()
			require.False(t, f.DeleteDigest(d))
			require.True(t, f.Equal(before), "%v, position %d", layout, zero)
		}
	}
}

// Contains uses one of two functions, depending on the size of the filter.
func TestHasNearAndHasFarAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, hashfam.Family{})
		p.Layout = Classic
		f := mustNew(t, p)
		n := uint64(rapid.IntRange(0, 50).Draw(t, "n"))
		for i := range n {
			f.AddDigest(p.Family.SumUint64(i))
		}
		for i := range 4 * n {
			d := p.Family.SumUint64(i)
			near := hasNear(f.counters, p.Counters, p.Hashes, d)
			require.Equal(t, near, hasFar(f.counters, p.Counters, p.Hashes, d))
			require.Equal(t, near, f.CountDigest(d) > 0)
			require.True(t, near || i >= n)
		}
	})
}
