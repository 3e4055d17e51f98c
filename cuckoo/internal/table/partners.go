package table

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// Partners finds the two buckets of a fingerprint by partial-key cuckoo hashing
// (Fan et al., section 3.1). The step of the paper,
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
type Partners struct {
	buckets uint64 // m
	offsets uint64 // the number of offsets: m, or 0 for none
	key     uint64 // from the family: it hides which keys share buckets
	hashes  []Hash // of all fingerprints, or empty
}

// Partners keeps the hashes of all fingerprints if they fit in the level 1
// cache and take at most a 256th of the memory: up to maxHashed bits, and from
// hashedBytes of table per hash. Both cache misses of a lookup wait for the
// hash.
const (
	maxHashed   = 10
	hashedBytes = 256 * 16
)

// NewPartners returns the partners of fingerprints in tables of a shape. If it
// is worth it, all hashes are kept.
func NewPartners(s Shape, key uint64) Partners {
	p := Partners{buckets: s.Buckets, offsets: s.Buckets, key: key}
	if s.Buckets&(s.Buckets-1) == 0 {
		p.offsets = 0
	}
	if s.Bits <= maxHashed && s.Bytes()>>s.Bits >= hashedBytes {
		p.Keep(1 << s.Bits)
	}
	return p
}

// Keep makes p keep the hashes of fingerprints 0 to n-1.
func (p *Partners) Keep(n uint64) {
	hashes := make([]Hash, n)
	for fp := range n {
		hashes[fp] = p.Hash(fp)
	}
	p.hashes = hashes
}

// Pair returns the two buckets of a key with coordinate x. They are uniform if
// x is. It is inlined.
func (p *Partners) Pair(x uint64, h Hash) (i, j uint64) {
	return p.minus(x, h.offset), p.minus(p.flip(x, h.pattern), h.offset)
}

// Other returns the second bucket of a fingerprint in bucket i. It is inlined.
func (p *Partners) Other(i uint64, h Hash) uint64 {
	return p.minus(p.flip(p.minus(i, p.buckets-h.offset), h.pattern), h.offset)
}

// flip returns y.
func (p *Partners) flip(x, pattern uint64) uint64 {
	t := bits.Len64(x^p.buckets|1) - 1 // the 1 saves a test for zero
	return x ^ pattern&(1<<(t&63)-1)
}

// minus returns x-offset mod m for an offset of at most m. It has no branch,
// which the processor could not predict.
func (p *Partners) minus(x, offset uint64) uint64 {
	x, borrow := bits.Sub64(x, offset, 0)
	return x + p.buckets&-borrow
}

// A Hash is what a fingerprint does to a coordinate.
type Hash struct {
	pattern uint64 // h, odd: the bits to flip
	offset  uint64 // below m
}

// Hash returns the hash of a fingerprint. The hashes of successive ones must be
// unrelated, which takes two multiplications and a shift between them. After
// one, the offsets are an arithmetic progression; in some families all of them
// are then close to one another, and few buckets are tied together. As products
// are mixed well in their high bits only, those are added to the low ones.
func (p *Partners) Hash(fp uint64) Hash {
	if fp < uint64(len(p.hashes)) {
		return p.hashes[fp]
	}
	h := (fp ^ p.key) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32) * 0x94D049BB133111EB
	return Hash{h ^ h>>32 | 1, hashfam.Reduce(h, p.offsets)}
}
