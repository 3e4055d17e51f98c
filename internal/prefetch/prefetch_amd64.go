//go:build !purego

package prefetch

import "github.com/filterfam/filterfam/hashfam"

// size is how many digests are a group. Their memory is on its way while the
// group before them is worked on.
const size = 4

// multiplier is the first value of the sequence of digest 1.
var multiplier = hashfam.Digest(1).Probe()

// Spread returns a group of digests, from the first on, and the others. It asks
// for the memory of the group after it: of each digest the first k values of
// its sequence, reduced to the given number of bytes. Each is step bytes behind
// the one before it.
func Spread(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64) (group, rest []hashfam.Digest) {
	group, rest, next := split(digests)
	spread(array, next, k, bytes, step, multiplier)
	return group, rest
}

// Blocks is Spread for keys of one block each: the first value of the sequence,
// reduced to n, is the number of a block of 256 bytes.
func Blocks(array []uint64, digests []hashfam.Digest, n uint64) (group, rest []hashfam.Digest) {
	group, rest, next := split(digests)
	blocks256(array, next, n, multiplier)
	return group, rest
}

// split returns the first group, all digests after it, and the group after it.
func split(digests []hashfam.Digest) (group, rest, next []hashfam.Digest) {
	n := min(size, len(digests))
	group, rest = digests[:n], digests[n:]
	return group, rest, rest[:min(size, len(rest))]
}

//go:noescape
func spread(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64, multiplier hashfam.Probe)

//go:noescape
func blocks256(array []uint64, digests []hashfam.Digest, n uint64, multiplier hashfam.Probe)
