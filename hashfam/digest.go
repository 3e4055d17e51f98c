package hashfam

import "math/bits"

// A Digest is the 64-bit hash of a key under a [Family]. Compute it once; it is
// valid for every structure of that family. Under another family the same key
// has a different digest. A digest of a secret family is itself secret: do not
// reveal it to anyone who chooses keys.
//
// Keys that are hashed already need no SipHash. A good 64-bit hash of the key,
// such as xxhash, or a random identifier is a digest by conversion, Digest(x),
// for the Digest methods of a structure. All 64 bits must be well mixed. Such
// digests give up the secret: anyone can find keys that collide. Use the same
// kind of digest for all keys of a structure. HeavyHitters, TopK and Window of
// package countmin keep the keys and hash them again when they are decoded, so
// they need digests of their family.
//
// If a structure never leaves the process, hash/maphash is faster than a
// Family, and its seed is not known outside. Each process has a seed of its
// own, so such a structure must not be stored or sent. If you store structures
// with another hash, give them a family that is derived for it, such as
// Family{}.Derive("xxhash64"). They then cannot be decoded where keys are
// hashed by the public family.
type Digest uint64

// multiplier is the factor between two values of a probe sequence. It is 5 mod
// 8, so its powers take 2^62 values before they repeat. It does well in the
// spectral test for multiplicative generators modulo 2^64 (Steele and Vigna,
// Software: Practice and Experience 52, 2022).
const multiplier = 0xD1342543DE82EF95

// A Probe is an element of a digest's sequence of pseudo-random 64-bit values.
// Element i, counted from 0, is the digest times multiplier^(i+1), so a step is
// one multiplication:
//
//	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
//		position := hashfam.Reduce(uint64(p), m)
//		...
//	}
//
// The digest itself is not in the sequence. Callers may therefore choose a
// shard by any bits of the digest: the positions of the keys of one shard
// remain uniform.
//
// Textbook double hashing, h1 + i*h2, is not good enough for small filters,
// because its positions form an arithmetic progression. Compared with
// independent functions, its false-positive rate is 16 % higher at m = 256 and
// k = 7, and 40 % higher at m = 100. The rate of this sequence is
// indistinguishable from that of independent functions. The tests of this
// package show both facts.
type Probe uint64

// Probe returns the first value of d's sequence. O(1) time: one multiplication,
// inlined.
func (d Digest) Probe() Probe { return Probe(d) * multiplier }

// Next returns the value after p. O(1) time: one multiplication, inlined. It
// returns a value and takes no pointer, so that a loop keeps the sequence in a
// register.
func (p Probe) Next() Probe { return p * multiplier }

// In returns p reduced to [0, n): a position among n. O(1) time: one
// multiplication, inlined.
func (p Probe) In(n uint64) uint64 { return Reduce(uint64(p), n) }

// Shard returns the shard, 0 to n-1, of a key with digest d among n shards. It
// returns 0 if n is less than 1. Each shard can hold any structures of the
// family. O(1) time.
func (d Digest) Shard(n int) int {
	return int(Reduce(uint64(d), uint64(max(n, 0))))
}

// Reduce maps x, which should be uniform over all 64-bit values, to [0, n). It
// returns the high half of the 128-bit product x*n (Lemire, ACM TOMACS 29,
// 2019). Reduce is monotonic in x, and Reduce(x, n/2) is Reduce(x, n)/2 for
// even n. It is exact for every n up to 2^64-1; Reduce(x, 0) is 0. O(1) time:
// one multiplication, inlined.
func Reduce(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}
