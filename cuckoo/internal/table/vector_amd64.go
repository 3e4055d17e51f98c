//go:build !purego && !race

package table

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// Vector reports whether HasVector can be used: a bucket must be one word, and
// the instructions multiply 32 bits.
func (t *Table) Vector(p *Partners) bool {
	return cpu.AVX512 && t.Narrow && p.buckets <= math.MaxUint32
}

// HasVector appends to dst, which has room for them, whether t holds the
// fingerprint of each digest. The scheduler cannot interrupt assembly, so each
// call gets 1024 digests, which take some 10 microseconds.
func (t *Table) HasVector(dst []bool, p *Partners, digests []hashfam.Digest) []bool {
	for len(digests) > 0 {
		n, end := min(len(digests), 1024), len(dst)
		dst = dst[:end+n]
		hasVector(dst[end:], t, p, digests[:n], hashfam.Digest(1).Probe())
		digests = digests[n:]
	}
	return dst
}

// hasVector sets dst, which is as long as digests and not empty, to the answer
// for each digest. It locates eight keys at once as cuckoo.Filter does one,
// reads one of their buckets with one instruction and compares all of them with
// one. As it has a tenth of the instructions, more cache misses overlap.
//
//go:noescape
func hasVector(dst []bool, t *Table, p *Partners, digests []hashfam.Digest, multiplier hashfam.Probe)
