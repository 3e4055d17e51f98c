package cuckoo

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A relocation finds the two buckets of a key, i and j, from one of them and
// the fingerprint: partial-key cuckoo hashing (Fan et al., section 3.1). The
// XOR of the paper, j = i XOR h(fingerprint), needs a power of two. To work for
// any even number m of buckets, it is taken in coordinates that each
// fingerprint rotates by an offset of its own:
//
//	y = x XOR (h AND 2^t-1)    t: the highest bit in which x and m differ
//	i = x + offset  mod m
//	j = y + offset  mod m
//
// Only bits below t change. So y has the same t, which makes the step
// self-inverse, and y is below m, since it has a 0 at bit t where m has a 1. As
// m is even, t is at least 1, and h is odd: the two buckets always differ. If m
// is a power of two, t is log2 m and all offsets are 0: the step of the paper.
//
// Without the rotation some pairs of buckets would have no other partners,
// those of the highest numbers first, and the table would be full early.
type relocation struct {
	buckets uint64
	offsets uint64 // offsets are below it
	key     uint64 // from the family: it hides which keys share buckets
}

func newRelocation(p Params) relocation {
	fam := p.Family.Derive("cuckoo relocation")
	return relocationOf(p.Buckets, uint64(fam.SumUint64(0)))
}

func relocationOf(buckets, key uint64) relocation {
	r := relocation{buckets, buckets, key}
	if buckets&(buckets-1) == 0 {
		r.offsets = 0
	}
	return r
}

// pair returns the two buckets of a key whose rotated coordinate is x. It is
// inlined.
func (r *relocation) pair(x uint64, h hash) (i, j uint64) {
	t := bits.Len64(x^r.buckets|1) - 1
	y := x ^ h.pattern&((x|1<<(t&63))-x-1)
	i, wrapped := bits.Sub64(x, h.offset, 0)
	i += r.buckets & -wrapped
	j, wrapped = bits.Sub64(y, h.offset, 0)
	j += r.buckets & -wrapped
	return i, j
}

// other returns the second bucket of a fingerprint in bucket i. It is inlined.
func (r *relocation) other(i uint64, h hash) uint64 {
	return r.less(r.flip(r.less(i, r.buckets-h.offset), h.pattern), h.offset)
}

// flip changes the bits of x that are below t and set in h.
func (r *relocation) flip(x, pattern uint64) uint64 {
	t := bits.Len64(x^r.buckets|1) - 1
	return x ^ pattern&((x|1<<(t&63))-x-1)
}

// less returns x-offset modulo m. There is no branch in it: the processor
// could not predict one.
func (r *relocation) less(x, offset uint64) uint64 {
	x, borrow := bits.Sub64(x, offset, 0)
	return x + r.buckets&-borrow
}

// A hash of a fingerprint is h, and its offset.
type hash struct{ pattern, offset uint64 }

// hash returns h: its low bits are the pattern of a fingerprint, its high bits
// make the offset. They must be unrelated for successive fingerprints, which
// takes two multiplications and a shift between them. One multiplication makes
// the offsets an arithmetic progression; in some families all of them are then
// close to one another, and few buckets are tied together.
func (r *relocation) hash(fp uint64) hash {
	h := (fp ^ r.key) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32) * 0x94D049BB133111EB
	return hash{h | 1, hashfam.Reduce(h, r.offsets)}
}

// split maps x, uniform over all 64-bit values, to [0, n) as hashfam.Reduce
// does, and returns with it what x holds beyond that: another uniform value,
// so that the two share no bits.
func split(x, n uint64) (quotient, rest uint64) { return bits.Mul64(x, n) }
