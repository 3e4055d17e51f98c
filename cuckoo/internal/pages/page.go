package pages

import (
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// A page is a cuckoo table in a [Set]. The addresses of its keys all start with
// the same bits, the page's number, which has depth bits. The next t bits of a
// key's address are its tail. A slot contains the tail, as far as its bits are
// known, and the partner, which selects the key's other bucket and is never
// zero:
//
//	bit t+5  t+1 t                  0
//	   | partner | tail | 1 | 0 ... 0 |
//
// When a key is added, t bits of its tail are known. When the page splits, the
// first bit of each tail becomes the last bit of the new page's number, and the
// marker 1 moves up.
//
// A free slot has the value free, which is not zero, but has no partner, so it
// does not match any key. The table stores each value XOR free as the
// fingerprint, so a free slot is stored as zero. Shifts are masked with 63
// because the compiler does not know that they are below 64.
type page struct {
	table.Table
	free  uint64      // 2^t
	frees table.Lanes // in all lanes
	depth uint8
	tail  uint8  // t
	taken uint32 // number of slots in use
}

// newPage returns an empty page.
func (s *Shape) newPage(depth, tail uint8) *page {
	shape := s.tableShape(tail)
	p := &page{Table: table.New(shape, make([]byte, shape.Bytes())), free: 1 << tail, depth: depth, tail: tail}
	p.frees = p.Spread(p.free)
	return p
}

// clone returns a deep copy of p.
func (p *page) clone() *page {
	c := *p
	c.Bytes = slices.Clone(p.Bytes)
	return &c
}

// value returns the value of a slot of this page in which t bits of the key's
// tail are known, but with the next bit of the address instead of the marker.
func (p *page) value(k locus) uint64 {
	return k.partner<<((p.tail+1)&63) | k.address<<(p.depth&63)>>((63-p.tail)&63)
}

// fingerprint returns the key's fingerprint. The number of known bits must be
// in the range depth to depth+t.
func (p *page) fingerprint(k locus, known uint8) uint64 {
	marker := uint64(1) << (p.depth + p.tail - known)
	return (p.value(k)&^(2*marker-1) | marker) ^ p.free
}

// parts returns the partner in a fingerprint, and the marked tail: the t+1 bits
// that consist of the tail's known bits, the marker and zeros.
func (p *page) parts(fp uint64) (partner, marked uint64) {
	v := fp ^ p.free
	return v >> ((p.tail + 1) & 63), v & (2*p.free - 1)
}

// join is the inverse of parts.
func (p *page) join(partner, marked uint64) (fp uint64) {
	return (partner<<((p.tail+1)&63) | marked) ^ p.free
}

// known returns the number of known bits of the key with this fingerprint: the
// marker is the lowest bit of the value that is set.
func (p *page) known(fp uint64) uint8 {
	return p.depth + p.tail - uint8(bits.TrailingZeros64(fp^p.free))
}

// orphaned reports whether no bit is known in this marked tail.
func (p *page) orphaned(marked uint64) bool { return marked == p.free }

// shorten removes the first bit h of a marked tail. It returns the rest as the
// marked tail in half h of the page.
func (p *page) shorten(marked uint64, half *page) (h, rest uint64) {
	return marked >> (p.tail & 63) & 1, marked << ((half.tail - p.tail + 1) & 63) & (2*half.free - 1)
}

// differ compares each slot in lanes with a key. Every lane of values must
// contain the result of p.value for this key. In the result of differ, a lane
// contains the known bits in which the slot differs from the key, so it is zero
// if the slot may contain the key. The lane of a free slot is never zero. Since
// no slot's value is zero, subtracting 1 from each lane does not borrow from
// the next lane.
func (p *page) differ(lanes, values table.Lanes) table.Lanes {
	v := lanes.Xor(p.frees)
	unknown := v.Xor(v.Sub(p.Ones)) // the marker and all lower bits
	return v.Xor(values).AndNot(unknown)
}

// differWord is like differ for a narrow table.
func (p *page) differWord(lanes, values uint64) uint64 {
	v := lanes ^ p.frees.Low
	return (v ^ values) &^ (v ^ (v - p.Ones.Low))
}

// has reports whether the page may contain the key.
func (p *page) has(k locus) bool {
	if !p.Narrow {
		values := p.Spread(p.value(k))
		return p.AnyZero(p.differ(p.Lanes(k.i), values), p.differ(p.Lanes(k.j), values))
	}
	v := p.Word(k.i)
	w := p.Word(k.j)
	if p.Sorted {
		v = p.Decode(v)
		w = p.Decode(w)
	}
	values := p.value(k) * p.Ones.Low
	return p.Any(p.differWord(v, values), p.differWord(w, values), 0)
}

// copies returns the number of slots that may contain the key.
func (p *page) copies(k locus) int {
	values := p.Spread(p.value(k))
	return p.Zeros(p.differ(p.Lanes(k.i), values)).Count() + p.Zeros(p.differ(p.Lanes(k.j), values)).Count()
}

// remove frees the slot with the most known bits among those that may contain
// the key. It returns the number of these bits, or false if there is no such
// slot.
func (p *page) remove(k locus) (known uint8, ok bool) {
	values := p.Spread(p.value(k))
	most := uint8(0)
	var bucket, best, fp uint64
	buckets := [...]uint64{k.i, k.j}
	for side, l := range [...]table.Lanes{p.Lanes(k.i), p.Lanes(k.j)} { // both, so that cache misses overlap
		for m := p.Zeros(p.differ(l, values)); m != (table.Lanes{}); {
			fp, m = p.First(l, m)
			n := p.known(fp)
			if !ok || n > most {
				ok = true
				most = n
				bucket = buckets[side]
				best = fp
			}
		}
	}
	if ok {
		p.Exchange(bucket, bucket, best, 0)
		p.taken--
	}
	return most, ok
}

// put puts a fingerprint into a free slot of the key's buckets, or evicts other
// fingerprints if evict is set. It reports whether there was room.
func (s *Set) put(p *page, k locus, fp uint64, evict bool) bool {
	if p.taken >= s.most() {
		return false
	}
	if !p.Put(k.i, k.j, fp) && !(evict && p.Evict(&s.partners, k.i, k.j, fp, table.Middle)) {
		return false
	}
	p.taken++
	return true
}
