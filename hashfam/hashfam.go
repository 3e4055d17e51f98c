// Package hashfam is the one family of hash functions that every structure of
// filterfam draws from.
//
// A key is hashed once, by SipHash-2-4 under a 128-bit secret (Aumasson and
// Bernstein, INDOCRYPT 2012), to a 64-bit [Digest]. Whatever a structure needs
// beyond that, it derives from the digest: [Digest.Probe] yields as many
// positions as a Bloom filter has hash functions, and [Reduce] maps a 64-bit
// value to a range of any size. Two keys with one digest are one key to every
// structure, so no structure can promise a false-positive rate below n/2^64
// for n keys.
//
// The zero [Family] is public: its functions are fixed and the same in every
// process, so that filters built anywhere can be merged. Whoever chooses the
// keys can then also choose keys that collide. Where keys come from strangers,
// draw a secret with [RandomKey] and build the family with [New], or use
// [Random] for a family that lives as long as the process.
//
// A Family is a small value without mutable state: copy it, compare it with
// ==, share it among goroutines. No function of this package allocates, except
// [Family.SumAll] and its relatives if dst has to grow, [Family.Derive] for long
// labels, and the text forms.
package hashfam

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A Key is the secret that selects one [Family]. Anyone who knows it can craft
// colliding keys: store it as you store other secrets, never beside the filters
// built with it. The zero Key is the public one. Printing, logging or marshaling
// a Key as text shows "hashfam.Key(hidden)"; its bytes are k[:].
type Key [16]byte

// RandomKey draws a key from crypto/rand.
func RandomKey() Key {
	var k Key
	rand.Read(k[:]) // never fails: crypto/rand ends the program instead
	return k
}

// A Family is a set of hash functions selected by a [Key]. The zero value is
// the public family. Families are comparable: equal families hash alike.
// Printing a Family, or anything that holds one in an exported field, shows its
// check value and not its key. Package fmt calls no methods of unexported
// fields, nor for the misplaced verbs %p and %w: a type that keeps a Family in
// an unexported field needs a Format method of its own.
type Family struct {
	k0, k1 uint64
}

// New returns the family that key selects. New(Key{}) is the public family,
// the zero Family.
func New(key Key) Family {
	return Family{
		k0: binary.LittleEndian.Uint64(key[:8]),
		k1: binary.LittleEndian.Uint64(key[8:]),
	}
}

// Random returns the family of a fresh [RandomKey]. Its key cannot be read
// back, so nothing stored under it can be loaded by another process: use
// New(RandomKey()) and keep the key where filters outlive the process.
func Random() Family { return New(RandomKey()) }

// Derive returns a family that depends on f's key and label, and behaves as if
// drawn independently of f and of every other label. One secret can so serve
// many filters, none of which shares its false positives with another. A
// family derived from the public family is public too.
//
// The new key is the 128-bit SipHash-2-4 of the label under f's key, which is
// another function than the 64-bit one that hashes keys.
func (f Family) Derive(label string) Family {
	k0, k1 := siphash.Hash128(f.k0, f.k1, []byte("filterfam derive\x00"+label))
	return Family{k0: k0, k1: k1}
}

// CheckValue names the family without revealing its key: equal families have
// equal check values, and two different ones agree with probability 2^-64. It
// is what an encoded filter carries instead of the key.
func (f Family) CheckValue() uint64 {
	v, _ := siphash.Hash128(f.k0, f.k1, []byte("filterfam check"))
	return v
}

// Public reports whether f is the zero Family, whose functions everybody
// knows.
func (f Family) Public() bool { return f == Family{} }

// Sum returns the digest of key, the SipHash-2-4 of its bytes. The empty key
// is a key like any other, and nil is the empty key. O(len(key)) time, about
// one nanosecond a byte beyond the first eight; no allocation; key is not
// kept.
func (f Family) Sum(key []byte) Digest {
	return Digest(siphash.Hash(f.k0, f.k1, key))
}

// SumString is [Family.Sum] of the bytes of key, which are not copied.
func (f Family) SumString(key string) Digest {
	return Digest(siphash.Hash(f.k0, f.k1, stringBytes(key)))
}

// SumUint64 is [Family.Sum] of the eight little-endian bytes of key.
func (f Family) SumUint64(key uint64) Digest {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], key)
	return Digest(siphash.Hash(f.k0, f.k1, b[:]))
}
