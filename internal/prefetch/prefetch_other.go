//go:build !amd64 || purego

package prefetch

import "github.com/filterfam/filterfam/hashfam"

// size is how many digests are a group.
const size = 128

// Spread returns a group of digests, from the first on, and the others, after
// it has read the memory of the group: of each digest the first k values of its
// sequence, reduced to the given number of bytes. Each is step bytes behind the
// one before it.
func Spread(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64) (group, rest []hashfam.Digest) {
	n := min(size, len(digests))
	load(array, digests[:n], k, bytes, step)
	return digests[:n], digests[n:]
}

// Blocks is Spread for keys of one block each: the first value of the sequence,
// reduced to n, is the number of a block of 256 bytes.
func Blocks(array []uint64, digests []hashfam.Digest, n uint64) (group, rest []hashfam.Digest) {
	m := min(size, len(digests))
	loadBlocks(array, digests[:m], n)
	return digests[:m], digests[m:]
}

// load reads the memory of the digests. These loads are next to each other, so
// that many of them are under way at once. The result is meaningless. The
// function is not inlined because a compiler that saw this would drop the
// loads.
//
//go:noinline
func load(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64) (sink uint64) {
	for _, d := range digests {
		p, base := d.Probe(), uint64(0)
		for range k {
			sink |= array[(base+p.In(bytes))/8]
			p, base = p.Next(), base+step
		}
	}
	return sink
}

// loadBlocks is load for Blocks.
//
//go:noinline
func loadBlocks(array []uint64, digests []hashfam.Digest, n uint64) (sink uint64) {
	for _, d := range digests {
		b := array[d.Probe().In(n)*32:][:32]
		sink |= b[0] | b[8] | b[16] | b[24]
	}
	return sink
}
