// Package pages holds the pages of a cuckoo filter that grows (set.go). A page
// (page.go) is a table of fingerprints that splits if it is full; a directory
// (directory.go) finds the page of a key by its first bits, and a plot
// (plot.go) has the directories of one page of the start. How long fingerprints
// must be follows from its geometry (geometry.go).
package pages

import (
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/prefetch"
)

// A Set is a multiset of digests that grows page by page.
type Set struct {
	Geometry
	partners table.Partners       // of all pages
	moves    [partners + 1]uint64 // what a partner does to the number of a bucket
	plots    []plot
	count    uint64
	bytes    uint64                         // the memory of all pages and directories
	known    [maxDepth + maxTail + 1]uint64 // number of keys by known bits of their pages and tails
}

// New returns an empty Set. key hides which keys share buckets.
func New(g Geometry, key uint64) *Set {
	s := newSet(g, key)
	s.Reset()
	return s
}

// newSet returns a Set without plots. As a page has a power of two of buckets,
// the other bucket of i is i XOR a move, and the move is that of bucket 0.
func newSet(g Geometry, key uint64) *Set {
	s := &Set{Geometry: g, partners: table.NewPartners(g.shape(maxTail), key)}
	s.partners.Keep(partners + 1)
	for k := range s.moves {
		s.moves[k] = s.partners.Other(0, s.partners.Hash(uint64(k)))
	}
	return s
}

// A locus is where a key belongs in its plot: the bits that choose a page and
// become the tail, two buckets, and the partner, which chose the second one. It
// has no more fields than fit in registers.
type locus struct {
	bits    uint64
	i, j    uint64
	partner uint64
}

// locate returns the plot and the locus of a digest.
func (s *Set) locate(d hashfam.Digest) (*plot, locus) {
	p := d.Probe()
	n, tail := bits.Mul64(uint64(p), uint64(len(s.plots)))
	i, rest := bits.Mul64(uint64(p.Next()), s.Buckets)
	partner := hashfam.Reduce(rest, partners) + 1
	return &s.plots[n], locus{tail, i, i ^ s.moves[partner&partners], partner}
}

// zero panics. It is not inlined, like the one of package table.
//
//go:noinline
func zero() { table.Errs.Zero("Scalable", "NewScalable, or decode into it") }

// Made panics if s is the zero Set, which is in a zero Scalable.
func (s *Set) Made() {
	if len(s.plots) == 0 {
		zero()
	}
}

// Add records one copy of d. It returns ErrCopies if there are eight, and
// ErrFull if no room can be made, or not within the limit.
func (s *Set) Add(d hashfam.Digest) error {
	s.Made()
	return s.insert(s.locate(d))
}

// insert records one copy of a key, unless there are eight: a page that splits
// cannot part copies.
func (s *Set) insert(pl *plot, k locus) error {
	if len(pl.older) > 0 && pl.copies(k) >= 2*table.Slots {
		return table.ErrCopies
	}
	p := pl.page(k.bits)
	known := p.depth + p.tail
	if !s.put(p, k, p.fingerprint(k, known)) {
		if pl.copies(k) >= 2*table.Slots {
			return table.ErrCopies
		}
		var ok bool
		if known, ok = s.place(pl, 0, k, 0); !ok {
			return table.ErrFull
		}
	}
	s.known[known]++
	s.count++
	return nil
}

// Has reports whether d may be in s.
func (s *Set) Has(d hashfam.Digest) bool {
	s.Made()
	pl, k := s.locate(d)
	return pl.has(k)
}

// HasOrAdd reports whether d may have been in s, and adds it if not.
func (s *Set) HasOrAdd(d hashfam.Digest) (bool, error) {
	s.Made()
	pl, k := s.locate(d)
	if pl.has(k) {
		return true, nil
	}
	return false, s.insert(pl, k)
}

// Remove removes one copy of d, and reports whether there was one.
func (s *Set) Remove(d hashfam.Digest) bool {
	s.Made()
	pl, k := s.locate(d)
	known, ok := pl.remove(k)
	if ok {
		s.known[known]--
		s.count--
	}
	return ok
}

// Count returns how many copies of d there may be.
func (s *Set) Count(d hashfam.Digest) uint64 {
	s.Made()
	pl, k := s.locate(d)
	return uint64(pl.copies(k))
}

// Touch reads a byte of the buckets of digests, so that their cache misses
// overlap.
func (s *Set) Touch(digests []hashfam.Digest) {
	touched := byte(0)
	s.Made()
	for _, d := range digests {
		pl, k := s.locate(d)
		touched |= pl.page(k.bits).Touch(k.i, k.j)
	}
	prefetch.Use(uint64(touched))
}
