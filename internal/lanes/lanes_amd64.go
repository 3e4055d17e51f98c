//go:build !purego && !race

package lanes

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// least is the number of digests from which Has is faster than a lookup per
// key. The reads of one group of eight wait for each other k times.
const least = 16

// Ready reports whether Has is faster than a lookup per key for n digests: if
// they are enough, the processor has the instructions, which multiply 32 bits,
// and the array is not too long for them.
func (a *Array) Ready(n int) bool { return n >= least && a.fits() }

func (a *Array) fits() bool {
	return cpu.AVX512NoRace && a.Span <= math.MaxUint32 && len(a.Words) > 0
}

// Has appends to dst whether all K counters of each digest are above zero. dst
// must have room, and there must be 1 to Block digests.
func (a *Array) Has(dst []bool, digests []hashfam.Digest) []bool {
	if !a.fits() || a.K == 0 {
		return a.hasEach(dst, digests)
	}
	end := len(dst)
	dst = dst[:end+len(digests)]
	has(a, dst[end:], digests, hashfam.Digest(1).Probe())
	return dst
}

// has sets dst, which is as long as digests. The multiplier is the first value
// of the sequence of digest 1.
//
//go:noescape
func has(a *Array, dst []bool, digests []hashfam.Digest, multiplier hashfam.Probe)
