package hashfam

import "fmt"

// A Hasher computes digests for a structure of a known size. They are those of
// its [Family], in the instructions that are best for that size.
//
// A processor looks ahead a few hundred instructions. In a structure that does
// not fit in the cache a call mostly waits for memory, and the next call's
// reads begin meanwhile only if the instructions before them, most of which are
// those of the hash, are few. So a large structure takes half the instructions,
// though each of them waits longer for the one before.
type Hasher struct {
	k0, k1 uint64
	far    uint64 // 1 to take few instructions, else 0
}

// farBytes is the size from which a structure is far from the processor: it
// does not stay in the cache that the cores share, beside what else they read.
// In a structure that does, few instructions take up to 1.4 times as long.
const farBytes = 8 << 20

// Hasher returns a hasher of f for a structure of the given number of bytes.
// O(1) time.
func (f Family) Hasher(bytes uint64) Hasher {
	h := Hasher{k0: f.k0, k1: f.k1}
	if fewInstructions && bytes >= farBytes {
		h.far = 1
	}
	return h
}

// Family returns the family of h.
func (h Hasher) Family() Family { return Family{h.k0, h.k1} }

// Sum returns the digest of key, [Family.Sum].
func (h Hasher) Sum(key []byte) Digest { return h.sum(key) }

// SumString returns the digest of key, [Family.SumString].
func (h Hasher) SumString(key string) Digest { return h.sum(stringBytes(key)) }

// String returns [Family.String]. It does not show the key.
func (h Hasher) String() string { return h.Family().String() }

// MarshalText returns [Family.String]. A Hasher cannot be read from it: make it
// again from its family.
func (h Hasher) MarshalText() ([]byte, error) { return h.Family().MarshalText() }

// Format prints String for every verb, as [Family.Format] explains.
func (h Hasher) Format(s fmt.State, _ rune) { fmt.Fprint(s, h.String()) }
