//go:build !purego && !race

package prefetch

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

const (
	size = 4 // digests in a group

	// least is the number of digests from which Array.Has is faster than
	// separate lookups: the K reads of a group of eight wait for each other.
	least = 16
)

// multiplier is the first value of digest 1's probe sequence.
var multiplier = hashfam.Digest(1).Probe()

// Spread returns the first few digests, which are a group, and the other
// digests. It requests the memory of the next group: for each digest, the bytes
// i*step + Reduce(v_i, bytes), where v_i is one of the first k values of its
// probe sequence.
func Spread(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64) (group, rest []hashfam.Digest) {
	group, rest, next := split(digests)
	spread(array, next, k, bytes, step, multiplier)
	return group, rest
}

// Blocks is like Spread for keys that use one block of 256 bytes. There are n
// blocks. The first value of the probe sequence selects one of them.
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

// Ready reports whether Has is faster than separate lookups of n digests: n
// must be large enough, the processor must have the instructions, and Span must
// fit into 32 bits, which is what they multiply.
func (a *Array) Ready(n int) bool { return n >= least && a.fits() }

func (a *Array) fits() bool {
	return cpu.AVX512NoRace && a.Span <= math.MaxUint32 && len(a.Words) > 0
}

// Has appends a result for each digest to dst: whether all K counters are above
// zero. There must be 1 to Block digests, and dst must have room for the
// results.
func (a *Array) Has(dst []bool, digests []hashfam.Digest) []bool {
	if !a.fits() || a.K == 0 {
		return a.hasEach(dst, digests)
	}
	end := len(dst)
	dst = dst[:end+len(digests)]
	has(a, dst[end:], digests, multiplier)
	return dst
}

// has sets dst, which is as long as digests.
//
//go:noescape
func has(a *Array, dst []bool, digests []hashfam.Digest, multiplier hashfam.Probe)
