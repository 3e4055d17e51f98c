//go:build !amd64 || purego || appengine

package hashfam

import "github.com/dchest/siphash"

const fewInstructions = false

func (h Hasher) sum(key []byte) Digest { return Digest(siphash.Hash(h.k0, h.k1, key)) }
