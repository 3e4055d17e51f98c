//go:build !purego && !race

package table

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// HasVector appends to dst, which must have enough room, whether t contains
// each digest's fingerprint. It returns false if the processor lacks AVX-512,
// if the table is not narrow, or if the number of buckets needs more than 32
// bits, which is too wide for the multiplications. Since the scheduler cannot
// interrupt assembly code, each call of the assembly function processes at most
// 1,024 digests.
func (t *Table) HasVector(dst []bool, p *Partners, digests []hashfam.Digest) ([]bool, bool) {
	if !cpu.AVX512 || !t.Narrow || p.buckets > math.MaxUint32 {
		return dst, false
	}
	for part := range slices.Chunk(digests, 1024) {
		end := len(dst)
		dst = dst[:end+len(part)]
		hasVector(dst[end:], t, p, part, hashfam.Digest(1).Probe())
	}
	return dst, true
}

// hasVector sets dst, which must be as long as digests and not empty, to the
// results for digests. It locates, reads and compares eight keys in parallel.
// Since this needs far fewer instructions per key, more cache misses overlap.
//
//go:noescape
func hasVector(dst []bool, t *Table, p *Partners, digests []hashfam.Digest, multiplier hashfam.Probe)
