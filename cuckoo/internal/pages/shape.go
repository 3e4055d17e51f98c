package pages

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// The numbers of bits in a fingerprint's parts and in a page's number. The
// partner is 1 to maxPartner.
const (
	partnerBits = 5
	maxPartner  = 1<<partnerBits - 1
	minTail     = 4
	maxTail     = 32 - partnerBits - 1
	maxDepth    = 48 // more pages would not fit in 2^48 bits
)

// The smallest and the largest number of buckets in a page.
const (
	minPage = 128
	maxPage = 1024
)

// A Shape describes a Set: the number of plots, and the sizes of its pages and
// tails.
type Shape struct {
	Buckets uint64 // number of buckets in a page, a power of two
	Plots   uint64 // number of plots, each of which has one page in a new Set
	Limit   uint64 // memory limit in bytes, or 0
	compact bool   // whether buckets are sorted
	tails   [maxDepth + 1]uint8
}

// NewShape returns the Shape for the number of keys that a new Set has room
// for, and for a rate between 1e-6 and 1. If there are many keys, pages are
// large, so that they fill evenly.
func NewShape(expected uint64, rate float64, compact bool) Shape {
	s := Shape{Buckets: minPage, compact: compact, tails: planTails(rate)}
	for s.Buckets < maxPage && s.Buckets < expected/16 {
		s.Buckets *= 2
	}
	// The number of keys in a page of s slots has a standard deviation of about
	// sqrt(s). It is planned that 3.5*sqrt(s) slots remain free on average. A
	// page splits when fewer than s/32 are free, which happens to about 0.1% of
	// the pages if a page has the least possible number of slots, and to about
	// 6% if it has the most.
	slots := float64(table.Slots * s.Buckets)
	s.Plots = uint64(max(1, math.Ceil(float64(expected)/slots/(1-3.5/math.Sqrt(slots)))))
	return s
}

// LogBuckets returns the base-2 logarithm of the number of buckets in a page.
func (s *Shape) LogBuckets() uint8 { return uint8(bits.TrailingZeros64(s.Buckets)) }

// tableShape returns the table shape for pages with this tail length.
func (s *Shape) tableShape(tail uint8) table.Shape {
	return table.Shape{Buckets: s.Buckets, Bits: partnerBits + int(tail) + 1, Sorted: s.compact, Tail: tail + 1}
}

func (s *Shape) pageBytes(tail uint8) uint64 { return s.tableShape(tail).Bytes() }

// PageBytes returns the table size for pages in a new Set.
func (s *Shape) PageBytes() uint64 { return s.pageBytes(s.tails[0]) }

// SizeBytes returns a new Set's size in bytes.
func (s Shape) SizeBytes() uint64 {
	return s.Plots * (directoryHeader + pointer + pageHeader + s.PageBytes())
}

// most returns the number of slots that can be used until a page splits: 31 of
// 32, because filling the last slots would require long searches.
func (s *Shape) most() uint32 { return uint32(table.Slots * s.Buckets / 32 * 31) }

// planTails returns the tail length of new keys for pages of each depth. A full
// page of keys with tails of t bits has a rate of no more than
//
//	p(t) = 8 / (31 * 2^t)
//
// When a full page splits, its keys fill half of the slots in the two halves.
// Only the other half of the slots is left for new keys, whose tails have
// another length, and the same is true for each later split. Since a split does
// not change the probability that a key matches a query, the rate stays below
//
//	p(tails[0]) + p(tails[1])/2 + p(tails[2])/2 + ...
//
// The first term may use two thirds of the rate. The term of depth d may use
// 1/(d+2) of what the previous terms left.
func planTails(rate float64) (tails [maxDepth + 1]uint8) {
	left := rate
	t := minTail
	for d := range tails { // shares become smaller, so tails become longer
		share := left / float64(d+2)
		weight := 0.5
		if d == 0 {
			share = left * 2 / 3
			weight = 1
		}
		for t < maxTail && weight*tailRate(t) > share {
			t++
		}
		tails[d] = uint8(t)
		left -= weight * tailRate(t)
	}
	return tails
}

// tailRate returns p(t).
func tailRate(t int) float64 { return 2 * table.Slots / float64(uint64(maxPartner)<<t) }

// halfTail returns the tail length of the page's halves.
func (s *Shape) halfTail(p *page) uint8 { return max(p.tail, s.tails[min(p.depth+1, maxDepth)]) }
