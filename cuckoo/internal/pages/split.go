package pages

import "github.com/filterfam/filterfam/cuckoo/internal/table"

// place puts a key into d and splits pages until there is room. An orphan has n
// known bits, and a new key has as many as its page has room for. place returns
// this number, or false if it cannot make room. All other keys can be found in
// either case.
func (s *Set) place(d *directory, k locus, n uint8, orphan bool) (known uint8, ok bool) {
	for {
		p := d.page(k.bits)
		switch {
		case !orphan:
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
		if !s.maySplit(p, n, orphan) || !d.mayGrow(p) || !s.divide(d, p, k.bits) {
			return n, false
		}
	}
}

// maySplit reports whether a page should split to make room for a key with n
// known bits. A page that is almost empty should not: it has no room only
// because a few keys have many copies, and separating these keys would use too
// much memory. For an orphan, which must get room in any case, this does not
// matter, but the orphan must know all bits in the new page's number and one
// more.
func (s *Set) maySplit(p *page, n uint8, orphan bool) bool {
	if orphan {
		return p.depth+1 < n
	}
	return uint64(p.taken) >= table.Slots*s.Buckets/8
}

// divide splits a key's page in d and moves the orphans to the older directory.
// If there is no room or no memory for them, it undoes this and returns false.
func (s *Set) divide(d *directory, p *page, key uint64) bool {
	growth := s.growth(d, p)
	if !s.take(growth) {
		return false
	}
	halves, orphans := s.split(p, key)
	for n, k := range orphans {
		if !s.adopt(d, k, p.depth) {
			for _, k := range orphans[:n] {
				d.older.forget(k, p.depth)
			}
			s.bytes -= growth
			return false
		}
	}
	d.halve(key, halves)
	return true
}

// adopt puts an orphan of d with n known bits into the older directory, and
// creates this directory if there is none.
func (s *Set) adopt(d *directory, k locus, n uint8) bool {
	if d.older == nil {
		if !s.take(directoryHeader + pointer + pageHeader + s.RootBytes()) {
			return false
		}
		d.older = s.firstPage()
	}
	_, ok := s.place(d.older, k, n, true)
	return ok
}

// growth returns the memory that splitting a page of d requires.
func (s *Set) growth(d *directory, p *page) uint64 {
	n := pageHeader + 2*s.pageBytes(s.halfTail(p)) - s.pageBytes(p.tail)
	if p.depth == d.depth {
		n += pointer * uint64(len(d.pages))
	}
	return n
}

// split returns the halves of a key's page, for keys whose next bit is 0 and 1,
// and the orphans, which have no known bit left. There is room for all other
// keys, because they stay in their buckets.
func (s *Set) split(p *page, key uint64) (halves [2]*page, orphans []locus) {
	tail := s.halfTail(p)
	for h := range halves {
		halves[h] = s.newPage(p.depth+1, tail)
	}
	free := halves[0].free
	number := key &^ (1<<(64-p.depth) - 1)
	for i := range s.Buckets {
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
				orphans = append(orphans, locus{bits: number, i: i, j: i ^ s.moves[partner&partners], partner: partner})
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
	return halves, orphans
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
