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
	free  uint64      // 2^t
	frees table.Lanes // in all lanes
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

// differ returns for each lane the known bits in which the slot's key differs
// from the key with a value: zero if it may be that key. Every lane of values
// has that value. A free slot differs from all keys. As no value is zero, no
// lane borrows from the next.
func (p *page) differ(lanes, values table.Lanes) table.Lanes {
	v := lanes.Xor(p.frees)
	unknown := v.Xor(v.Sub(p.Ones)) // the marker and all below
	return v.Xor(values).AndNot(unknown)
}

// differWord is differ for the lanes of a narrow table.
func (p *page) differWord(lanes, values uint64) uint64 {
	v := lanes ^ p.frees.Low
	return (v ^ values) &^ (v ^ (v - p.Ones.Low))
}

// has reports whether one of the two buckets may hold the key.
func (p *page) has(k locus) bool {
	if !p.Narrow {
		values := p.Spread(p.value(k))
		return p.AnyZero(p.differ(p.Lanes(k.i), values), p.differ(p.Lanes(k.j), values))
	}
	v, w := p.Word(k.i), p.Word(k.j)
	if p.Sorted {
		v, w = p.Decode(v), p.Decode(w)
	}
	values := p.value(k) * p.Ones.Low
	return p.Any(p.differWord(v, values), p.differWord(w, values), 0)
}

// count returns how many slots may hold the key.
func (p *page) count(k locus) int {
	values := p.Spread(p.value(k))
	return p.Zeros(p.differ(p.Lanes(k.i), values)).Count() + p.Zeros(p.differ(p.Lanes(k.j), values)).Count()
}

// remove frees the slot that may hold the key and knows most of its bits, and
// returns that number of bits; false if there is no such slot.
func (p *page) remove(k locus) (known uint8, ok bool) {
	values, most := p.Spread(p.value(k)), uint8(0)
	var bucket, fp, stored uint64
	for _, i := range [...]uint64{k.i, k.j} {
		l := p.Lanes(i)
		for m := p.Zeros(p.differ(l, values)); m != (table.Lanes{}); {
			stored, m = p.First(l, m)
			n := p.depth + p.tail - uint8(bits.TrailingZeros64(stored^p.free))
			if !ok || n > most {
				ok, most, bucket, fp = true, n, i, stored
			}
		}
	}
	if ok {
		p.Exchange(bucket, bucket, fp, 0)
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
		var lists [2][table.Slots]uint64
		var taken [2]int
		for _, stored := range p.Fingerprints(i) {
			v := stored ^ p.free
			partner, code := v>>((p.tail+1)&63), v&(2*p.free-1)
			switch {
			case stored == 0:
			case code != p.free:
				h := code >> (p.tail & 63)
				rest := code << ((tail - p.tail + 1) & 63) & (2*halves[h].free - 1)
				lists[h][taken[h]] = (partner<<((tail+1)&63) | rest) ^ halves[h].free
				taken[h]++
			case !orphan(i, partner):
				return halves, false
			}
		}
		for h, half := range halves {
			half.Fill(i, lists[h])
			half.taken += uint32(taken[h])
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
				wide.Exchange(i, i, 0, (stored^p.free)<<(tail-p.tail)^wide.free)
			}
		}
	}
	return wide
}
