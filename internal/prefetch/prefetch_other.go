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
	read := uint64(0)
	for _, d := range digests[:n] {
		p, base := d.Probe(), uint64(0)
		for range k {
			read |= array[(base+p.In(bytes))/8]
			p, base = p.Next(), base+step
		}
	}
	Use(read)
	return digests[:n], digests[n:]
}

// Blocks is Spread for keys of one block each: the first value of the sequence,
// reduced to n, is the number of a block of 256 bytes.
func Blocks(array []uint64, digests []hashfam.Digest, n uint64) (group, rest []hashfam.Digest) {
	m := min(size, len(digests))
	read := uint64(0)
	for _, d := range digests[:m] {
		b := array[d.Probe().In(n)*32:][:32]
		read |= b[0] | b[8] | b[16] | b[24]
	}
	Use(read)
	return digests[:m], digests[m:]
}
