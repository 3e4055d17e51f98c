package pages

import (
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// A trial makes room for a key, and remembers its changes, so that they can be
// undone if it fails. To move orphans, it replaces pages that existed before,
// instead of changing them. Only the new key is put into any page, at the end.
type trial struct {
	*Set
	before  uint64 // the memory used
	changes []change
}

// A change replaces a page, or adds an older directory.
type change struct {
	to   *directory
	was  directory
	bits uint64   // of a key in the page
	page *page    // before the change
	made [2]*page // by the change; the second is nil unless the page was split
}

// makeRoom puts a new key into d and splits pages until there is room. It
// returns the number of known bits, or false if it cannot make room, and then
// changes nothing.
func (s *Set) makeRoom(d *directory, k locus) (known uint8, ok bool) {
	t := trial{Set: s, before: s.bytes}
	known, ok = t.place(d, k, 0, false)
	if !ok {
		t.undo()
	}
	return known, ok
}

// change remembers a directory and the page of a key before it replaces the
// page by one or two new ones.
func (t *trial) change(d *directory, bits uint64, made ...*page) {
	c := change{to: d, was: *d, bits: bits, page: d.page(bits)}
	copy(c.made[:], made)
	t.changes = append(t.changes, c)
}

// undo undoes all changes.
func (t *trial) undo() {
	for _, c := range slices.Backward(t.changes) {
		*c.to = c.was
		c.to.replace(c.bits, c.page)
	}
	t.bytes = t.before
}

// own returns the key's page in d, which may then be changed: it is a copy
// unless the page is new.
func (t *trial) own(d *directory, bits uint64) *page {
	p := d.page(bits)
	for _, c := range t.changes {
		if p == c.made[0] || p == c.made[1] {
			return p
		}
	}
	q := *p
	q.Bytes = slices.Clone(p.Bytes)
	t.change(d, bits, &q)
	d.replace(bits, &q)
	return &q
}

// place puts a key into d and splits pages until there is room. An orphan has n
// known bits, and a new key has as many as its page has room for. place returns
// this number, or false if it cannot make room; the trial must then be undone.
func (t *trial) place(d *directory, k locus, n uint8, orphan bool) (known uint8, ok bool) {
	for {
		p := d.page(k.bits)
		switch {
		case !orphan:
			n = p.depth + p.tail
		case n < p.depth:
			return n, false
		case n <= p.depth+p.tail:
			p = t.own(d, k.bits)
		case n <= p.depth+maxTail:
			if !t.take(t.pageBytes(n-p.depth) - t.pageBytes(p.tail)) {
				return n, false
			}
			p = t.widen(p, n-p.depth)
			t.change(d, k.bits, p)
			d.replace(k.bits, p)
		}
		if n <= p.depth+p.tail && t.put(p, k, p.fingerprint(k, n), true) {
			return n, true
		}
		if !t.maySplit(p, n, orphan) || !d.mayGrow(p) || !t.divide(d, p, k.bits) {
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

// fewOrphans is the number of orphans for which a split does not allocate.
const fewOrphans = 32

// divide splits a key's page in d and moves the orphans to the older directory.
// It returns false if there is no room or no memory for them.
func (t *trial) divide(d *directory, p *page, key uint64) bool {
	if !t.take(t.growth(d, p)) {
		return false
	}
	var room [fewOrphans]locus
	halves, orphans := t.split(p, key, room[:0])
	for _, k := range orphans {
		if !t.adopt(d, k, p.depth) {
			return false
		}
	}
	t.change(d, key, halves[:]...)
	d.halve(key, halves)
	return true
}

// adopt puts an orphan of d with n known bits into the older directory, and
// creates this directory if there is none.
func (t *trial) adopt(d *directory, k locus, n uint8) bool {
	if d.older == nil {
		if !t.take(directoryHeader + pointer + pageHeader + t.RootBytes()) {
			return false
		}
		older := t.firstPage()
		t.change(d, k.bits, older.pages...)
		d.older = older
	}
	_, ok := t.place(d.older, k, n, true)
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
// and the orphans, which have no known bit left, appended to orphans. There is
// room for all other keys, because they stay in their buckets.
func (s *Set) split(p *page, key uint64, orphans []locus) ([2]*page, []locus) {
	var halves [2]*page
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
