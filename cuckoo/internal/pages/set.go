package pages

import (
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Set is a multiset of digests that grows page by page. It divides the
// digests into plots. Each plot has its own directories, which find a digest's
// page.
type Set struct {
	Shape
	partners  table.Partners                 // for all pages
	moves     [maxPartner + 1]uint64         // the other bucket for i is i XOR moves[partner]
	plots     []directory                    // the newest directory for each range of digests; empty in the zero Set
	keys      uint64                         // the number of keys, counting copies
	bytes     uint64                         // the size of all pages and directories
	histogram [maxDepth + maxTail + 1]uint64 // the number of keys by their known bits
}

// New returns an empty Set. The secret key prevents anyone from finding keys
// that share buckets.
func New(shape Shape, key uint64) *Set {
	s := newSet(shape, key)
	s.Reset()
	return s
}

// newSet returns a Set without plots. It computes Set.moves for bucket 0 only,
// because the number of buckets in a page is a power of two, so all buckets
// have the same moves. Where moves is used, its index is masked with
// maxPartner. This does not change a partner, but saves a bounds check.
func newSet(shape Shape, key uint64) *Set {
	s := &Set{Shape: shape, partners: table.NewPartners(shape.tableShape(maxTail), key)}
	s.partners.Keep(maxPartner + 1)
	for k := range s.moves {
		s.moves[k] = s.partners.Other(0, s.partners.Hash(uint64(k)))
	}
	return s
}

// A locus describes a key in its directories. Its fields fit in registers.
type locus struct {
	address uint64 // the page's number, the tail, and further bits
	i, j    uint64 // buckets
	partner uint64 // it selects j
}

// locate returns the newest directory for a digest, and its locus.
func (s *Set) locate(d hashfam.Digest) (*directory, locus) {
	s.Made()
	p := d.Probe()
	n, address := bits.Mul64(uint64(p), uint64(len(s.plots)))
	i, low := bits.Mul64(uint64(p.Next()), s.Buckets)
	partner := hashfam.Reduce(low, maxPartner) + 1
	return &s.plots[n], locus{address, i, i ^ s.moves[partner&maxPartner], partner}
}

// zeroSet is the panic value if a Scalable without pages is used.
var zeroSet = table.Errs.Zero("Scalable", "NewScalable, or decode into it")

// Made returns s. It panics if s is zero: it has no pages.
func (s *Set) Made() *Set {
	if len(s.plots) == 0 {
		panic(zeroSet)
	}
	return s
}

// Add adds one copy of d. It returns ErrCopies if there are eight already, and
// ErrFull if it cannot make room.
func (s *Set) Add(d hashfam.Digest) error { return s.insert(s.locate(d)) }

// insert implements Add. It limits copies to eight because splits cannot
// separate copies.
func (s *Set) insert(newest *directory, k locus) error {
	if newest.older != nil && newest.copies(k) >= 2*table.Slots {
		return table.ErrCopies
	}
	p := newest.page(k.address)
	known := p.depth + p.tail
	if !s.put(p, k, p.fingerprint(k, known), false) {
		if newest.copies(k) >= 2*table.Slots {
			return table.ErrCopies
		}
		var ok bool
		known, ok = s.makeRoom(newest, k)
		if !ok {
			return table.ErrFull
		}
	}
	s.histogram[known]++
	s.keys++
	return nil
}

// Has reports whether d may be in s.
func (s *Set) Has(d hashfam.Digest) bool {
	newest, k := s.locate(d)
	return newest.has(k)
}

// HasOrAdd reports whether d may already be in s, and adds it otherwise.
func (s *Set) HasOrAdd(d hashfam.Digest) (bool, error) {
	newest, k := s.locate(d)
	if newest.has(k) {
		return true, nil
	}
	return false, s.insert(newest, k)
}

// Remove removes one copy of d and reports whether it found one.
func (s *Set) Remove(d hashfam.Digest) bool {
	newest, k := s.locate(d)
	known, ok := newest.remove(k)
	if ok {
		s.histogram[known]--
		s.keys--
	}
	return ok
}

// Count returns the number of copies of d that may be in s.
func (s *Set) Count(d hashfam.Digest) uint64 {
	newest, k := s.locate(d)
	return uint64(newest.copies(k))
}

// Touch reads a byte from the buckets of all digests, so that their cache
// misses overlap.
func (s *Set) Touch(digests []hashfam.Digest) {
	touched := byte(0)
	for _, d := range digests {
		newest, k := s.locate(d)
		touched |= newest.page(k.address).Touch(k.i, k.j)
	}
	batch.Use(uint64(touched))
}

// Len returns the number of digests in s, counting copies.
func (s *Set) Len() uint64 { return s.keys }

// Pages returns the number of pages.
func (s *Set) Pages() (n int) {
	for d := range s.directories {
		n += d.distinct
	}
	return n
}

// directories yields all directories.
func (s *Set) directories(yield func(*directory) bool) {
	for i := range s.plots {
		for d := &s.plots[i]; d != nil; d = d.older {
			if !yield(d) {
				return
			}
		}
	}
}

// SizeBytes counts these sizes on all platforms, so that a memory limit has the
// same effect everywhere. The actual sizes may differ: on 64-bit platforms, the
// struct page has 160 bytes.
const (
	pageHeader      = 112
	directoryHeader = 48
	pointer         = 8
)

// SizeBytes returns the size of the pages and directories in bytes.
func (s *Set) SizeBytes() uint64 { return s.bytes }

// reserve reserves memory and reports whether it is within the limit.
func (s *Set) reserve(bytes uint64) bool {
	if s.Limit > 0 && s.bytes+bytes > s.Limit {
		return false
	}
	s.bytes += bytes
	return true
}

// FillRatio returns the fraction of slots that are used, 0 to 1.
func (s *Set) FillRatio() float64 {
	return float64(s.keys) / float64(table.Slots*s.Buckets*uint64(s.Pages()))
}

// FalsePositiveRate returns the current false-positive rate.
func (s *Set) FalsePositiveRate() float64 {
	misses := 0.0 // the logarithm of the probability that no key matches
	for known, keys := range s.histogram {
		// A key matches a query that has the same plot, known bits, partner and
		// pair of buckets.
		match := math.Ldexp(2/(float64(s.Buckets)*maxPartner*float64(len(s.plots))), -known)
		misses += float64(keys) * math.Log1p(-match)
	}
	return sizing.WithDigest(-math.Expm1(misses), s.keys)
}

// Reset removes all keys and allocates new pages.
func (s *Set) Reset() {
	s.plots = make([]directory, s.Plots)
	for i := range s.plots {
		s.plots[i] = *s.firstPage()
	}
	s.keys = 0
	s.bytes = s.Shape.SizeBytes()
	clear(s.histogram[:])
}

// Clone returns a deep copy of s.
func (s *Set) Clone() *Set {
	c := *s
	c.plots = slices.Clone(s.plots)
	for i := range c.plots {
		c.plots[i] = *s.plots[i].clone()
	}
	return &c
}

// Equal reports whether s and other have the same fingerprints in the same
// slots.
func (s *Set) Equal(other *Set) bool {
	return slices.EqualFunc(s.plots, other.plots, func(d, e directory) bool { return d.equal(&e) })
}
