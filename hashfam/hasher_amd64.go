//go:build !purego && !appengine

package hashfam

import "github.com/filterfam/filterfam/internal/cpu"

// fewInstructions reports whether the CPU supports the version with half the
// instructions. It is a variable so that tests can turn it off.
var fewInstructions = cpu.AVX512

// sum is inlined, so a Hasher needs no more calls than a Family.
func (h Hasher) sum(key []byte) Digest {
	return sumKey(h.k0, h.k1, addressOf(key), len(key), h.far)
}

// sumKey returns the SipHash-2-4 of the n bytes at first. If far is 1, it uses
// the version with few instructions, which requires AVX-512. If far is 0, it
// uses the same instructions as package siphash.
//
//go:noescape
func sumKey(k0, k1 uint64, first *byte, n int, far uint64) Digest
