package countmin

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// AddAll has the same effect as calling [Sketch.AddDigest] for each digest. It
// is faster unless the sketch is conservative. Use Family().SumAll to compute
// the digests.
func (s *Sketch) AddAll(digests []hashfam.Digest) {
	rows := s.rows()
	if s.params.Conservative {
		for _, d := range digests {
			s.AddDigest(d)
		}
		return
	}
	for block := range slices.Chunk(digests, blockSize) {
		rows.addAll(s.params.Width, block)
	}
	s.total = sizing.SaturatingAdd(s.total, uint64(len(digests)))
}

// CountAll appends the result of CountDigest for each digest to dst and returns
// the extended slice. It is faster than single calls if the sketch is larger
// than the cache.
func (s *Sketch) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	rows := s.rows()
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, blockSize) {
		end := len(dst)
		for range block {
			dst = append(dst, math.MaxUint64)
		}
		rows.countAll(dst[end:], s.params.Width, block)
	}
	return dst
}

// blockSize is the number of keys that the batch methods process in one row
// before they proceed to the next row. The keys do not depend on each other, so
// their cache misses overlap.
const blockSize = 128

// addAll adds 1 to the counters of every digest.
func (c cells[C]) addAll(w uint64, digests []hashfam.Digest) { addRows(c, w, digests) }

func addRows[C counter](c cells[C], w uint64, digests []hashfam.Digest) {
	for p := hashfam.Digest(1).Probe(); len(c) > 0; p = p.Next() {
		row := c[:w]
		for _, d := range digests {
			bump(&row[(hashfam.Probe(d)*p).In(w)], 1)
		}
		c = c[w:]
	}
}

// countAll lowers each of counts to the minimum of its digest's counters.
func (c cells[C]) countAll(counts []uint64, w uint64, digests []hashfam.Digest) {
	for p := hashfam.Digest(1).Probe(); len(c) > 0; p = p.Next() {
		row := c[:w]
		for i, d := range digests {
			counts[i] = min(counts[i], uint64(row[(hashfam.Probe(d)*p).In(w)]))
		}
		c = c[w:]
	}
}
