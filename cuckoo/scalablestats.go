package cuckoo

import (
	"iter"
	"math"
	"slices"

	"github.com/filterfam/filterfam/internal/sizing"
)

// Len returns the number of keys in s, counting copies: those added and not
// deleted. It is exact. O(1) time.
func (s *Scalable) Len() uint64 { return s.count }

// Pages returns the number of pages. O(n/4096) time for n keys.
func (s *Scalable) Pages() int {
	n := 0
	for range s.all() {
		n++
	}
	return n
}

// all yields all pages in order.
func (s *Scalable) all() iter.Seq[*page] {
	return func(yield func(*page) bool) {
		for i := range s.plots {
			for l := range s.plots[i].levels() {
				for p := range s.plots[i].level(l).all() {
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// The memory of the parts of a Scalable on a 64-bit platform.
const (
	pageHeader = 112
	plotHeader = 64
	pointer    = 8
)

// SizeBytes returns the memory of the pages and directories in bytes. The
// allocator may round each page up, by 19 % at most. O(n/4096) time for n keys.
func (s *Scalable) SizeBytes() uint64 {
	n := uint64(0)
	for i := range s.plots {
		n += plotHeader
		for l := range s.plots[i].levels() {
			d := s.plots[i].level(l)
			n += pointer * uint64(len(d.pages))
			for p := range d.all() {
				n += pageHeader + uint64(len(p.bytes))
			}
		}
	}
	return n
}

// FillRatio returns the share of slots that are taken, 0 to 1. O(n/4096) time
// for n keys.
func (s *Scalable) FillRatio() float64 {
	if len(s.plots) == 0 {
		return 1
	}
	return float64(s.count) / float64(slots*s.buckets*uint64(s.Pages()))
}

// FalsePositiveRate returns the probability that a key that is not in s is
// found, in its current state. It is exact over the families: a key of which n
// bits are known agrees with a query if it belongs to the same plot and has
// these bits, the same partner and the same pair of buckets. Copies of a key
// count as keys of their own. O(1) time.
func (s *Scalable) FalsePositiveRate() float64 {
	if len(s.plots) == 0 {
		return 1
	}
	misses := 0.0 // the logarithm of the chance that no key agrees
	for n, keys := range s.known {
		if keys > 0 {
			misses += float64(keys) * math.Log1p(-s.agreement(n))
		}
	}
	return sizing.WithDigest(-math.Expm1(misses), s.count)
}

// agreement returns the probability that a query agrees with a key of which n
// bits are known.
func (s *Scalable) agreement(n int) float64 {
	return math.Ldexp(2/(float64(s.buckets)*partners*float64(len(s.plots))), -n)
}

// Reset removes every key and gives back the memory of pages that have split.
// O(Expected) time and memory.
func (s *Scalable) Reset() {
	if s.roots == 0 {
		return
	}
	s.plots = make([]plot, s.roots)
	for i := range s.plots {
		s.plots[i].directory = s.firstPage()
	}
	s.count = 0
	clear(s.known[:])
}

// firstPage returns a directory of one page.
func (g *geometry) firstPage() directory {
	return directory{pages: []*page{g.newPage(0, g.tails[0])}, count: 1}
}

// Clone returns a copy that shares nothing with s. O(m) time.
func (s *Scalable) Clone() *Scalable {
	c := *s
	c.plots = make([]plot, len(s.plots))
	for i := range s.plots {
		c.plots[i] = s.plots[i].clone()
	}
	return &c
}

// Equal reports whether s and other have the same ScalableConfig and hold the
// same fingerprints in the same places. Filters built from the same keys in
// another order need not be equal. O(m) time.
func (s *Scalable) Equal(other *Scalable) bool {
	return other != nil && s.config == other.config && slices.EqualFunc(s.plots, other.plots, plot.equal)
}
