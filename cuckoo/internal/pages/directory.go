package pages

import (
	"bytes"
	"math/bits"
	"slices"
)

// A directory finds the page of a key by its first depth bits. Pages of a lower
// depth are in it several times.
type directory struct {
	depth uint8
	pages []*page
	count int // distinct pages
}

// page returns the page of a key.
func (d *directory) page(bits uint64) *page { return d.pages[bits>>(64-d.depth)] }

// firstPage returns a directory of one page.
func (g *Geometry) firstPage() directory {
	return directory{pages: []*page{g.newPage(0, g.tails[0])}, count: 1}
}

// all yields the distinct pages in order.
func (d *directory) all(yield func(*page) bool) {
	for n := 0; n < len(d.pages); n += 1 << (d.depth - d.pages[n].depth) {
		if !yield(d.pages[n]) {
			return
		}
	}
}

// replace puts the page in its places: those of keys with these bits.
func (d *directory) replace(bits uint64, p *page) {
	n := uint64(1) << (d.depth - p.depth)
	first := bits >> (64 - d.depth) &^ (n - 1)
	for i := range n {
		d.pages[first+i] = p
	}
}

// slack limits the directories of keys that someone chose: 2^slack entries for
// each page.
const slack = 6

// mayGrow reports whether the page of some key may split. Pages of keys that no
// one chose split at about the same number of keys.
func (d *directory) mayGrow(p *page) bool {
	return p.depth < d.depth || p.depth < maxDepth && int(d.depth)+1 < bits.Len(uint(d.count+1))+slack
}

// halve replaces the page of a key by two.
func (d *directory) halve(key uint64, halves [2]*page) {
	depth := halves[0].depth
	if depth > d.depth {
		double := make([]*page, 0, 2*len(d.pages))
		for _, p := range d.pages {
			double = append(double, p, p)
		}
		d.depth, d.pages = depth, double
	}
	bit := uint64(1) << (64 - depth)
	d.replace(key&^bit, halves[0])
	d.replace(key|bit, halves[1])
	d.count++
}

// clone returns a copy that shares no memory with d.
func (d *directory) clone() directory {
	c := directory{depth: d.depth, pages: make([]*page, len(d.pages)), count: d.count}
	n := uint64(0)
	for p := range d.all {
		q := *p
		q.Table = p.Table.Clone()
		for range 1 << (d.depth - p.depth) {
			c.pages[n] = &q
			n++
		}
	}
	return c
}

// equal reports whether d and other have the same fingerprints in the same
// places.
func (d directory) equal(other directory) bool {
	return slices.EqualFunc(d.pages, other.pages, func(p, q *page) bool {
		return p.depth == q.depth && p.tail == q.tail && bytes.Equal(p.Bytes(), q.Bytes())
	})
}
