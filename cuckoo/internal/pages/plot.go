package pages

import (
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// A plot is the share of a [Set] that began as one page. Its keys are in the
// pages of its directory. The number of a page is the first bits of its keys.
//
// A key from before many splits knows no bit that could tell in which half of
// its page it belongs, if that splits again: it becomes an orphan, and moves to
// the first of the older directories. That has fewer pages, whose numbers have
// fewer bits, so that the key has a long tail again. If those pages split
// often, there are orphans there, and a second older directory. Keys in an
// older directory know fewer bits than any in a newer one.
type plot struct {
	directory
	older []directory
}

// has reports whether the plot may hold the key.
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

// copies returns how many slots may hold the key.
func (pl *plot) copies(k locus) (n int) {
	for l := range pl.levels() {
		n += pl.level(l).page(k.bits).count(k)
	}
	return n
}

// remove frees the slot that agrees with the key in most bits, and returns
// their number; false if there is none.
func (pl *plot) remove(k locus) (known uint8, ok bool) {
	for l := range pl.levels() {
		if known, ok = pl.level(l).page(k.bits).remove(k); ok {
			break
		}
	}
	return known, ok
}

// levels returns the number of directories, and level one of them.
func (pl *plot) levels() int { return 1 + len(pl.older) }

func (pl *plot) level(l int) *directory {
	if l == 0 {
		return &pl.directory
	}
	return &pl.older[l-1]
}

// maySplit reports whether a page should split to make room for a key of which
// n bits are known. A page that is almost empty does not: there is no room only
// because copies of a few keys fill the buckets, and it would take much memory
// to part these keys. But an orphan has to go somewhere. Then the page must
// stay one that other orphans know all bits of.
func (s *Set) maySplit(level int, p *page, n uint8) bool {
	if level == 0 {
		return uint64(p.taken) >= table.Slots*s.Buckets/8
	}
	return p.depth+1 < n
}

// place puts a key into a directory, and splits pages until there is room. An
// orphan knows n bits; a key that is added, as many as its page has room for.
// place returns that number; false if no room can be made: then every key is
// where it can be found still.
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
		if n <= p.depth+p.tail && s.fit(p, k, p.fingerprint(k, n)) {
			return n, true
		}
		if !s.maySplit(level, p, n) || !d.mayGrow(p) || !s.divide(pl, level, p, k.bits) {
			return n, false
		}
	}
}

// divide splits the page of a key and moves its orphans to the next older
// directory. If there is no room for one, or no memory, it takes all back and
// returns false.
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

// growth returns how much more memory it takes to split a page of d.
func (s *Set) growth(d *directory, p *page) uint64 {
	n := pageHeader + 2*s.pageBytes(s.halfTail(p)) - s.pageBytes(p.tail)
	if p.depth == d.depth {
		n += pointer * uint64(len(d.pages))
	}
	return n
}

// forget removes a key of which n bits are known from one of the directories
// from a level on.
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

// clone returns a copy that shares no memory with pl.
func (pl *plot) clone() plot {
	c := plot{directory: pl.directory.clone(), older: slices.Clone(pl.older)}
	for l := range c.older {
		c.older[l] = c.older[l].clone()
	}
	return c
}

// equal reports whether pl and other have the same fingerprints in the same
// places.
func (pl plot) equal(other plot) bool {
	return pl.directory.equal(other.directory) && slices.EqualFunc(pl.older, other.older, directory.equal)
}
