package pages

import (
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// A trial makes room for a key by splitting pages, and remembers its changes,
// so that they can be undone if it fails. Pages that existed before stay as
// they are: a page is replaced by its halves or, if it gets an orphan (see
// [directory]), by a copy. Only the new key may be put into an existing page
// itself, because the trial has then succeeded.
type trial struct {
	*Set
	before  uint64 // the memory used
	changes []change
}

// A change replaces a page, or adds an older directory.
type change struct {
	to      *directory
	was     directory
	address uint64   // of a key in the page
	old     *page    // the page before the change
	new     [2]*page // the pages after it; the second is nil unless the page was split
}

// makeRoom splits pages of d until there is room for a new key, and adds the
// key. It returns how many bits of the key's address are then known (see
// [page]). If it cannot make room, it returns false and changes nothing.
func (s *Set) makeRoom(d *directory, k locus) (known uint8, ok bool) {
	t := trial{Set: s, before: s.bytes}
	known, ok = t.place(d, k)
	if !ok {
		t.undo()
	}
	return known, ok
}

// record records a change before it replaces the page for an address.
func (t *trial) record(d *directory, address uint64, pages ...*page) {
	c := change{to: d, was: *d, address: address, old: d.page(address)}
	copy(c.new[:], pages)
	t.changes = append(t.changes, c)
}

// undo undoes all changes.
func (t *trial) undo() {
	for _, c := range slices.Backward(t.changes) {
		*c.to = c.was
		c.to.replace(c.address, c.old)
	}
	t.bytes = t.before
}

// place is like makeRoom, but if it returns false, the trial must be undone.
func (t *trial) place(d *directory, k locus) (known uint8, ok bool) {
	for {
		p := d.page(k.address)
		known = p.depth + p.tail
		if t.put(p, k, p.fingerprint(k, known), true) {
			return known, true
		}
		if t.almostEmpty(p) || !t.divide(d, p, k.address) {
			return 0, false
		}
	}
}

// placeOrphan is like place for an orphan, whose number of known bits is given.
// If the tails of the orphan's page are too short for these bits, placeOrphan
// makes them longer. If even the longest tails are too short, or if there is no
// room, it splits the page, even if the page is almost empty.
func (t *trial) placeOrphan(d *directory, k locus, known uint8) bool {
	for {
		p := d.page(k.address)
		if known < p.depth {
			return false
		}
		if known <= p.depth+maxTail {
			p = t.own(d, k.address, known-p.depth)
			if p == nil {
				return false
			}
			if t.put(p, k, p.fingerprint(k, known), true) {
				return true
			}
		}
		if !p.halvesHold(known) || !t.divide(d, p, k.address) {
			return false
		}
	}
}

// own returns a page that the caller may change: the page for an address in d,
// with tails of at least the given length. If this page existed before the
// trial, or needs longer tails, own first replaces it by a copy. own returns
// nil if there is no memory for longer tails.
func (t *trial) own(d *directory, address uint64, tail uint8) *page {
	p := d.page(address)
	switch {
	case tail > p.tail:
		if !t.reserve(t.pageBytes(tail) - t.pageBytes(p.tail)) {
			return nil
		}
		p = t.widen(p, tail)
	case t.isNew(p):
		return p
	default:
		p = p.clone()
	}
	t.record(d, address, p)
	d.replace(address, p)
	return p
}

// isNew reports whether a change has made the page.
func (t *trial) isNew(p *page) bool {
	return slices.ContainsFunc(t.changes, func(c change) bool { return p == c.new[0] || p == c.new[1] })
}

// almostEmpty reports whether less than an eighth of a page's slots are used.
// If such a page has no room for a new key, the usual reason is a few keys with
// many copies. The page is then not split, because separating these keys would
// use too much memory.
func (s *Set) almostEmpty(p *page) bool { return uint64(p.taken) < table.Slots*s.Buckets/8 }

// halvesHold reports whether a key would have a known tail bit in the page's
// halves: all bits of their numbers must be known, and one more.
func (p *page) halvesHold(known uint8) bool { return p.depth+1 < known }

// fewOrphans is the number of orphans for which a split does not allocate.
const fewOrphans = 32

// divide splits p, the page for an address in d, and moves the orphans to the
// older directory. It returns false if the page may not split, if there is not
// enough memory, or if there is no room for the orphans.
func (t *trial) divide(d *directory, p *page, address uint64) bool {
	if !d.mayGrow(p) || !t.reserve(t.growth(d, p)) {
		return false
	}
	var room [fewOrphans]locus
	halves, orphans := t.split(p, address, room[:0])
	if len(orphans) > 0 && !t.addOlder(d, address) {
		return false
	}
	for _, k := range orphans {
		if !t.placeOrphan(d.older, k, p.depth) {
			return false
		}
	}
	t.record(d, address, halves[:]...)
	d.replaceByHalves(address, halves)
	return true
}

// addOlder creates d's older directory if there is none. It returns false if
// there is no memory for it.
func (t *trial) addOlder(d *directory, address uint64) bool {
	if d.older != nil {
		return true
	}
	if !t.reserve(directoryHeader + pointer + pageHeader + t.PageBytes()) {
		return false
	}
	older := t.firstPage()
	t.record(d, address, older.pages...)
	d.older = older
	return true
}

// growth returns the memory that splitting a page of d requires.
func (s *Set) growth(d *directory, p *page) uint64 {
	n := pageHeader + 2*s.pageBytes(s.halfTail(p)) - s.pageBytes(p.tail)
	if p.depth == d.depth {
		n += pointer * uint64(len(d.pages))
	}
	return n
}

// split returns the halves of p, the page for an address: one for the keys
// whose tails begin with 0, and one for 1. It appends the orphans, which have
// no known tail bit left, to orphans. There is room for all other keys, because
// they stay in their buckets. For example, if the halves' tails are longer by
// one bit, the first bit h of a tail leaves its slot, and what follows moves
// up:
//
//	| partner | h x x 1 0 |          in the page
//	| partner | x x 1 0 0 0 |        in half h
//	| partner | 1 0 0 0 0 |          an orphan in the page
func (s *Set) split(p *page, address uint64, orphans []locus) ([2]*page, []locus) {
	var halves [2]*page
	tail := s.halfTail(p)
	for h := range halves {
		halves[h] = s.newPage(p.depth+1, tail)
	}
	number := address &^ (1<<(64-p.depth) - 1)
	for i := range s.Buckets {
		var lists [2][table.Slots]uint64
		zeros := uint64(0) // number of keys in lists[0]
		ones := uint64(0)  // and in lists[1]
		for _, fp := range p.Fingerprints(i) {
			if fp == 0 {
				continue
			}
			partner, marked := p.parts(fp)
			if p.orphaned(marked) {
				orphans = append(orphans, locus{address: number, i: i, j: i ^ s.moves[partner&maxPartner], partner: partner})
				continue
			}
			h, rest := p.shorten(marked, halves[0]) // both halves have equal tails
			slot := zeros
			if h == 1 {
				slot = ones
			}
			lists[h][slot%table.Slots] = halves[0].join(partner, rest)
			ones += h
			zeros += 1 - h
		}
		halves[0].Fill(i, lists[0])
		halves[1].Fill(i, lists[1])
		halves[0].taken += uint32(zeros)
		halves[1].taken += uint32(ones)
	}
	return halves, orphans
}

// widen returns a copy of the page with longer tails.
func (s *Shape) widen(p *page, tail uint8) *page {
	wide := s.newPage(p.depth, tail)
	wide.taken = p.taken
	for i := range s.Buckets {
		for _, fp := range p.Fingerprints(i) {
			if fp != 0 {
				partner, marked := p.parts(fp)
				wide.Exchange(i, i, 0, wide.join(partner, marked<<(tail-p.tail)))
			}
		}
	}
	return wide
}
