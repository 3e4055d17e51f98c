//go:build !amd64 || purego || appengine

package hashfam

import "github.com/dchest/siphash"

const fewInstructions = false

func (h Hasher) sum(key []byte) Digest { return Digest(siphash.Hash(h.k0, h.k1, key)) }

// sumGroups hashes no keys in groups, and returns all keys.
func sumGroups[K bytesOrString](_ Family, dst []Digest, keys []K) ([]Digest, []K) { return dst, keys }

// sumUint64Groups is like sumGroups for numbers.
func (f Family) sumUint64Groups(dst []Digest, keys []uint64) ([]Digest, []uint64) { return dst, keys }
