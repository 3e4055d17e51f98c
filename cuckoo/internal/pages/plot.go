package pages

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// A plot starts as a single page. Its keys are in its directory's pages.
//
// After many splits, a key may have no known bits left. When its page splits
// again, the key cannot be assigned to a half. It becomes an orphan and moves
// to the first older directory, whose pages have shorter numbers, so that the
// key will have a long tail again. If these pages split often, there is a
// second older directory for their orphans, and so on. Keys in an older
// directory have fewer known bits than all keys in a newer one.
type plot struct {
	directory
	older []directory
}

// has reports whether the plot may contain the key.
func (pl *plot) has(k locus) bool {
	if pl.page(k.bits).has(k) {
		return true
	}
	for l := range pl.older {
		if pl.older[l].page(k.bits).has(k) {
			return true
		}
	}
	return false
}

// copies returns the number of slots that may contain the key.
func (pl *plot) copies(k locus) (n int) {
	for l := range pl.levels() {
		n += pl.level(l).page(k.bits).count(k)
	}
	return n
}

// remove frees the slot that matches the key in the most bits. It returns the
// number of these bits, and false if there is no such slot.
func (pl *plot) remove(k locus) (known uint8, ok bool) {
	for l := range pl.levels() {
		if known, ok = pl.level(l).page(k.bits).remove(k); ok {
			break
		}
	}
	return known, ok
}

// levels returns the number of directories, and level returns one by its index.
func (pl *plot) levels() int { return 1 + len(pl.older) }

func (pl *plot) level(l int) *directory {
	if l == 0 {
		return &pl.directory
	}
	return &pl.older[l-1]
}

// maySplit reports whether a page should split to make room for a key with n
// known bits. A page that is almost empty should not: it has no room only
// because a few keys have many copies, and separating these keys would use too
// much memory. An orphan will need room in any case, but it must know all bits
// in the new page's number and one more.
func (s *Set) maySplit(level int, p *page, n uint8) bool {
	if level == 0 {
		return uint64(p.taken) >= table.Slots*s.Buckets/8
	}
	return p.depth+1 < n
}

// place puts a key into a directory and splits pages until there is room. An
// orphan has n known bits, and a new key has as many as its page has room for.
// This number is returned, or false if place cannot make room. All other keys
// can be found in either case.
func (s *Set) place(pl *plot, level int, k locus, n uint8) (known uint8, ok bool) {
	for {
		d := pl.level(level)
		p := d.page(k.bits)
		switch {
		case level == 0:
			n = p.depth + p.tail
		case n < p.depth:
			return n, false
		case n > p.depth+p.tail && n <= p.depth+maxTail:
			if !s.take(s.pageBytes(n-p.depth) - s.pageBytes(p.tail)) {
				return n, false
			}
			p = s.widen(p, n-p.depth)
			d.replace(k.bits, p)
		}
		if n <= p.depth+p.tail && s.put(p, k, p.fingerprint(k, n), true) {
			return n, true
		}
		if !s.maySplit(level, p, n) || !d.mayGrow(p) || !s.divide(pl, level, p, k.bits) {
			return n, false
		}
	}
}

// divide splits a key's page and moves the orphans to the next older directory.
// If there is no room or no memory for them, it undoes this and returns false.
func (s *Set) divide(pl *plot, level int, p *page, key uint64) bool {
	growth := s.growth(pl.level(level), p)
	if !s.take(growth) {
		return false
	}
	var moved []locus
	halves, ok := s.split(p, func(i, partner uint64) bool {
		if pl.levels() == level+1 {
			if !s.take(pointer + pageHeader + s.RootBytes()) {
				return false
			}
			pl.older = append(pl.older, s.firstPage())
		}
		k := locus{i: i, j: i ^ s.moves[partner], partner: partner, bits: key &^ (1<<(64-p.depth) - 1)}
		_, ok := s.place(pl, level+1, k, p.depth)
		if ok {
			moved = append(moved, k)
		}
		return ok
	})
	if ok {
		pl.level(level).halve(key, halves)
		return true
	}
	for _, k := range moved {
		pl.forget(level+1, k, p.depth)
	}
	s.bytes -= growth
	return false
}

// growth returns the memory that splitting a page of d requires.
func (s *Set) growth(d *directory, p *page) uint64 {
	n := pageHeader + 2*s.pageBytes(s.halfTail(p)) - s.pageBytes(p.tail)
	if p.depth == d.depth {
		n += pointer * uint64(len(d.pages))
	}
	return n
}

// forget removes a key with n known bits, which is in a directory of this or a
// higher level.
func (pl *plot) forget(level int, k locus, n uint8) {
	for ; level < pl.levels(); level++ {
		p := pl.level(level).page(k.bits)
		if n < p.depth || n > p.depth+p.tail {
			continue
		}
		fp := p.fingerprint(k, n)
		if p.Exchange(k.i, k.j, fp, 0) {
			p.taken--
			return
		}
	}
}

func (pl plot) equal(other plot) bool {
	return pl.directory.equal(other.directory) && slices.EqualFunc(pl.older, other.older, directory.equal)
}

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
		d.depth, d.pages = depth, double
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
