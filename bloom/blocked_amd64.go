//go:build !purego && !race

package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// useAVX512 is a variable so that tests can turn it off. Builds with the race
// detector do not contain this file, because the race detector does not see
// memory accesses in assembly.
var useAVX512 = cpu.AVX512

// powers[i] is value i of digest 1's probe sequence. Value 0 selects a line,
// and values 1 to 255 select the positions of up to 255 hash functions. Value
// 256 is not used, but assembly loads the powers of positions in groups of
// eight.
//
//lint:ignore U1000 assembly reads it
var powers = func() (list [1 + 256]uint64) {
	p := hashfam.Digest(1).Probe()
	for i := range list {
		list[i] = uint64(p)
		p = p.Next()
	}
	return list
}()

// addLinesAVX512 adds digests to the lines in words. Neither may be empty.
//
//go:noescape
func addLinesAVX512(words []uint64, digests []hashfam.Digest, k int)

// hasLinesAVX512 sets dst[i] to the result for digests[i]. The lengths must
// match.
//
//go:noescape
func hasLinesAVX512(dst []bool, words []uint64, digests []hashfam.Digest, k int)

// hasLineAVX512 is like hasBlocked, but tests eight positions at a time. Since
// it needs fewer instructions, more lookups fit into the CPU's instruction
// window.
//
//go:noescape
func hasLineAVX512(words []uint64, digest hashfam.Digest, k int) bool

// addLineAVX512 is like addBlocked, but reads and writes the line only once. In
// contrast, addBlocked reads and writes a word for every position, and must
// wait when it reads a word that it has just written.
//
//go:noescape
func addLineAVX512(words []uint64, digest hashfam.Digest, k int)
