package pages

import (
	"math"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// The numbers of bits of the two parts of a fingerprint. The partner is never
// zero.
const (
	partnerBits = 5
	partners    = 1<<partnerBits - 1
	minTail     = 4
	maxTail     = 32 - partnerBits - 1
	maxDepth    = 48 // of a page: more do not fit in 2^48 bits
)

// The least and the greatest number of buckets of a page.
const (
	minPage = 128
	maxPage = 1024
)

// A Geometry holds the numbers that follow from what a Set is made for.
type Geometry struct {
	Buckets uint64 // of a page, a power of two
	Roots   uint64 // pages at the start
	Limit   uint64 // of the memory in bytes, 0 for none
	compact bool   // pages are
	tails   [maxDepth + 1]uint8
}

// spare is what a page is planned to have free, in roots of its slots.
const spare = 3.5

// NewGeometry returns the geometry for the number of keys that there is room
// for from the start, and for a rate of 1e-6 to 1. Pages are as large as
// expected allows, so that they fill evenly.
func NewGeometry(expected uint64, rate float64, compact bool) Geometry {
	g := Geometry{Buckets: minPage, compact: compact, tails: planTails(rate)}
	for g.Buckets < maxPage && g.Buckets < expected/16 {
		g.Buckets *= 2
	}
	// The numbers of keys of the pages vary by a root: few pages split early.
	s := float64(table.Slots * g.Buckets)
	g.Roots = uint64(max(1, math.Ceil(float64(expected)/s/(1-spare/math.Sqrt(s)))))
	return g
}

// shape returns the shape of the table of a page with that tail.
func (g *Geometry) shape(tail uint8) table.Shape {
	return table.Shape{Buckets: g.Buckets, Bits: partnerBits + int(tail) + 1, Sorted: g.compact, Tail: tail + 1}
}

// pageBytes returns the size of a page's table.
func (g *Geometry) pageBytes(tail uint8) uint64 { return g.shape(tail).Bytes() }

// RootBytes returns the size of the table of a page at the start.
func (g *Geometry) RootBytes() uint64 { return g.pageBytes(g.tails[0]) }

// SizeBytes returns the memory of a new Set in bytes.
func (g *Geometry) SizeBytes() uint64 {
	return g.Roots * (plotHeader + pointer + pageHeader + g.RootBytes())
}

// LeastPayload returns the size of the shortest payload.
func (g *Geometry) LeastPayload() uint64 { return g.Roots * (g.pageBytes(minTail) + wordBytes) }

// most is the number of slots that are taken before a page splits: 31 of 32.
// The last ones would take long searches.
func (g *Geometry) most() uint32 { return uint32(table.Slots * g.Buckets / 32 * 31) }

// planTails returns for every depth the tail of the keys that are added to
// pages of that depth. A page that is full of keys with tails of t bits has a
// rate of at most
//
//	p(t) = 8 / (31 * 2^t)
//
// and a page that has split many times holds keys of all depths: as many of
// depth 0 as a full page, and half as many of each of the others, in relation
// to their rates. So the rate stays below
//
//	p(tails[0]) + p(tails[1])/2 + p(tails[2])/2 + ...
//
// The first may take two thirds of the rate, and that of depth d one of d+2
// parts of what is left.
func planTails(rate float64) (tails [maxDepth + 1]uint8) {
	left := rate
	for d := range tails {
		share, weight := left/float64(d+2), 0.5
		if d == 0 {
			share, weight = left*2/3, 1
		}
		t := minTail
		for t < maxTail && weight*tailRate(t) > share {
			t++
		}
		tails[d] = uint8(t)
		left -= weight * tailRate(t)
	}
	return tails
}

// tailRate returns the rate of a full page of keys with tails of t bits.
func tailRate(t int) float64 { return 2 * table.Slots / float64(uint64(partners)<<t) }
