//go:build !purego

package counting

import "github.com/filterfam/filterfam/hashfam"

// groupSize is how many digests nextBlocks returns. Their blocks are fetched
// while those before them are worked on.
const groupSize = 4

// nextBlocks is nextGroup for the Blocked layout. It asks for the blocks of the
// group after the one it returns.
func nextBlocks(counters nibbles, blocks uint64, digests []hashfam.Digest) (group, rest []hashfam.Digest) {
	n := min(groupSize, len(digests))
	group, rest = digests[:n], digests[n:]
	prefetchBlocks(counters, rest[:min(groupSize, len(rest))], blocks, hashfam.Digest(1).Probe())
	return group, rest
}

// prefetchBlocks asks for the blocks of the digests. The multiplier is the
// first value of the sequence of digest 1.
//
//go:noescape
func prefetchBlocks(counters nibbles, digests []hashfam.Digest, blocks uint64, multiplier hashfam.Probe)
