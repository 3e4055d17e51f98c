package hashfam

import "fmt"

// A Hasher computes the same digests as its [Family], using the instructions
// that are best for a structure's size. The structures of this library use one,
// so a program needs a Hasher only for a structure of its own.
//
// If a structure does not fit in the cache, a lookup spends most of its time
// waiting for memory. Meanwhile, the CPU looks ahead a few hundred
// instructions, most of which compute hashes. If a hash needs fewer
// instructions, the CPU reaches the loads of the next lookup earlier. On CPUs
// with AVX-512, a Hasher for a large structure therefore uses about a third
// fewer instructions. A single hash then takes longer, so a Hasher for a
// smaller structure does not use them.
type Hasher struct {
	k0, k1 uint64
	far    uint64 // 1 to use few instructions, otherwise 0
}

// farBytes is the minimum size of structures that are assumed not to fit in the
// cache that the cores share. Other data needs space in this cache, too. For
// smaller structures, the hash function with fewer instructions is slower.
const farBytes = 8 << 20

// Hasher returns a hasher of f for a structure with the given size in bytes.
func (f Family) Hasher(bytes uint64) Hasher {
	h := Hasher{k0: f.k0, k1: f.k1}
	if fewInstructions && bytes >= farBytes {
		h.far = 1
	}
	return h
}

// Family returns the family of h.
func (h Hasher) Family() Family { return Family{h.k0, h.k1} }

// Sum is like [Family.Sum].
func (h Hasher) Sum(key []byte) Digest { return h.sum(key) }

// SumString is like [Family.SumString].
func (h Hasher) SumString(key string) Digest { return h.sum(stringBytes(key)) }

// String returns the result of [Family.String], which does not contain the key.
func (h Hasher) String() string { return h.Family().String() }

// MarshalText returns the result of [Family.String]. There is no UnmarshalText:
// create a Hasher from its family instead.
func (h Hasher) MarshalText() ([]byte, error) { return h.Family().MarshalText() }

// Format prints the result of String for every verb; see [Family.Format].
func (h Hasher) Format(s fmt.State, _ rune) { fmt.Fprint(s, h.String()) }
