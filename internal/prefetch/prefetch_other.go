//go:build !amd64 || purego || race

package prefetch

import "github.com/filterfam/filterfam/hashfam"

// Spread returns the first digests, which are a group, and the other digests.
// It reads the memory of the group first: for each digest, the bytes i*step +
// Reduce(v_i, bytes), where v_i is one of the first k values of its probe
// sequence.
func Spread(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64) (group, rest []hashfam.Digest) {
	n := min(Block, len(digests))
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

// Blocks is like Spread for keys that use one block of 256 bytes. There are n
// blocks. The first value of the probe sequence selects one of them.
func Blocks(array []uint64, digests []hashfam.Digest, n uint64) (group, rest []hashfam.Digest) {
	m := min(Block, len(digests))
	read := uint64(0)
	for _, d := range digests[:m] {
		b := array[d.Probe().In(n)*32:][:32]
		read |= b[0] | b[8] | b[16] | b[24]
	}
	Use(read)
	return digests[:m], digests[m:]
}

// Ready reports whether Has is faster than separate lookups of n digests.
func (a *Array) Ready(n int) bool { return false }

// Has appends a result for each digest to dst: whether all K counters are above
// zero.
func (a *Array) Has(dst []bool, digests []hashfam.Digest) []bool {
	return a.hasEach(dst, digests)
}
