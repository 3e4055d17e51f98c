package hashfam

import "math/bits"

// A Digest is the 64-bit hash of a key under one [Family]. It is computed once
// and is valid for every structure of that family; under another family the
// same key has another digest. A digest of a secret family is itself secret: do
// not reveal it to anyone who chooses keys.
type Digest uint64

// multiplier spreads a digest over the positions of its probe sequence. It is
// 5 mod 8, so that its powers run through 2^62 values before they repeat, and
// it does well in the spectral test for multiplicative generators modulo 2^64
// (Steele and Vigna, Software: Practice and Experience 52, 2022).
const multiplier = 0xD1342543DE82EF95

// A Probe is a place in a digest's sequence of pseudo-random 64-bit values. The
// i-th value (from 0) is the digest times multiplier^(i+1), so a step is one
// multiplication:
//
//	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
//		position := hashfam.Reduce(uint64(p), m)
//		...
//	}
//
// The digest itself is not in the sequence. A caller may therefore spread keys
// over shards by any bits of the digest: the positions in the structures behind
// a shard remain uniform.
//
// Textbook double hashing, h1 + i*h2, is not good enough for small filters: at
// m = 256 and k = 7 it errs 16 % more often than independent functions, at
// m = 100 it errs 40 % more often, because its positions form an arithmetic
// progression. The rate of this sequence cannot be distinguished from that of
// independent functions. The tests of this package show both facts.
type Probe uint64

// Probe returns the first value of d's sequence. It is inlined.
func (d Digest) Probe() Probe { return Probe(d) * multiplier }

// Next returns the value after p. It is inlined, and since it takes no pointer
// a loop keeps the sequence in a register.
func (p Probe) Next() Probe { return p * multiplier }

// In returns p reduced to [0, n): a position among n. It is inlined.
func (p Probe) In(n uint64) uint64 { return Reduce(uint64(p), n) }

// Shard returns the number of the shard, 0 to n-1, that a key with digest d
// belongs to, if keys are spread over n shards; 0 if n is less than 1. Each of
// the shards can hold any structures of the family. O(1) time.
func (d Digest) Shard(n int) int {
	return int(Reduce(uint64(d), uint64(max(n, 0))))
}

// Reduce maps x, uniform over all 64-bit values, to [0, n) by taking the high
// half of the 128-bit product x*n (Lemire, ACM TOMACS 29, 2019). It keeps
// order, so Reduce(x, n/2) is Reduce(x, n)/2 for even n, and it is exact for
// every n up to 2^64-1. Reduce(x, 0) is 0. It is inlined.
func Reduce(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}
