package cuckoo

// A compact bucket keeps its fingerprints in ascending order, so their highest
// four bits ascend too. There are 3,876 ascending sequences of four nibbles:
// their number in 12 bits takes the place of the 16 (Fan et al., section 5.2,
// with the highest bits instead of the lowest, which sorts them as numbers).
//
//	12 bits             the number of the four highest nibbles
//	4 times f-4 bits    the rest of each fingerprint, smallest first
const (
	codeBits  = 12
	codes     = 3876 // (16+4-1 choose 4)
	nibble    = 4
	nibbleMax = 1<<nibble - 1
)

// nibbles holds the four nibbles of each number, the first in the lowest bits.
// It is written once, before the program starts.
var nibbles = func() (list [1 << codeBits]uint16) {
	for d := range uint16(16) {
		for c := range d + 1 {
			for b := range c + 1 {
				for a := range b + 1 {
					list[codeOf(uint64(a), uint64(b), uint64(c), uint64(d))] = a | b<<4 | c<<8 | d<<12
				}
			}
		}
	}
	return list
}()

// codeOf numbers the sequences a <= b <= c <= d from 0 to 3875, by the
// combinatorial number system of the sets {a, b+1, c+2, d+3}.
func codeOf(a, b, c, d uint64) uint64 {
	return a + (b+1)*b/2 + (c+2)*(c+1)*c/6 + (d+3)*(d+2)*(d+1)*d/24
}

// unsorted decodes the bucket that begins at a bit to lanes of f bits.
func (t *table) unsorted(bit uint64) (uint64, uint64) {
	rest := (t.width - nibble) & 63
	if t.width <= maxSingle {
		w := t.load(bit)
		w = t.spread(w>>codeBits, rest) | spreadNibbles(uint64(nibbles[w&(1<<codeBits-1)]), rest)
		return w, w
	}
	high := uint64(nibbles[t.load(bit)&(1<<codeBits-1)])
	low := t.mask >> nibble
	bit += codeBits
	a, b := t.load(bit), t.load(bit+2*rest)
	return a&low | high&0xf<<rest | (a>>rest&low|high>>4&0xf<<rest)<<t.width,
		b&low | high>>8&0xf<<rest | (b>>rest&low|high>>12<<rest)<<t.width
}

// spread moves four lanes of rest bits apart, to lanes of four bits more.
func (t *table) spread(w, rest uint64) uint64 {
	m := t.mask >> nibble
	a := w & m
	m <<= rest
	b := w & m
	m <<= rest
	c := w & m
	m <<= rest
	d := w & m
	return a | b<<nibble | c<<(2*nibble) | d<<(3*nibble)
}

// spreadNibbles puts each of four nibbles on top of the rest of its lane.
func spreadNibbles(n, rest uint64) uint64 {
	return (n&0xf | n&0xf0<<rest | n&0xf00<<(2*rest&63) | n&0xf000<<(3*rest&63)) << rest
}

// sorted returns the four fingerprints of bucket i in ascending order.
func (t *table) sorted(i uint64) (list [slots]uint64) {
	a, b := t.lanes(i)
	for s := range list {
		list[s] = t.lane(a, b, s)
	}
	return list
}

// exchangeSorted is exchange in a compact table.
func (t *table) exchangeSorted(i, old, fp uint64) bool {
	list := t.sorted(i)
	for s, x := range list {
		if x == old {
			before := list
			list[s] = fp
			ascend(&list)
			t.rewrite(i, &before, &list)
			return true
		}
	}
	return false
}

// ascend sorts four numbers by five comparisons (a sorting network).
func ascend(v *[slots]uint64) {
	v[0], v[1] = min(v[0], v[1]), max(v[0], v[1])
	v[2], v[3] = min(v[2], v[3]), max(v[2], v[3])
	v[0], v[2] = min(v[0], v[2]), max(v[0], v[2])
	v[1], v[3] = min(v[1], v[3]), max(v[1], v[3])
	v[1], v[2] = min(v[1], v[2]), max(v[1], v[2])
}

// rewrite replaces what bucket i holds, given what it held.
func (t *table) rewrite(i uint64, before, after *[slots]uint64) {
	bit, rest := i*t.stride, t.width-nibble
	t.flip(bit, code(before, rest)^code(after, rest))
	bit += codeBits
	for s := range before {
		t.flip(bit, (before[s]^after[s])&(t.mask>>nibble))
		bit += rest
	}
}

func code(v *[slots]uint64, rest uint64) uint64 {
	return codeOf(v[0]>>rest, v[1]>>rest, v[2]>>rest, v[3]>>rest)
}

// inOrder reports whether bucket i is one of those that exchange leaves: a
// number of nibbles, and fingerprints in ascending order.
func (t *table) inOrder(i uint64) bool {
	list := t.sorted(i)
	return t.load(i*t.stride)&(1<<codeBits-1) < codes &&
		list[0] <= list[1] && list[1] <= list[2] && list[2] <= list[3]
}
