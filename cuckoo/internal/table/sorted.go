package table

import "slices"

// A sorted bucket keeps its fingerprints in ascending order, so their highest
// four bits ascend too. There are 3,876 ascending sequences of four nibbles:
// their number in 12 bits takes the place of the 16 (Fan et al., section 5.2,
// with the highest bits instead of the lowest, which sorts them as numbers).
//
//	bit 4f-5                                    12 11      0
//	| rest of d | rest of c | rest of b | rest of a | number |
//
// The fingerprints are a <= b <= c <= d. The number takes 12 bits and stands
// for their highest nibbles; a rest is the other f-4 bits of a fingerprint.
const (
	codeBits  = 12
	codeMask  = 1<<codeBits - 1
	codes     = 3876 // (16+4-1 choose 4)
	nibble    = 4
	nibbleMax = 1<<nibble - 1
)

// nibbles holds the four nibbles of each number, the first in the lowest bits.
// It is written once, before the program starts. Vector instructions read eight
// bytes from each, so there are three more.
var nibbles = func() (list [1<<codeBits + 3]uint16) {
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
	return a + pairs[b&nibbleMax] + triples[c&nibbleMax] + quads[d&nibbleMax]
}

// The numbers of sets of two, three and four of n+1, n+2 and n+3 elements.
var pairs, triples, quads = func() (p, t, q [nibbleMax + 1]uint64) {
	for n := range uint64(nibbleMax + 1) {
		p[n] = (n + 1) * n / 2
		t[n] = (n + 2) * (n + 1) * n / 6
		q[n] = (n + 3) * (n + 2) * (n + 1) * n / 24
	}
	return p, t, q
}()

// Decode returns the four lanes of a stored bucket. The nibbles and the rests
// move apart in two steps each: the upper two of four, then one of each two. It
// is inlined.
func (t *Table) Decode(w uint64) uint64 {
	n := uint64(nibbles[w&codeMask])
	n = (n | n<<24) & 0x000000ff_000000ff
	n = (n | n<<12) & 0x000f000f_000f000f
	w >>= codeBits
	w = w&0xffffffff | w<<((32-2*t.rest)&63)&^0xffffffff
	return w&t.low | w<<((16-t.rest)&63)&(t.low<<16) | n<<(t.rest&63)
}

// smallest returns a number that is zero if the smallest fingerprint of a
// stored bucket is: if the bucket has a free slot.
func (t *Table) smallest(w uint64) uint64 {
	return uint64(nibbles[w&codeMask]&nibbleMax) | w>>codeBits&(t.mask>>nibble)
}

// encode stores four lanes in any order as the bucket that begins at a bit.
func (t *Table) encode(bit, w uint64) {
	const lane = 1<<maxNarrow - 1
	v := [Slots]uint64{w & lane, w >> maxNarrow & lane, w >> (2 * maxNarrow) & lane, w >> (3 * maxNarrow)}
	ascend(&v)
	low, r := t.mask>>nibble, t.rest&63
	stored := (v[0]&low|v[1]&low<<r|(v[2]&low|v[3]&low<<r)<<(2*r&63))<<codeBits | t.code(&v)
	t.flip(bit, (t.load(bit)^stored)&(1<<(t.stride&63)-1))
}

// decodeWide returns the lanes of the bucket that begins at a bit, two in each
// word.
func (t *Table) decodeWide(bit uint64) (uint64, uint64) {
	n := uint64(nibbles[t.load(bit)&codeMask])
	bit += codeBits
	return t.pair(t.load(bit), n), t.pair(t.load(bit+2*t.rest), n>>8)
}

func (t *Table) pair(w, n uint64) uint64 {
	n = (n | n<<28) & 0x0000000f_0000000f
	return w&t.low | w<<((32-t.rest)&63)&(t.low<<32) | n<<(t.rest&63)
}

// exchangeSorted is exchange in a sorted table of two words a bucket.
func (t *Table) exchangeSorted(i, old, fp uint64) bool {
	before := t.Fingerprints(i)
	s := slices.Index(before[:], old)
	if s < 0 {
		return false
	}
	after, bit := before, i*t.stride
	after[s] = fp
	ascend(&after)
	t.flip(bit, t.code(&before)^t.code(&after))
	bit += codeBits
	for s := range before {
		t.flip(bit, (before[s]^after[s])&(t.mask>>nibble))
		bit += t.rest
	}
	return true
}

// code returns the number of the highest nibbles.
func (t *Table) code(v *[Slots]uint64) uint64 {
	r := t.rest & 63
	return codeOf(v[0]>>r, v[1]>>r, v[2]>>r, v[3]>>r)
}

// ascend sorts four numbers by five comparisons (a sorting network).
func ascend(v *[Slots]uint64) {
	v[0], v[1] = min(v[0], v[1]), max(v[0], v[1])
	v[2], v[3] = min(v[2], v[3]), max(v[2], v[3])
	v[0], v[2] = min(v[0], v[2]), max(v[0], v[2])
	v[1], v[3] = min(v[1], v[3]), max(v[1], v[3])
	v[1], v[2] = min(v[1], v[2]), max(v[1], v[2])
}
