package perfect

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// IndexAll appends the index of each digest to dst and returns the extended
// slice. It is faster than single calls if the function is larger than the
// cache.
func (f *Function) IndexAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, blockSize) {
		dst = f.indexBlock(dst, block)
	}
	return dst
}

// blockSize is the number of digests that batch methods process at a time. The
// memory for a block fits into the cache.
const blockSize = 128

// indexBlock appends the index of each digest to dst, which has room for them.
// It loads the seeds of all digests first, so that the processor overlaps the
// cache misses.
func (m *mapping) indexBlock(dst []uint64, digests []hashfam.Digest) []uint64 {
	if len(m.levels) == 0 {
		for _, d := range digests {
			dst = append(dst, m.index(d))
		}
		return dst
	}
	l := &m.levels[0]
	var found [blockSize]uint8
	for i, d := range digests {
		found[i] = l.seeds[l.bucket(d.Probe())]
	}
	for i, d := range digests {
		if seed := found[i]; seed != 0 {
			dst = append(dst, l.candidate(d.Probe()).place(l, uint64(seed)))
		} else {
			dst = append(dst, m.index(d))
		}
	}
	return dst
}
