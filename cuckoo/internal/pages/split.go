package pages

import "github.com/filterfam/filterfam/cuckoo/internal/table"

// maySplit reports whether a page should split to make room for a key with n
// known bits. A page that is almost empty should not: it has no room only
// because a few keys have many copies, and separating these keys would use too
// much memory. For an orphan, which must get room in any case, this does not
// matter, but the orphan must know all bits in the new page's number and one
// more.
func (s *Set) maySplit(level int, p *page, n uint8) bool {
	if level == 0 {
		return uint64(p.taken) >= table.Slots*s.Buckets/8
	}
	return p.depth+1 < n
}

// place puts a key into a directory and splits pages until there is room. An
// orphan has n known bits, and a new key has as many as its page has room for.
// place returns this number, or false if it cannot make room. All other keys
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

// split returns the page's halves, for keys whose next bit is 0 and 1. It calls
// orphan for each slot whose key has no known bit left. There is room for all
// other keys, because they stay in their buckets. If orphan returns false,
// split does too.
func (g *Geometry) split(p *page, orphan func(i, partner uint64) bool) (halves [2]*page, ok bool) {
	tail := g.halfTail(p)
	for h := range halves {
		halves[h] = g.newPage(p.depth+1, tail)
	}
	free := halves[0].free
	for i := range g.Buckets {
		var lists [2][table.Slots]uint64
		var taken [2]uint32
		for _, stored := range p.Fingerprints(i) {
			if stored == 0 {
				continue
			}
			v := stored ^ p.free
			partner := v >> ((p.tail + 1) & 63)
			code := v & (2*p.free - 1) // the known bits and the marker
			if code == p.free {
				if !orphan(i, partner) {
					return halves, false
				}
				continue
			}
			h := code >> (p.tail & 63) & 1
			rest := code << ((tail - p.tail + 1) & 63) & (2*free - 1)
			lists[h][taken[h]%table.Slots] = (partner<<((tail+1)&63) | rest) ^ free
			taken[h]++
		}
		for h, half := range halves {
			half.Fill(i, lists[h])
			half.taken += taken[h]
		}
	}
	return halves, true
}

// widen returns a copy of the page with longer tails.
func (g *Geometry) widen(p *page, tail uint8) *page {
	wide := g.newPage(p.depth, tail)
	wide.taken = p.taken
	for i := range g.Buckets {
		for _, stored := range p.Fingerprints(i) {
			if stored != 0 {
				wide.Exchange(i, i, 0, (stored^p.free)<<(tail-p.tail)^wide.free)
			}
		}
	}
	return wide
}
