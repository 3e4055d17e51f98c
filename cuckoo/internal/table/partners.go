package table

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// Partners computes a fingerprint's two buckets by partial-key cuckoo hashing
// (Fan et al., section 3.1). The paper's step,
//
//	j = i XOR h(fingerprint)
//
// requires the number of buckets to be a power of two. For any even number m of
// buckets, Partners first rotates the table by an offset that depends on the
// fingerprint, so that bucket i has the coordinate x. The step is then done
// with coordinates, and the result y is rotated back:
//
//	x = i + offset  mod m
//	y = x XOR (h AND 2^t-1)
//	j = y - offset  mod m
//
// Here t is the highest bit in which x and m differ. It is 1 in m and 0 in x,
// and only bits below it change. So y is less than m and has the same t as x,
// which makes the step its own inverse. The two buckets differ because h is odd
// and t is at least 1 for an even m. If m is a power of two, all offsets are 0
// and t is log2(m), as in the paper.
//
// Without the rotation, the table would be full early. For example, the last
// two of 4,098 buckets could exchange fingerprints only with each other.
type Partners struct {
	buckets uint64 // m
	offsets uint64 // the number of offsets: m, or 0 if m is a power of two
	key     uint64 // from the family: it makes pairs of buckets unpredictable
	hashes  []Hash // of all fingerprints, or empty
}

// Both cache misses of a lookup must wait for the fingerprint's hash, so
// Partners stores the hashes of all fingerprints if they fit in the level-1
// cache and do not need more than 1/256 of the table size. This is the case if
// fingerprints have up to maxHashed bits and the table has at least hashedBytes
// per hash.
const (
	maxHashed   = 10
	hashedBytes = 256 * 16
)

// NewPartners returns the Partners for tables with this shape.
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

// Keep stores the hashes of fingerprints 0 to n-1 in p.
func (p *Partners) Keep(n uint64) {
	hashes := make([]Hash, n)
	for fp := range n {
		hashes[fp] = p.Hash(fp)
	}
	p.hashes = hashes
}

// Pair returns both buckets for coordinate x. They are uniform if x is.
func (p *Partners) Pair(x uint64, h Hash) (i, j uint64) {
	return p.minus(x, h.offset), p.minus(p.flip(x, h.pattern), h.offset)
}

// Other returns a fingerprint's other bucket when bucket i contains it.
func (p *Partners) Other(i uint64, h Hash) uint64 {
	return p.minus(p.flip(p.minus(i, p.buckets-h.offset), h.pattern), h.offset)
}

// flip returns the coordinate y for x.
func (p *Partners) flip(x, pattern uint64) uint64 {
	t := bits.Len64(x^p.buckets) - 1
	return x ^ pattern&(1<<(t&63)-1)
}

// minus returns x-offset mod m for offsets up to m. It avoids a branch, which
// would be mispredicted.
func (p *Partners) minus(x, offset uint64) uint64 {
	x, borrow := bits.Sub64(x, offset, 0)
	return x + p.buckets&-borrow
}

// A Hash is used to compute a fingerprint's buckets from a coordinate.
type Hash struct {
	pattern uint64 // h, odd: the bits to flip
	offset  uint64 // below m
}

// Hash returns a fingerprint's hash. The hashes of consecutive fingerprints
// need to be unrelated, which requires two multiplications and a shift between
// them. After a single multiplication, the offsets would nearly be an
// arithmetic progression. In some families, they would all be so close to each
// other that only few buckets are connected. The low bits of a product are not
// mixed well, so the bits to flip are the product XOR its high half.
func (p *Partners) Hash(fp uint64) Hash {
	if fp < uint64(len(p.hashes)) {
		return p.hashes[fp]
	}
	h := (fp ^ p.key) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32) * 0x94D049BB133111EB
	return Hash{h ^ h>>32 | 1, hashfam.Reduce(h, p.offsets)}
}
