package pages

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/internal/sizing"
)

// Len returns the number of digests in s, counting copies.
func (s *Set) Len() uint64 { return s.count }

// Pages returns the number of pages.
func (s *Set) Pages() (n int) {
	for d := range s.directories {
		n += d.count
	}
	return n
}

// directories yields all directories, of one plot after another.
func (s *Set) directories(yield func(*directory) bool) {
	for i := range s.plots {
		for l := range s.plots[i].levels() {
			if !yield(s.plots[i].level(l)) {
				return
			}
		}
	}
}

// The memory of the parts of a Set on a 64-bit platform.
const (
	pageHeader = 112
	plotHeader = 64
	pointer    = 8
)

// SizeBytes returns the memory of the pages and directories in bytes.
func (s *Set) SizeBytes() uint64 { return s.bytes }

// take takes memory for pages and directories, and reports whether there was
// enough.
func (s *Set) take(bytes uint64) bool {
	if s.Limit > 0 && s.bytes+bytes > s.Limit {
		return false
	}
	s.bytes += bytes
	return true
}

// measure returns the memory of the pages and directories in bytes.
func (s *Set) measure() uint64 {
	n := plotHeader * uint64(len(s.plots))
	for d := range s.directories {
		n += pointer * uint64(len(d.pages))
		for p := range d.all {
			n += pageHeader + uint64(len(p.Bytes()))
		}
	}
	return n
}

// FillRatio returns the share of slots that are taken, 0 to 1.
func (s *Set) FillRatio() float64 {
	return float64(s.count) / float64(table.Slots*s.Buckets*uint64(s.Pages()))
}

// FalsePositiveRate returns the probability that a digest that is not in s is
// found. A key of which n bits are known agrees with a query if it belongs to
// the same plot and has these bits, the same partner and the same pair of
// buckets.
func (s *Set) FalsePositiveRate() float64 {
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
func (s *Set) agreement(n int) float64 {
	return math.Ldexp(2/(float64(s.Buckets)*partners*float64(len(s.plots))), -n)
}

// Reset removes every key and gives back the memory of pages that have split.
func (s *Set) Reset() {
	s.plots = make([]plot, s.Roots)
	for i := range s.plots {
		s.plots[i].directory = s.firstPage()
	}
	s.count, s.bytes = 0, s.Geometry.SizeBytes()
	clear(s.known[:])
}

// Clone returns a copy that shares no memory with s but what never changes.
func (s *Set) Clone() *Set {
	c := *s
	c.plots = make([]plot, len(s.plots))
	for i := range s.plots {
		c.plots[i] = s.plots[i].clone()
	}
	return &c
}

// Equal reports whether s and other have the same fingerprints in the same
// places.
func (s *Set) Equal(other *Set) bool { return slices.EqualFunc(s.plots, other.plots, plot.equal) }
