package pages

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// requireWhole checks that s contains all keys of the model, counts the
// fingerprints in its pages correctly, and can be decoded.
func requireWhole(t *testing.T, s *Set, model map[hashfam.Digest]int) {
	t.Helper()
	n := uint64(0)
	for d, copies := range model {
		n += uint64(copies)
		if s.Count(d) < uint64(copies) || copies > 0 && !s.Has(d) {
			require.FailNow(t, "lost a key", "%v counts %d of %d copies", s, s.Count(d), copies)
		}
	}
	require.Equal(t, n, s.Len())
	recount := newSet(s.Geometry, 1)
	for _, p := range pagesOf(s) {
		q := *p
		q.taken = 0
		require.NoError(t, recount.takeStock(&q))
		require.Equal(t, p.taken, q.taken, "fingerprints in a page")
	}
	require.Equal(t, recount.known, s.known)
	require.Equal(t, n, recount.count)
	decoded, err := Parse(s.Geometry, 1, encodeOf(s))
	require.NoError(t, err)
	require.Equal(t, n, decoded.Len())
	require.True(t, decoded.Equal(s))
	require.Equal(t, s.SizeBytes(), decoded.SizeBytes())
	require.True(t, s.Limit == 0 || s.SizeBytes() <= s.Limit)
}

func pagesOf(s *Set) (pages []*page) {
	for d := range s.directories {
		pages = slices.AppendSeq(pages, d.all)
	}
	return pages
}

// A churn makes random changes to a Set and its exact model.
type churn struct {
	s     *Set
	model map[hashfam.Digest]int
	live  []hashfam.Digest // the key of each copy
	r     *rand.Rand
}

func newChurn(g Geometry, seed uint64) *churn {
	return &churn{New(g, 1), map[hashfam.Digest]int{}, nil, rand.New(rand.NewPCG(seed, 99))}
}

// add adds n keys. One in five is a copy.
func (c *churn) add(t *testing.T, n int) {
	for range n {
		d := c.pick()
		if err := c.s.Add(d); err != nil {
			pl, k := c.s.locate(d)
			if few := uint64(pl.page(k.bits).taken) < table.Slots*c.s.Buckets/8; !few || err == table.ErrCopies {
				require.Equal(t, table.ErrCopies, err)
				require.GreaterOrEqual(t, c.s.Count(d), uint64(8))
			}
			continue
		}
		c.model[d]++
		c.live = append(c.live, d)
		if !c.s.Has(d) {
			require.FailNow(t, "lost a key as it was added")
		}
	}
}

// pick returns a new key or, once in five calls, an existing one.
func (c *churn) pick() hashfam.Digest {
	if c.r.IntN(5) == 0 && len(c.live) > 0 {
		return c.live[c.r.IntN(len(c.live))]
	}
	return hashfam.Digest(c.r.Uint64())
}

// remove deletes n copies.
func (c *churn) remove(t *testing.T, n int) {
	for range n {
		k := c.r.IntN(len(c.live))
		d := c.live[k]
		if !c.s.Remove(d) {
			require.FailNow(t, "a key that was added could not be deleted")
		}
		c.model[d]--
		last := len(c.live) - 1
		c.live[k], c.live = c.live[last], c.live[:last]
	}
}

// No copy is lost when keys are added and deleted, pages split, and orphans
// move through two older directories. All copies can be deleted.
func TestSetIsAMultiset(t *testing.T) {
	n := 4000
	if checks.Long(t, 2, 0.1) {
		n = 100_000
	}
	for k, g := range []Geometry{
		NewGeometry(1, 0.9, false), NewGeometry(1, 0.9, true), NewGeometry(1000, 0.01, false),
		NewGeometry(100, 1e-6, false), NewGeometry(100, 1e-5, true),
	} {
		x := newChurn(g, uint64(k))
		for _, share := range []int{2, 3, 1, 10} {
			x.add(t, n)
			requireWhole(t, x.s, x.model)
			x.remove(t, len(x.live)/share)
			requireWhole(t, x.s, x.model)
		}
		x.remove(t, len(x.live))
		requireWhole(t, x.s, x.model)
		require.Zero(t, x.s.Len())
		require.Less(t, x.s.FalsePositiveRate(), 1e-15)
	}
}

// With any memory limit, no key is lost, even if a split fails after it has
// moved orphans.
func TestSetKeepsItsMemoryLimit(t *testing.T) {
	for limit := uint64(5000); limit < 100_000; limit += 1234 {
		g := NewGeometry(1, 0.9, limit%2 == 0)
		g.Limit = limit
		s, r := New(g, 1), rand.New(rand.NewPCG(1, limit))
		model := make(map[hashfam.Digest]int)
		for refused := 0; refused < 100; {
			d := hashfam.Digest(r.Uint64())
			if s.Add(d) == nil {
				model[d]++
			} else {
				refused++
			}
		}
		requireWhole(t, s, model)
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
	for len(s.plots[0].older) == 0 || s.plots[0].page(0).count(locus{}) > 0 || s.Pages() < 200 {
		if s.Add(hashfam.Digest(r.Uint64())) != nil {
			continue // a key that collides with the copies
		}
		require.GreaterOrEqual(t, s.Count(d), uint64(8))
	}
	_, k := s.locate(d)
	require.Less(t, s.plots[0].page(k.bits).count(k), 8, "copies have become orphans")
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
	model := map[hashfam.Digest]int{}
	for _, d := range in {
		model[d]++
	}
	requireWhole(t, s, model)
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
	for seed := range uint64(20) {
		c := newChurn(NewGeometry(1, 0.9, false), seed)
		for len(c.s.plots[0].older) == 0 {
			c.add(t, 100)
		}
		pl := &c.s.plots[0]
		switch seed % 4 {
		case 0:
			pl.older = nil
		case 1:
			pl.older = append(pl.older, pl.directory.clone())
		case 2:
			pl.older[0] = pl.directory.clone()
		case 3:
			pl.directory, pl.older[0] = pl.older[0], pl.directory
		}
		decoded, err := Parse(c.s.Geometry, 1, encodeOf(c.s))
		require.NoError(t, err)
		c.s = decoded
		for range 5000 {
			d := hashfam.Digest(c.r.Uint64())
			if c.s.Add(d) == nil {
				require.True(t, c.s.Has(d))
			}
			if c.r.IntN(3) == 0 {
				c.s.Remove(hashfam.Digest(c.r.Uint64()))
			}
		}
		n := uint64(0)
		for _, p := range pagesOf(c.s) {
			n += uint64(p.taken)
		}
		require.Equal(t, n, c.s.Len())
	}
}
