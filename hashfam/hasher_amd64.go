//go:build !purego && !appengine

package hashfam

import "github.com/filterfam/filterfam/internal/cpu"

// fewInstructions reports whether the processor can hash one key in half the
// instructions. A variable, so that tests can turn it off.
var fewInstructions = cpu.AVX512

// sum is inlined, so that a Hasher takes no more calls than a Family.
func (h Hasher) sum(key []byte) Digest {
	return sumKey(h.k0, h.k1, addressOf(key), len(key), h.far)
}

// sumKey returns the SipHash-2-4 of n bytes at first. If far is 1 it takes few
// instructions, which need AVX-512; if it is 0, those of package siphash.
//
//go:noescape
func sumKey(k0, k1 uint64, first *byte, n int, far uint64) Digest
