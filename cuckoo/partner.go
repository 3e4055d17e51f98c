package cuckoo

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A relocation finds a fingerprint's other bucket among any even number of
// buckets: partial-key cuckoo hashing (Fan et al., section 3.1) with another
// step that undoes itself than their XOR, which needs a power of two. The two
// buckets of a fingerprint add up to a number of its own,
//
//	i + j = sum(fingerprint)  mod buckets
//
// so each is the sum less the other (Lang, Neumann, Kemper and Boncz, VLDB 12,
// 2019). The number of buckets is even and all sums are odd: one of the two
// buckets is even and the other odd, so they always differ.
type relocation struct {
	buckets uint64
	key     uint64 // from the family: strangers do not know who shares a bucket with whom
}

func newRelocation(p Params) relocation {
	fam := p.Family.Derive("cuckoo relocation")
	return relocation{p.Buckets, uint64(fam.SumUint64(0))}
}

// other returns the second bucket of a fingerprint that is in bucket i. It is
// inlined.
func (r *relocation) other(i, fp uint64) uint64 {
	j, borrow := bits.Sub64(r.sum(fp), i, 0)
	return j + r.buckets&-borrow
}

// sum returns an odd number below buckets. It takes two multiplications and a
// shift between them to make the sums of successive fingerprints unrelated:
// one makes them an arithmetic progression, and in some families all of them
// are then close to one another, and few buckets are tied together.
func (r *relocation) sum(fp uint64) uint64 {
	x := (fp ^ r.key) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>32) * 0x94D049BB133111EB
	return hashfam.Reduce(x, r.buckets) | 1
}

// split maps x, uniform over all 64-bit values, to [0, n) as hashfam.Reduce
// does, and returns with it what x holds beyond that: another uniform value,
// so that the two share no bits.
func split(x, n uint64) (quotient, rest uint64) { return bits.Mul64(x, n) }
