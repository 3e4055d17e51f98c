package pages

import (
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// A page is a cuckoo table of a [Set]. All its keys have the same first bits,
// the number of the page; there are depth of them. A slot holds the next bits
// of a key as its tail, as many as are known, and before it the bits that
// choose the key's other bucket, its partner, which is never zero:
//
//	bit t+5  t+1 t                  0
//	   | partner | tail | 1 | 0 ... 0 |
//
// A key that is added to the page knows t bits. If a page splits, the first bit
// of each tail becomes the last one of the number of its page, and the marker 1
// moves up.
//
// The table stores the XOR of that with free, so that a free slot is zero. The
// value of a free slot has no partner, so it agrees with no key.
type page struct {
	table.Table
	free  uint64 // 2^t
	frees uint64 // in all lanes
	depth uint8
	tail  uint8  // t
	taken uint32 // slots
}

// newPage returns an empty page.
func (g *Geometry) newPage(depth, tail uint8) *page {
	shape := g.shape(tail)
	p := &page{Table: table.New(shape, make([]byte, shape.Bytes())), free: 1 << tail, depth: depth, tail: tail}
	p.frees = p.Spread(p.free)
	return p
}

// value returns what a key with that partner and those bits would have in a
// slot of the page, with the bit of the key that follows in place of a marker.
func (p *page) value(k locus) uint64 {
	return k.partner<<((p.tail+1)&63) | k.bits<<(p.depth&63)>>((63-p.tail)&63)
}

// fingerprint returns what the page stores for a key of which n bits are known:
// at least depth, at most depth+t.
func (p *page) fingerprint(k locus, n uint8) uint64 {
	marker := uint64(1) << (p.depth + p.tail - n)
	return (p.value(k)&^(2*marker-1) | marker) ^ p.free
}

// differ returns for each lane in which bits a slot's key differs from the key
// with that value, of those that are known: zero if it may be that key. values
// has that value in every lane. A free slot differs from all. As no value is
// zero, no lane borrows from the next.
func (p *page) differ(lanes, values uint64) uint64 {
	v := lanes ^ p.frees
	unknown := v ^ (v - p.Spread(1)) // the marker and all below
	return (v ^ values) &^ unknown
}

// has reports whether one of the two buckets may hold the key.
func (p *page) has(k locus) bool {
	values := p.Spread(p.value(k))
	if p.Wide() {
		return p.hasWide(k, values)
	}
	v, w := p.Word(k.i), p.Word(k.j)
	if p.Sorted() {
		v, w = p.Decode(v), p.Decode(w)
	}
	return p.Any(p.differ(v, values), p.differ(w, values), 0)
}

func (p *page) hasWide(k locus, values uint64) bool {
	a, b := p.Lanes(k.i)
	c, d := p.Lanes(k.j)
	return p.Matches(p.differ(a, values), 0)|p.Matches(p.differ(b, values), 0)|
		p.Matches(p.differ(c, values), 0)|p.Matches(p.differ(d, values), 0) != 0
}

// count returns how many slots may hold the key.
func (p *page) count(k locus) int {
	values, n := p.Spread(p.value(k)), 0
	for _, i := range [...]uint64{k.i, k.j} {
		a, b := p.Lanes(i)
		n += bits.OnesCount64(p.Matches(p.differ(a, values), 0))
		if p.Wide() {
			n += bits.OnesCount64(p.Matches(p.differ(b, values), 0))
		}
	}
	return n
}

// remove frees the slot that may hold the key and knows most of its bits, and
// returns that number of bits; false if there is no such slot.
func (p *page) remove(k locus) (known uint8, ok bool) {
	value, most := p.value(k), uint8(0)
	var bucket, fp uint64
	for _, i := range [...]uint64{k.i, k.j} {
		a, b := p.Lanes(i)
		for slot := range table.Slots {
			stored := p.Lane(a, b, slot)
			v := stored ^ p.free
			n := p.depth + p.tail - uint8(bits.TrailingZeros64(v))
			if (v^value)&^(v^(v-1)) == 0 && (!ok || n > most) {
				ok, most, bucket, fp = true, n, i, stored
			}
		}
	}
	if ok {
		p.Remove(bucket, fp)
		p.taken--
	}
	return most, ok
}

// put puts a fingerprint into the page if there is a free slot in the buckets
// of the key, and reports whether there was one.
func (s *Set) put(p *page, k locus, fp uint64) bool {
	if p.taken >= s.most() || !p.Put(k.i, k.j, fp) {
		return false
	}
	p.taken++
	return true
}

// fit puts a fingerprint into the page, and moves others to make room. It
// reports whether there was room.
func (s *Set) fit(p *page, k locus, fp uint64) bool {
	if s.put(p, k, fp) {
		return true
	}
	if p.taken >= s.most() || !p.Evict(&s.partners, k.i, k.j, fp, table.Middle) {
		return false
	}
	p.taken++
	return true
}

// halfTail returns the length of the tails of the halves of a page.
func (g *Geometry) halfTail(p *page) uint8 { return max(p.tail, g.tails[min(p.depth+1, maxDepth)]) }

// split returns the two halves of a page, for keys that go on with 0 and 1, and
// calls orphan for each slot whose key has no known bit left. Every key keeps
// its bucket, so there is room. It stops and returns false if orphan does.
func (g *Geometry) split(p *page, orphan func(i, partner uint64) bool) (halves [2]*page, ok bool) {
	tail := g.halfTail(p)
	for h := range halves {
		halves[h] = g.newPage(p.depth+1, tail)
	}
	for i := range g.Buckets {
		a, b := p.Lanes(i)
		for slot := range table.Slots {
			stored := p.Lane(a, b, slot)
			if stored == 0 {
				continue
			}
			v := stored ^ p.free
			partner, code := v>>((p.tail+1)&63), v&(2*p.free-1)
			if code == p.free {
				if !orphan(i, partner) {
					return halves, false
				}
				continue
			}
			half := halves[code>>(p.tail&63)]
			rest := code << ((tail - p.tail + 1) & 63) & (2*half.free - 1)
			half.PutIn(i, (partner<<((tail+1)&63)|rest)^half.free)
			half.taken++
		}
	}
	return halves, true
}

// widen returns the page with longer tails.
func (g *Geometry) widen(p *page, tail uint8) *page {
	wide := g.newPage(p.depth, tail)
	wide.taken = p.taken
	for i := range g.Buckets {
		for _, stored := range p.Fingerprints(i) {
			if stored != 0 {
				wide.PutIn(i, (stored^p.free)<<(tail-p.tail)^wide.free)
			}
		}
	}
	return wide
}
