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
	old  *page    // the page before the change
	new  [2]*page // the pages after it; the second is nil unless the page was split
}

// makeRoom puts a new key into d and splits pages until there is room. It
// returns the number of known bits, or false if it cannot make room, and then
// changes nothing.
func (s *Set) makeRoom(d *directory, k locus) (known uint8, ok bool) {
	t := trial{Set: s, before: s.bytes}
	known, ok = t.place(d, k)
	if !ok {
		t.undo()
	}
	return known, ok
}

// record records a change before it replaces the page of a key.
func (t *trial) record(d *directory, bits uint64, pages ...*page) {
	c := change{to: d, was: *d, bits: bits, old: d.page(bits)}
	copy(c.new[:], pages)
	t.changes = append(t.changes, c)
}

// undo undoes all changes.
func (t *trial) undo() {
	for _, c := range slices.Backward(t.changes) {
		*c.to = c.was
		c.to.replace(c.bits, c.old)
	}
	t.bytes = t.before
}

// place puts a new key into d, and splits pages until there is room. It returns
// the number of known bits, or false if it cannot make room; the trial must then
// be undone.
func (t *trial) place(d *directory, k locus) (known uint8, ok bool) {
	for {
		p := d.page(k.bits)
		known = p.depth + p.tail
		if t.put(p, k, p.fingerprint(k, known), true) {
			return known, true
		}
		if t.almostEmpty(p) || !t.divide(d, p, k.bits) {
			return 0, false
		}
	}
}

// placeOrphan is like place for an orphan with n known bits. Its page must have
// tails that are long enough, or is split until they are.
func (t *trial) placeOrphan(d *directory, k locus, n uint8) bool {
	for {
		p := d.page(k.bits)
		if n < p.depth {
			return false
		}
		if n <= p.depth+maxTail {
			p = t.own(d, k.bits, n-p.depth)
			if p == nil {
				return false
			}
			if t.put(p, k, p.fingerprint(k, n), true) {
				return true
			}
		}
		if !p.halvesHold(n) || !t.divide(d, p, k.bits) {
			return false
		}
	}
}

// own returns the key's page in d, with tails of at least the given length. The
// page may then be changed: it is a copy unless it is new. own returns nil if
// there is no memory for longer tails.
func (t *trial) own(d *directory, bits uint64, tail uint8) *page {
	p := d.page(bits)
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
	t.record(d, bits, p)
	d.replace(bits, p)
	return p
}

// isNew reports whether a change has made the page.
func (t *trial) isNew(p *page) bool {
	return slices.ContainsFunc(t.changes, func(c change) bool { return p == c.new[0] || p == c.new[1] })
}

// almostEmpty reports whether a page should not split to make room for a new
// key: it has no room only because a few keys have many copies, and separating
// these keys would use too much memory. For an orphan this does not matter,
// because it must get room in any case.
func (s *Set) almostEmpty(p *page) bool { return uint64(p.taken) < table.Slots*s.Buckets/8 }

// halvesHold reports whether a key with n known bits is no orphan in the page's
// halves: it must know all bits in their numbers, and one more.
func (p *page) halvesHold(n uint8) bool { return p.depth+1 < n }

// fewOrphans is the number of orphans for which a split does not allocate.
const fewOrphans = 32

// divide splits a key's page in d and moves the orphans to the older directory.
// It returns false if there is no room or no memory for them, or if the page may
// not split.
func (t *trial) divide(d *directory, p *page, key uint64) bool {
	if !d.mayGrow(p) || !t.reserve(t.growth(d, p)) {
		return false
	}
	var room [fewOrphans]locus
	halves, orphans := t.split(p, key, room[:0])
	if len(orphans) > 0 && !t.addOlder(d, key) {
		return false
	}
	for _, k := range orphans {
		if !t.placeOrphan(d.older, k, p.depth) {
			return false
		}
	}
	t.record(d, key, halves[:]...)
	d.replaceByHalves(key, halves)
	return true
}

// addOlder creates d's older directory if there is none. It returns false if
// there is no memory for it.
func (t *trial) addOlder(d *directory, key uint64) bool {
	if d.older != nil {
		return true
	}
	if !t.reserve(directoryHeader + pointer + pageHeader + t.PageBytes()) {
		return false
	}
	older := t.firstPage()
	t.record(d, key, older.pages...)
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

// split returns the halves of a key's page, for keys whose next bit is 0 and 1,
// and the orphans, which have no known bit left, appended to orphans. There is
// room for all other keys, because they stay in their buckets. For example, if the halves' tails are
// longer by one bit, the next bit h of a key leaves its slot, and what follows
// moves up:
//
//	| partner | h x x 1 0 |          in the page
//	| partner | x x 1 0 0 0 |        in half h
//	| partner | 1 0 0 0 0 |          an orphan in the page
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
		zeros := uint64(0) // number of keys in lists[0]
		ones := uint64(0)  // and in lists[1]
		for _, stored := range p.Fingerprints(i) {
			if stored == 0 {
				continue
			}
			v := stored ^ p.free
			partner := v >> ((p.tail + 1) & 63)
			known := v & (2*p.free - 1) // with the marker
			if known == p.free {
				orphans = append(orphans, locus{bits: number, i: i, j: i ^ s.moves[partner&partners], partner: partner})
				continue
			}
			h := known >> (p.tail & 63) & 1
			known = known << ((tail - p.tail + 1) & 63) & (2*free - 1)
			slot := zeros
			if h == 1 {
				slot = ones
			}
			lists[h][slot%table.Slots] = (partner<<((tail+1)&63) | known) ^ free
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
		for _, stored := range p.Fingerprints(i) {
			if stored != 0 {
				wide.Exchange(i, i, 0, (stored^p.free)<<(tail-p.tail)^wide.free)
			}
		}
	}
	return wide
}
