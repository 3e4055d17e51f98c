//go:build !purego && !race

package cuckoo

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// useAVX512 is a variable, so that tests can turn it off. Builds with the race
// detector do without, because it does not see what assembly reads and writes.
var useAVX512 = cpu.AVX512

// inLanes reports whether hasLanes can be used: a bucket must be one word, and
// the instructions multiply 32 bits.
func (f *Filter) inLanes() bool {
	return useAVX512 && (f.table.kind == single || f.table.kind == compact) && f.moves.buckets <= math.MaxUint32
}

// hasInLanes appends the answer for each digest to dst, which has room for
// them. The scheduler cannot interrupt assembly, so each call gets 1024
// digests, which take some 10 microseconds.
func (f *Filter) hasInLanes(dst []bool, digests []hashfam.Digest) []bool {
	for len(digests) > 0 {
		n, end := min(len(digests), 1024), len(dst)
		dst = dst[:end+n]
		hasLanes(dst[end:], &f.table, &f.moves, digests[:n], hashfam.Digest(1).Probe())
		digests = digests[n:]
	}
	return dst
}

// hasLanes sets dst, which is as long as digests and not empty, to the answer
// for each digest. It locates eight keys at once, reads one of their buckets
// with one instruction and compares all of them with one. As it has a tenth of
// the instructions, more cache misses overlap.
//
//go:noescape
func hasLanes(dst []bool, t *table, moves *relocation, digests []hashfam.Digest, multiplier hashfam.Probe)
