package cuckoo

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A relocation finds the two buckets of a fingerprint by partial-key cuckoo
// hashing (Fan et al., section 3.1). The step of the paper,
//
//	j = i XOR h(fingerprint)
//
// needs a power of two of buckets. For any even number m of them it is taken in
// coordinates x and y that each fingerprint rotates by an offset of its own:
//
//	y = x XOR (h AND 2^t-1)    t: the highest bit in which x and m differ
//	i = x - offset  mod m
//	j = y - offset  mod m
//
// Only bits below t change. So y is below m, which has a 1 where y has a 0 at
// bit t, and it has the same t, so the step undoes itself. As m is even, t is
// at least 1; as h is odd, the two buckets differ. If m is a power of two, all
// offsets are 0 and t is log2(m): the step of the paper.
//
// Without the rotation the table would be full early: the last two of 4,098
// buckets, for example, could exchange fingerprints only with each other.
type relocation struct {
	buckets uint64 // m
	offsets uint64 // the number of offsets: m, or 0 for none
	key     uint64 // from the family: it hides which keys share buckets
	hashes  []hash // of all fingerprints, or empty
}

// A filter keeps the hashes of all fingerprints if they fit in the level 1
// cache and take at most a 256th of the memory: up to maxHashed bits, and from
// hashedBytes of table per hash. Both cache misses of a lookup wait for the
// hash.
const (
	maxHashed   = 10
	hashedBytes = 256 * 16
)

func newRelocation(p Params) relocation {
	fam := p.Family.Derive("cuckoo relocation")
	r := keyedRelocation(p.Buckets, uint64(fam.SumUint64(0)))
	if f := p.FingerprintBits; f <= maxHashed && p.bytes()>>f >= hashedBytes {
		hashes := make([]hash, 1<<f)
		for fp := range hashes {
			hashes[fp] = r.hash(uint64(fp))
		}
		r.hashes = hashes
	}
	return r
}

func keyedRelocation(buckets, key uint64) relocation {
	r := relocation{buckets: buckets, offsets: buckets, key: key}
	if buckets&(buckets-1) == 0 {
		r.offsets = 0
	}
	return r
}

// pair returns the two buckets of a key with coordinate x. They are uniform if
// x is. It is inlined.
func (r *relocation) pair(x uint64, h hash) (i, j uint64) {
	return r.minus(x, h.offset), r.minus(r.flip(x, h.pattern), h.offset)
}

// other returns the second bucket of a fingerprint in bucket i. It is inlined.
func (r *relocation) other(i uint64, h hash) uint64 {
	return r.minus(r.flip(r.minus(i, r.buckets-h.offset), h.pattern), h.offset)
}

// flip returns y.
func (r *relocation) flip(x, pattern uint64) uint64 {
	t := bits.Len64(x^r.buckets|1) - 1 // the 1 saves a test for zero
	return x ^ pattern&(1<<(t&63)-1)
}

// minus returns x-offset mod m for an offset of at most m. It has no branch,
// which the processor could not predict.
func (r *relocation) minus(x, offset uint64) uint64 {
	x, borrow := bits.Sub64(x, offset, 0)
	return x + r.buckets&-borrow
}

// A hash is what a fingerprint does to a coordinate.
type hash struct {
	pattern uint64 // h, odd: the bits to flip
	offset  uint64 // below m
}

// hash returns the hash of a fingerprint. The hashes of successive ones must be
// unrelated, which takes two multiplications and a shift between them. After
// one, the offsets are an arithmetic progression; in some families all of them
// are then close to one another, and few buckets are tied together. As products
// are mixed well in their high bits only, those are added to the low ones.
func (r *relocation) hash(fp uint64) hash {
	if fp < uint64(len(r.hashes)) {
		return r.hashes[fp]
	}
	h := (fp ^ r.key) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32) * 0x94D049BB133111EB
	return hash{h ^ h>>32 | 1, hashfam.Reduce(h, r.offsets)}
}

// split maps x, uniform over all 64-bit values, to [0, n) as hashfam.Reduce
// does, and returns with it what x holds beyond that: another uniform value,
// so that the two share no bits.
func split(x, n uint64) (quotient, rest uint64) { return bits.Mul64(x, n) }
