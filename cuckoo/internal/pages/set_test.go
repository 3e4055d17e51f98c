package pages

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// requireWhole checks that s contains all keys and no others, counts the
// fingerprints in its pages correctly, and can be decoded.
func requireWhole(t *testing.T, s *Set, keys []hashfam.Digest) {
	t.Helper()
	copies, n := map[hashfam.Digest]uint64{}, uint64(len(keys))
	for _, d := range keys {
		copies[d]++
	}
	for d, n := range copies {
		if s.Count(d) < n || !s.Has(d) {
			require.FailNow(t, "lost a key", "%v counts %d of %d copies", s, s.Count(d), n)
		}
	}
	require.Equal(t, n, s.Len())
	recount := newSet(s.Shape, 1)
	for d := range s.directories {
		for p := range d.all {
			q := *p
			q.taken = 0
			require.NoError(t, recount.countKeys(&q))
			require.Equal(t, p.taken, q.taken, "fingerprints in a page")
		}
	}
	require.Equal(t, recount.histogram, s.histogram)
	require.Equal(t, n, recount.keys)
	decoded, err := Parse(s.Shape, 1, encodeOf(s))
	require.NoError(t, err)
	require.Equal(t, n, decoded.Len())
	require.True(t, decoded.Equal(s))
	require.Equal(t, s.SizeBytes(), decoded.SizeBytes())
	require.True(t, s.Limit == 0 || s.SizeBytes() <= s.Limit)
}

// addKeys adds n keys to s and to keys, which it already contains. One in five
// is a copy. It leaves out keys that are refused.
func addKeys(t *testing.T, s *Set, r *rand.Rand, keys []hashfam.Digest, n int) []hashfam.Digest {
	for range n {
		d := hashfam.Digest(r.Uint64())
		if r.IntN(5) == 0 && len(keys) > 0 {
			d = keys[r.IntN(len(keys))]
		}
		err := s.Add(d)
		if err == nil {
			keys = append(keys, d)
			continue
		}
		if err == table.ErrCopies {
			require.GreaterOrEqual(t, s.Count(d), uint64(8))
			continue
		}
		require.Equal(t, table.ErrFull, err)
		newest, k := s.locate(d)
		p := newest.page(k.address)
		require.NotContains(t, p.Fingerprints(k.i), uint64(0))
		require.NotContains(t, p.Fingerprints(k.j), uint64(0))
	}
	return keys
}

// No copy is lost when keys are added and deleted, pages split, and orphans
// move through two older directories. All copies can be deleted.
func TestSetIsAMultiset(t *testing.T) {
	n := 4000
	if checks.Long(t, 2, 0.1) {
		n = 100_000
	}
	for k, g := range []Shape{
		NewShape(1, 0.9, false), NewShape(1, 0.9, true), NewShape(1000, 0.01, false),
		NewShape(100, 1e-6, false), NewShape(100, 1e-5, true),
	} {
		s, r, keys := New(g, 1), rand.New(rand.NewPCG(uint64(k), 99)), []hashfam.Digest(nil)
		for _, share := range []int{2, 3, 1, 10, 1} {
			keys = addKeys(t, s, r, keys, n)
			requireWhole(t, s, keys)
			r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			for _, d := range keys[:len(keys)/share] {
				require.True(t, s.Remove(d))
			}
			keys = keys[len(keys)/share:]
			requireWhole(t, s, keys)
		}
		require.False(t, s.Has(0))
		require.Less(t, s.FalsePositiveRate(), 1e-15)
	}
}

// With any memory limit, no key is lost, and a refused key changes nothing,
// even if a split fails after it has moved orphans. A twin, to which only the
// accepted keys are added, therefore stays equal.
func TestSetKeepsItsMemoryLimit(t *testing.T) {
	for limit := uint64(5000); limit < 60_000; limit += 3001 {
		g := NewShape(1, 0.9, limit%2 == 0)
		g.Limit = limit
		s, twin, r, keys := New(g, 1), New(g, 1), rand.New(rand.NewPCG(1, limit)), []hashfam.Digest(nil)
		for refused := 0; refused < 100; {
			d := hashfam.Digest(r.Uint64())
			if s.Add(d) == nil {
				keys = append(keys, d)
				require.NoError(t, twin.Add(d))
				continue
			}
			refused++
			require.True(t, twin.Equal(s))
			require.Equal(t, twin.SizeBytes(), s.SizeBytes())
			require.Equal(t, twin.histogram, s.histogram)
		}
		requireWhole(t, s, keys)
	}
}

// A ninth copy is refused even if the others have become orphans.
func TestSetHoldsEightCopies(t *testing.T) {
	s := small(0.9, false)
	d := hashfam.Digest(12345)
	for range 8 {
		require.NoError(t, s.Add(d))
	}
	before := encodeOf(s)
	require.Equal(t, table.ErrCopies, s.Add(d))
	require.Equal(t, before, encodeOf(s))
	r := rand.New(rand.NewPCG(7, 8))
	for s.plots[0].older == nil || s.plots[0].page(0).copies(locus{}) > 0 || s.Pages() < 200 {
		if s.Add(hashfam.Digest(r.Uint64())) != nil {
			continue // a key that collides with the copies
		}
		require.GreaterOrEqual(t, s.Count(d), uint64(8))
	}
	_, k := s.locate(d)
	require.Less(t, s.plots[0].page(k.address).copies(k), 8, "copies have become orphans")
	require.Equal(t, table.ErrCopies, s.Add(d))
	for range 8 {
		require.True(t, s.Remove(d))
	}
}

// inverse is the inverse of hashfam's multiplier modulo 2^64.
var inverse = func() uint64 {
	m, x := uint64(hashfam.Digest(1).Probe()), uint64(1)
	for range 6 {
		x *= 2 - m*x // Newton's iteration doubles the correct bits
	}
	return x
}()

// Keys that someone chose so that splits do not separate them will be refused
// at some point. Memory use stays proportional, and no key is lost.
func TestChosenKeysCannotMakeASetHuge(t *testing.T) {
	s, r := small(0.01, false), rand.New(rand.NewPCG(9, 10))
	var in []hashfam.Digest
	for {
		d := hashfam.Digest((0xABCDEF<<40 | r.Uint64()>>24) * inverse)
		if err := s.Add(d); err != nil {
			require.Equal(t, table.ErrFull, err)
			break
		}
		in = append(in, d)
	}
	t.Logf("%d keys, %d pages, %d bytes", len(in), s.Pages(), s.SizeBytes())
	require.Greater(t, len(in), 400)
	require.Less(t, s.SizeBytes(), uint64(100_000))
	requireWhole(t, s, in)
}

// If a page is almost empty, it should not split when a few keys with many
// copies fill its buckets.
func TestCopiesDoNotSplitAnEmptyPage(t *testing.T) {
	s, r := small(0.01, false), rand.New(rand.NewPCG(12, 13))
	for err := error(nil); err != table.ErrFull; {
		for d, n := hashfam.Digest(r.Uint64()), 0; n < 8; n++ {
			if err = s.Add(d); err != nil {
				break
			}
		}
	}
	require.Less(t, s.Len(), table.Slots*s.Buckets/8)
	require.Equal(t, 1, s.Pages())
}

// Set decodes payloads that growth cannot create, and random operations on them
// do not panic.
func TestForeignDirectoriesDoNotPanic(t *testing.T) {
	for seed := range uint64(8) {
		s, r, keys := small(0.9, false), rand.New(rand.NewPCG(seed, 99)), []hashfam.Digest(nil)
		for s.plots[0].older == nil {
			keys = addKeys(t, s, r, keys, 100)
		}
		pl := &s.plots[0]
		switch seed % 4 {
		case 0:
			pl.older = nil
		case 1:
			pl.older.older = s.plots[0].clone()
			pl.older.older.older = nil
		case 2:
			older := pl.older.older
			pl.older = nil
			pl.older = pl.clone()
			pl.older.older = older
		case 3:
			pl.pages, pl.older.pages = pl.older.pages, pl.pages
			pl.depth, pl.older.depth = pl.older.depth, pl.depth
			pl.distinct, pl.older.distinct = pl.older.distinct, pl.distinct
		}
		s, err := Parse(s.Shape, 1, encodeOf(s))
		require.NoError(t, err)
		for range 5000 {
			d := hashfam.Digest(r.Uint64())
			if s.Add(d) == nil {
				require.True(t, s.Has(d))
			}
			if r.IntN(3) == 0 {
				s.Remove(hashfam.Digest(r.Uint64()))
			}
		}
		n := uint64(0)
		for d := range s.directories {
			for p := range d.all {
				n += uint64(p.taken)
			}
		}
		require.Equal(t, n, s.Len())
	}
}
