package pages

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// inPages returns a directory with empty pages of this depth.
func (s *Set) inPages(depth, tail uint8) *directory {
	d := &directory{depth: depth, distinct: 1 << depth}
	for range d.distinct {
		d.pages = append(d.pages, s.newPage(depth, tail))
	}
	return d
}

// A page with two orphans splits, but the older directory has room for a single
// orphan. After this was undone, nothing has changed.
func TestAFailedDivisionIsUndone(t *testing.T) {
	for _, tail := range []uint8{1, minTail, maxTail} {
		s := small(0.1, false)
		d := &s.plots[0]
		*d = *s.inPages(1, minTail)
		d.older = s.inPages(0, tail)
		young, old := d.pages[0], d.older.pages[0]
		for partner := range uint64(2) {
			k := locus{i: 0, j: s.moves[partner+1], partner: partner + 1}
			require.True(t, s.put(young, k, young.fingerprint(k, 1), false), "an orphan knows only its page's bit")
		}
		for i := s.Buckets - 1; old.taken < s.most()-1; i-- {
			k := locus{i: i, j: i, partner: 3, address: i << 56}
			for range min(table.Slots, s.most()-1-old.taken) {
				require.True(t, s.put(old, k, old.fingerprint(k, old.tail), false))
			}
		}
		before := s.Clone()
		failed := trial{Set: s, before: s.bytes}
		require.False(t, failed.divide(d, young, 0))
		require.False(t, before.Equal(s), "one orphan has moved")
		failed.undo()
		require.True(t, before.Equal(s), "tail of %d bits", tail)
		require.Equal(t, before.SizeBytes(), s.SizeBytes())
		require.Equal(t, s.most()-1, old.taken)
	}
}

// A page splits and its orphans move, but both buckets of the new key are still
// full, and there are too few keys for a second split. The older directory is
// new, or its page gets longer tails.
func TestARefusedKeyUndoesSplits(t *testing.T) {
	for _, depth := range []uint8{1, minTail + 2} {
		s := small(0.1, false)
		d := &s.plots[0]
		*d = *s.inPages(depth, minTail)
		if depth > minTail {
			d.older = s.inPages(0, minTail)
		}
		p := d.pages[0]
		put := func(k locus, known uint8, n int) {
			for range n {
				require.True(t, s.put(p, k, p.fingerprint(k, known), false))
			}
		}
		put(locus{i: 0, j: s.moves[1], partner: 1}, depth, 2) // orphans
		k := locus{i: 5, j: 5 ^ s.moves[7], partner: 7}
		put(k, depth+minTail, 2*table.Slots)
		for i := uint64(0); uint64(p.taken) < table.Slots*s.Buckets/8; i++ {
			if p.Fingerprints(i) == [table.Slots]uint64{} {
				put(locus{i: i, j: i, partner: 3, address: i % 2 << (63 - depth)}, depth+minTail, table.Slots)
			}
		}
		before := s.Clone()
		k.address = 1 << (62 - depth) // another key in the same half
		require.Equal(t, table.ErrFull, s.insert(d, k))
		require.True(t, before.Equal(s), "depth %d", depth)
		require.Equal(t, before.SizeBytes(), s.SizeBytes())
		made := trial{Set: s}
		require.True(t, made.divide(d, p, k.address))
		require.Greater(t, len(made.changes), 1, "orphans have moved")
	}
}

// If an orphan has more known bits than its page has room for, the page gets
// longer tails, or splits if no tail is long enough.
func TestOrphansKeepTheirBits(t *testing.T) {
	const depth = 2
	for n, page := range map[uint8][2]uint8{ // its depth and tail
		depth:               {depth, minTail},
		depth + minTail:     {depth, minTail},
		depth + minTail + 1: {depth, minTail + 1},
		depth + maxTail:     {depth, maxTail},
		depth + maxTail + 1: {depth + 1, maxTail},
	} {
		s := small(0.1, false)
		d := s.inPages(depth, minTail)
		k := locus{i: 4, j: 4 ^ s.moves[1], partner: 1, address: math.MaxUint64 / 3 << (64 - n)}
		made := trial{Set: s}
		require.True(t, made.placeOrphan(d, k, n))
		p := d.page(k.address)
		require.Equal(t, page, [2]uint8{p.depth, p.tail}, "%d bits", n)
		found, ok := p.remove(k)
		require.True(t, ok)
		require.Equal(t, n, found)
	}
	s := small(0.1, false)
	made := trial{Set: s}
	require.False(t, made.placeOrphan(s.inPages(depth, minTail), locus{partner: 1, j: s.moves[1]}, depth-1), "the key does not determine its page")
}

// A directory has no more than 64 entries per page, even if someone chose the
// keys, and no page has a depth above maxDepth.
func TestDirectoriesGrowWithTheirPages(t *testing.T) {
	for _, c := range []struct {
		depth uint8
		count int
		may   bool
	}{
		{depth: 7, count: 3, may: true},
		{depth: 8, count: 3, may: false},
		{depth: maxDepth - 1, count: math.MaxInt / 2, may: math.MaxInt > math.MaxInt32},
		{depth: maxDepth, count: math.MaxInt / 2, may: false},
	} {
		d := directory{depth: c.depth, distinct: c.count}
		require.Equal(t, c.may, d.mayGrow(&page{depth: c.depth}), c)
		require.True(t, d.mayGrow(&page{depth: c.depth - 1}), "the directory does not grow")
	}
}

func TestPagesSplitIfAnEighthIsUsed(t *testing.T) {
	s := small(0.1, false)
	eighth := uint32(table.Slots * s.Buckets / 8)
	require.False(t, s.almostEmpty(&page{taken: eighth}))
	require.True(t, s.almostEmpty(&page{taken: eighth - 1}))
	p := &page{depth: 3}
	require.True(t, p.halvesHold(5))
	require.False(t, p.halvesHold(4), "orphans would have no known bits")
}
