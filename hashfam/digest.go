package hashfam

import "math/bits"

// A Digest is the 64-bit hash of a key, computed by a [Family]. Compute it once
// and use it with every structure of this family. In another family, the same
// key has a different digest. A digest from a secret family is itself secret
// and must not be revealed to anyone who can choose keys.
//
// If keys are already hashed, you do not need to use SipHash. A good 64-bit
// hash such as xxhash, or a random identifier, can be converted with Digest(x)
// and used with a structure's Digest methods. All 64 bits must be well mixed.
// Packages static and perfect return [ErrParams] for 100 digests or more if one
// of the lowest 48 bits is the same in all of them. Bloom and counting filters
// can also use hashes of 32 bits, shifted left by 32 so that [Digest.Shard] can
// use them, but the false-positive rate for n keys cannot be below n/2^32. If
// the hashes of your keys do not depend on a secret, anyone can find keys that
// collide.
//
// All keys of a structure must use the same kind of digest. HeavyHitters and
// Window in package countmin need digests from their family because they store
// keys, which are hashed again when the structure is decoded.
//
// If a structure never leaves the process, you can use hash/maphash, which is
// faster than a Family and has a secret seed. Since the seed differs in each
// process, such a structure must not be stored or sent. If you store structures
// that use another hash function, give them a family of their own, for example
// Family{}.Derive("xxhash64"). Programs that hash keys with the public family
// will then not decode them by mistake.
type Digest uint64

// The multiplier is the factor between successive values of a probe sequence.
// Steele and Vigna recommend it for linear congruential generators modulo 2^64,
// because it does well in the spectral test (Software: Practice and Experience
// 52, 2022). This test judges the lattice that tuples of successive values form,
// and the probe sequences of all digests form the same lattice. Since the
// multiplier is 5 modulo 8, its powers repeat only after 2^62 values.
const multiplier = 0xD1342543DE82EF95

// The inverse of the multiplier modulo 2^64.
const inverse = 0x572B5EE77A54E3BD

// A Probe is a value in a digest's pseudo-random sequence of 64-bit values.
// Value i, counted from 0, is the digest times multiplier^(i+1), so each step
// is one multiplication:
//
//	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
//		position := hashfam.Reduce(uint64(p), m)
//		...
//	}
//
// The sequence does not contain the digest itself, so that callers can use any
// bits of the digest to select a shard: within a shard, positions are still
// uniform.
//
// Textbook double hashing, h1 + i*h2, is not good enough for small filters
// because its positions form an arithmetic progression. Even with 64-bit
// numbers and [Reduce], its false-positive rate is 16% higher than with
// independent functions when m = 256 and k = 7, and 40% higher when m = 100.
// With this sequence, the rate cannot be distinguished from the rate of
// independent functions. The tests in this package demonstrate both facts.
type Probe uint64

// Probe returns the first value of d's sequence.
func (d Digest) Probe() Probe { return Probe(d) * multiplier }

// Next returns the value after p. It returns a value instead of changing p
// through a pointer so that a loop can keep the sequence in a register.
func (p Probe) Next() Probe { return p * multiplier }

// Digest returns the digest whose sequence begins with p, so it is the inverse
// of [Digest.Probe].
//
// Use it for keys that are already hashed and sorted, for example a published
// list of password hashes in ascending order. If the first eight bytes of each
// hash, as a big-endian number, are the Probe, the digests are in the order
// that NewFromSorted in package static needs.
func (p Probe) Digest() Digest { return Digest(p * inverse) }

// In returns p reduced to [0, n), for example a position in an array of n bits.
func (p Probe) In(n uint64) uint64 { return Reduce(uint64(p), n) }

// Shard returns the shard, from 0 to n-1, that a key with digest d belongs to,
// or 0 if n is less than 1. Within a shard, the positions that structures
// compute are still uniform.
func (d Digest) Shard(n int) int { return int(Reduce(uint64(d), uint64(max(n, 0)))) }

// Reduce maps x, which should be uniform over all 64-bit values, to [0, n). It
// returns x*n/2^64, rounded down, which is the high half of the 128-bit product
// (Lemire, ACM TOMACS 29, 2019). Reduce is therefore monotonic in x, and for
// even n, Reduce(x, n/2) is Reduce(x, n)/2. Reduce(x, 0) is 0.
func Reduce(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}
