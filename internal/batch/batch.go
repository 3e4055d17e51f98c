// Package batch looks up many keys at once, and so overlaps their cache misses.
//
// A processor works on a window of a few hundred instructions, so when the
// oldest of these waits for memory, the processor will soon wait, too. Since a
// lookup needs many instructions to read a few words, only a few lookups fit
// into the window and overlap. This package provides three ways to overlap more
// lookups.
//
// In builds with assembly code, [Spread] and [Blocks] request the memory for
// the next few keys, using instructions that do not wait, while the caller
// processes the current ones. [Lines] reads one cache line for each key before
// the lookups. [Array] looks up eight keys with each instruction. A caller that
// needs to compute addresses in another way, for example in a ribbon, should
// read the memory in a short loop, and then call [Use].
package batch

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// Block is the number of digests that should be processed at a time.
// [Array.Has] does not accept more digests.
const Block = 128

// multiplier is the first value of digest 1's probe sequence.
var multiplier = hashfam.Digest(1).Probe()

// Use has no effect. When a loop reads memory only to load it into the cache,
// Use must be called with the result, because otherwise the compiler could
// remove the loop.
//
//go:noinline
func Use(uint64) {}

// Spread returns the first few digests, which are called a group, and the other
// digests. In builds with assembly code, Spread also requests the memory of the
// next group, without waiting for it. In other builds, it loads the memory of
// the returned group.
//
// The array has the given number of bytes. A digest needs k of these bytes:
// byte Reduce(v, bytes) for each of the first k values v of its probe sequence.
func Spread(array []uint64, digests []hashfam.Digest, k int, bytes uint64) (group, rest []hashfam.Digest) {
	group, rest, next := split(digests)
	spread(array, next, k, bytes, multiplier)
	return group, rest
}

// Blocks is like Spread for keys that use one block of 256 bytes. There are n
// blocks. The first value of the probe sequence selects the block.
func Blocks(array []uint64, digests []hashfam.Digest, n uint64) (group, rest []hashfam.Digest) {
	group, rest, next := split(digests)
	blocks256(array, next, n, multiplier)
	return group, rest
}

// split returns the first group, all digests after it, and the group to load.
func split(digests []hashfam.Digest) (group, rest, next []hashfam.Digest) {
	n := min(size, len(digests))
	group, rest = digests[:n], digests[n:]
	if ahead {
		return group, rest, rest[:min(size, len(rest))]
	}
	return group, rest, group
}

// Lines loads one cache line for each digest: the first value of the probe
// sequence selects one of the lines, which have 64 bytes.
func Lines(words []uint64, lines uint64, digests []hashfam.Digest) {
	read := uint64(0)
	for _, d := range digests {
		read |= words[d.Probe().In(lines)*8]
	}
	Use(read)
}

// An Array describes where the counters of a key are. A counter has 1<<LogBits
// bits, up to 32, and a key has the K counters i*Step + Reduce(v_i, Span),
// where v_i is value i of the digest's probe sequence.
type Array struct {
	Words      []uint64
	K          int
	Span, Step uint64
	LogBits    uint64
}

// least is the minimum number of digests for which Has is faster than separate
// lookups. With fewer, too few reads overlap: Has processes groups of eight
// digests, and reads the next counter of each digest in a group only after
// testing the previous ones.
const least = 16

// Ready reports whether Has can be called and is faster than separate lookups
// of n digests. n must be large enough, and the processor must have AVX-512.
// Span must fit into 32 bits, because Has multiplies 32-bit numbers.
func (a *Array) Ready(n int) bool {
	return n >= least && useAVX512 && a.Span <= math.MaxUint32 && len(a.Words) > 0
}

// Has appends a result for each digest to dst: whether all K counters are above
// zero. It must only be called if [Array.Ready] returns true. There must be 1
// to Block digests, and dst must have room for the results.
func (a *Array) Has(dst []bool, digests []hashfam.Digest) []bool {
	end := len(dst)
	dst = dst[:end+len(digests)]
	has(a, dst[end:], digests, multiplier)
	return dst
}
