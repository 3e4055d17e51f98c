package pages

import (
	"bytes"
	"math/bits"
	"slices"
)

// A directory is used to find a key's page by the first depth bits of the key's
// address (see [page]). Pages with a lower depth are in it several times.
//
// After many splits, the known bits of a key's address may all be in its page's
// number. When this page splits again, the key cannot be assigned to a half and
// becomes an orphan. It moves to an older directory, whose pages have shorter
// numbers, so the key has a long tail again. When the older pages have split
// often, there are orphans among their keys, too, which move to an even older
// directory, and so on. For any address, the keys in the page of an older
// directory have fewer known bits than the keys in the page of a newer one.
type directory struct {
	depth    uint8
	pages    []*page
	distinct int        // number of distinct pages
	older    *directory // for orphans; nil until there is one
}

// has reports whether d, or a directory that is older, may contain the key.
func (d *directory) has(k locus) bool {
	return d.page(k.address).has(k) || d.older != nil && d.older.has(k)
}

// copies returns the number of slots in d and in older directories that may
// contain the key.
func (d *directory) copies(k locus) (n int) {
	for ; d != nil; d = d.older {
		n += d.page(k.address).copies(k)
	}
	return n
}

// remove frees the slot, in d or in an older directory, that matches the key in
// the most bits. It returns the number of these bits, or false if there is no
// such slot.
func (d *directory) remove(k locus) (known uint8, ok bool) {
	for ; d != nil && !ok; d = d.older {
		known, ok = d.page(k.address).remove(k)
	}
	return known, ok
}

// length returns the number of directories from d to the oldest one.
func (d *directory) length() (n int) {
	for ; d != nil; d = d.older {
		n++
	}
	return n
}

// page returns the page for an address. It shifts twice because a single shift
// by 64 bits, if depth is 0, would need a comparison.
func (d *directory) page(address uint64) *page {
	return d.pages[address>>1>>((63-d.depth)&63)]
}

// firstPage returns a directory that contains a single page.
func (s *Shape) firstPage() *directory {
	return &directory{pages: []*page{s.newPage(0, s.tails[0])}, distinct: 1}
}

// all yields the distinct pages in order.
func (d *directory) all(yield func(*page) bool) {
	for n := 0; n < len(d.pages); n += 1 << (d.depth - d.pages[n].depth) {
		if !yield(d.pages[n]) {
			return
		}
	}
}

// replace replaces the page for an address by p.
func (d *directory) replace(address uint64, p *page) {
	n := uint64(1) << (d.depth - p.depth)
	first := address >> (64 - d.depth) &^ (n - 1)
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
	return p.depth < d.depth || p.depth < maxDepth && int(d.depth)+1 < bits.Len(uint(d.distinct+1))+slack
}

// replaceByHalves replaces the page for an address by its halves.
func (d *directory) replaceByHalves(address uint64, halves [2]*page) {
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
	d.replace(address&^bit, halves[0])
	d.replace(address|bit, halves[1])
	d.distinct++
}

// clone returns a deep copy of d and of older directories.
func (d *directory) clone() *directory {
	if d == nil {
		return nil
	}
	c := &directory{depth: d.depth, distinct: d.distinct, pages: make([]*page, 0, len(d.pages)), older: d.older.clone()}
	for p := range d.all {
		c.pages = append(c.pages, slices.Repeat([]*page{p.clone()}, 1<<(d.depth-p.depth))...)
	}
	return c
}

// equal reports whether d and other, and all older directories, are equal.
func (d *directory) equal(other *directory) bool {
	if d == nil || other == nil {
		return d == other
	}
	return d.older.equal(other.older) && slices.EqualFunc(d.pages, other.pages, func(p, q *page) bool {
		return p.depth == q.depth && p.tail == q.tail && bytes.Equal(p.Bytes, q.Bytes)
	})
}
