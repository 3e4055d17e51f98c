// Package hashfam provides the hash functions that all structures of filterfam
// share.
//
//   - hash a key: [Family.Sum], [Family.SumString], [Family.SumUint64]
//   - hash many: [Family.SumAll], [Family.SumAllStrings], [Family.SumAllUint64]
//   - keep untrusted keys out: [Random], or [RandomKey] and [New]
//   - separate uses of one secret: [Family.Derive]
//   - store a secret: the bytes of a [Key], k[:]
//   - draw positions and shards: [Digest.Probe], [Probe.Next], [Digest.Shard]
//   - inspect errors of all packages: [FieldError] and the Err variables
//
// A key is hashed once, by SipHash-2-4 under a 128-bit secret (Aumasson and
// Bernstein, INDOCRYPT 2012), to a 64-bit [Digest]. A structure derives all
// other values from the digest: [Digest.Probe] returns a sequence with a value
// for each hash function of a Bloom filter, and [Reduce] maps a 64-bit value to
// a range of any size. Structures cannot distinguish two keys with the same
// digest, so a false-positive rate below n/2^64 for n keys is impossible.
//
// The zero [Family] is public: its functions are fixed and the same in every
// process, so that filters built anywhere can be merged. But anyone who chooses
// keys can then choose keys that collide. If untrusted parties choose keys,
// draw a secret with [RandomKey] and make the family with [New], or use
// [Random] for a family that lives as long as the process.
//
// A Family is a small immutable value: copy it, compare it with ==, share it
// among goroutines. No function of this package allocates, except
// [Family.SumAll] and its relatives if dst is too small, [Family.Derive] for
// long labels, and the functions that return or read text.
//
// Read hashfam.go for keys and families, digest.go for what structures draw
// from a digest, and sumall.go for batches; sip_*_amd64.s hash several keys at
// once.
package hashfam

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A Key is the secret that selects a [Family]. Anyone who knows it can craft
// keys that collide. Store it like other secrets, and not together with the
// filters built with it. The zero Key selects the public family. Printing,
// logging or marshaling a Key shows "hashfam.Key(hidden)"; k[:] is its bytes.
type Key [16]byte

// RandomKey returns a random key from crypto/rand. O(1) time.
func RandomKey() Key {
	var k Key
	rand.Read(k[:]) // never fails: crypto/rand ends the program instead
	return k
}

// A Family is a set of hash functions selected by a [Key]. The zero value is
// the public family. Families are comparable, and equal families compute equal
// digests.
//
// Printing a Family, or a struct that has one in an exported field, shows its
// check value and not its key. Package fmt does not call methods on unexported
// fields, or for %p and %w. So a type that keeps a Family in an unexported
// field needs a Format method of its own.
type Family struct {
	k0, k1 uint64
}

// New returns the family that key selects. New(Key{}) is the public family, the
// zero Family. O(1) time.
func New(key Key) Family {
	return Family{
		k0: binary.LittleEndian.Uint64(key[:8]),
		k1: binary.LittleEndian.Uint64(key[8:]),
	}
}

// Random returns the family of a new [RandomKey]. Its key cannot be retrieved,
// so another process cannot decode filters of this family. If filters outlive
// the process, keep the key and use New(key). O(1) time.
func Random() Family { return New(RandomKey()) }

// Derive returns a family that is determined by f's key and label, and behaves
// as if drawn independently of f and of the families of other labels. One
// secret can thus serve many filters that do not share their false positives. A
// family derived from the public family is public, too. O(len(label)) time; it
// allocates only for long labels.
//
// The new key is the 128-bit SipHash-2-4 of the label under f's key, a
// different function from the 64-bit one that hashes keys.
func (f Family) Derive(label string) Family {
	k0, k1 := siphash.Hash128(f.k0, f.k1, []byte("filterfam derive\x00"+label))
	return Family{k0: k0, k1: k1}
}

// CheckValue returns a number that identifies the family without revealing its
// key. Equal families have equal check values; those of two different families
// are equal with probability 2^-64. An encoded filter contains the check value
// instead of the key. O(1) time, no allocation.
func (f Family) CheckValue() uint64 {
	v, _ := siphash.Hash128(f.k0, f.k1, []byte("filterfam check"))
	return v
}

// Public reports whether f is the zero Family, whose functions are publicly
// known. O(1) time.
func (f Family) Public() bool { return f == Family{} }

// Sum returns the digest of key, the SipHash-2-4 of its bytes. The empty key is
// a valid key, and nil is the empty key. O(len(key)) time, about one nanosecond
// per byte after the first eight; no allocation. Sum does not keep key.
func (f Family) Sum(key []byte) Digest {
	return Digest(siphash.Hash(f.k0, f.k1, key))
}

// SumString is [Family.Sum] of the bytes of key. It does not copy them.
func (f Family) SumString(key string) Digest {
	return Digest(siphash.Hash(f.k0, f.k1, stringBytes(key)))
}

// SumUint64 is [Family.Sum] of the eight little-endian bytes of key.
func (f Family) SumUint64(key uint64) Digest {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], key)
	return Digest(siphash.Hash(f.k0, f.k1, b[:]))
}
