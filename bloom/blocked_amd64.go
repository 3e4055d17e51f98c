//go:build !purego && !race

package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// useAVX512 is a variable, so that tests can turn it off. Builds with the race
// detector do without, because it does not see what assembly reads and writes.
var useAVX512 = cpu.AVX512

// powers[i] is value i of the sequence of digest 1. The table is as long as the
// loads of the longest sequence, 8 values at a time, reach.
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

// addLinesAVX512 adds digests, at least one, to the lines in words, at least
// one.
//
//go:noescape
func addLinesAVX512(words []uint64, digests []hashfam.Digest, k int)

// hasLinesAVX512 sets dst, which is as long as digests, to their answers.
//
//go:noescape
func hasLinesAVX512(dst []bool, words []uint64, digests []hashfam.Digest, k int)

// hasLineAVX512 is hasBlocked. It has half as many instructions, so that more
// lookups fit into the processor's window.
//
//go:noescape
func hasLineAVX512(words []uint64, digest hashfam.Digest, k int) bool

// addLineAVX512 is addBlocked. It reads and writes the line once, where Go does
// so for every position, and a position in a word that was just written waits
// for that.
//
//go:noescape
func addLineAVX512(words []uint64, digest hashfam.Digest, k int)
