package pages

import (
	"bytes"
	"math/bits"
	"slices"
)

// A directory is used to find a key's page by the key's first depth bits. Pages
// with a lower depth are in it several times.
type directory struct {
	depth uint8
	pages []*page
	count int // number of distinct pages
}

// page returns the page of a key. Two shifts by 63 or less need no comparison.
func (d *directory) page(bits uint64) *page { return d.pages[bits>>1>>((63-d.depth)&63)] }

// firstPage returns a directory that contains a single page.
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

// replace replaces the page of the keys that start with these bits by p.
func (d *directory) replace(bits uint64, p *page) {
	n := uint64(1) << (d.depth - p.depth)
	first := bits >> (64 - d.depth) &^ (n - 1)
	for i := range n {
		d.pages[first+i] = p
	}
}

// slack limits a directory to 2^slack entries per page, in case someone chose
// the keys.
const slack = 6

// mayGrow reports whether a page may split. Unless someone chose the keys, all
// pages split after about the same number of keys.
func (d *directory) mayGrow(p *page) bool {
	return p.depth < d.depth || p.depth < maxDepth && int(d.depth)+1 < bits.Len(uint(d.count+1))+slack
}

// halve replaces a key's page by its halves.
func (d *directory) halve(key uint64, halves [2]*page) {
	depth := halves[0].depth
	if depth > d.depth {
		double := make([]*page, 0, 2*len(d.pages))
		for _, p := range d.pages {
			double = append(double, p, p)
		}
		d.depth = depth
		d.pages = double
	}
	bit := uint64(1) << (64 - depth)
	d.replace(key&^bit, halves[0])
	d.replace(key|bit, halves[1])
	d.count++
}

// clone returns a deep copy of d.
func (d *directory) clone() directory {
	c := directory{depth: d.depth, count: d.count, pages: make([]*page, 0, len(d.pages))}
	for p := range d.all {
		q := *p
		q.Bytes = slices.Clone(p.Bytes)
		c.pages = append(c.pages, slices.Repeat([]*page{&q}, 1<<(d.depth-p.depth))...)
	}
	return c
}

func (d directory) equal(other directory) bool {
	return slices.EqualFunc(d.pages, other.pages, func(p, q *page) bool {
		return p.depth == q.depth && p.tail == q.tail && bytes.Equal(p.Bytes, q.Bytes)
	})
}
