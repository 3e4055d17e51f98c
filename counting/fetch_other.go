//go:build !amd64 || purego

package counting

import "github.com/filterfam/filterfam/hashfam"

// nextBlocks is nextGroup for the Blocked layout. All digests are one group.
func nextBlocks(counters nibbles, blocks uint64, digests []hashfam.Digest) (group, rest []hashfam.Digest) {
	loadBlocks(counters, blocks, digests)
	return digests, nil
}

// loadBlocks reads the blocks of the digests. These loads are next to each
// other, so that many of them are under way at once. The result is meaningless.
// The function is not inlined because a compiler that saw this would drop the
// loads.
//
//go:noinline
func loadBlocks(counters nibbles, blocks uint64, digests []hashfam.Digest) (sink uint64) {
	for _, d := range digests {
		b := blockOf(counters, blocks, d)
		sink |= b[0] | b[lineWords] | b[2*lineWords] | b[3*lineWords]
	}
	return sink
}
