package ribbon

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/prefetch"
)

// blockSize is the largest number of digests that are looked up together. It is
// a multiple of 8. Their words fit into the cache.
const blockSize = 128

// ContainsAll appends the answer of [Ribbon.Contains] for each digest to dst.
// It fetches the words of a block of digests before it looks at one, so that
// the processor overlaps many cache misses. It allocates only if dst is too
// small.
func (r *Ribbon) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	if len(r.layers) == 0 {
		for range digests {
			dst = append(dst, r.columns == 0)
		}
		return dst
	}
	if useAVX512 && r.layers[0].starts <= math.MaxUint32 {
		return r.containsVectors(dst, digests)
	}
	for block := range slices.Chunk(digests, blockSize) {
		r.fetch(block)
		for _, d := range block {
			dst = append(dst, r.Contains(d))
		}
	}
	return dst
}

// fetch loads the words of every digest in the first layer into the cache.
func (r *Ribbon) fetch(digests []hashfam.Digest) {
	read := uint64(0)
	l := &r.layers[0]
	for _, d := range digests {
		s := segment(d.Probe().In(l.starts))
		read ^= l.words[l.at(s)] ^ l.words[l.at(s+1)]
	}
	prefetch.Use(read)
}
