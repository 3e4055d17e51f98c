package countmin

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// blockSize is how many keys are counted in one row before the next: enough
// that many cache misses are under way at once.
const blockSize = 128

// AddAll counts the key of every digest once. It does the same as
// [Sketch.AddDigest] on each, in less time. O(depth) time a key, no allocation.
// Hash keys with [hashfam.Family.SumAll] and its like for strings and integers.
func (s *Sketch) AddAll(digests []hashfam.Digest) {
	rows := s.rows()
	for block := range slices.Chunk(digests, blockSize) {
		rows.addAll(&s.params, block)
	}
	s.total = tracker.AddSat(s.total, uint64(len(digests)))
}

// CountAll appends the answer of [Sketch.CountDigest] for each digest to dst
// and returns the extended slice. It takes less time than single calls.
// O(depth) time a key; it allocates only if dst has to grow.
func (r *reader) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	rows := r.rows()
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, blockSize) {
		end := len(dst)
		for range block {
			dst = append(dst, math.MaxUint64)
		}
		rows.countAll(dst[end:], r.params.Width, block)
	}
	return dst
}

// A block is counted in one row after the other: the keys of a row do not wait
// for each other.

// addAll adds one to the counters of every digest.
func (c cells[C]) addAll(params *Params, digests []hashfam.Digest) {
	if params.Conservative {
		for _, d := range digests {
			c.add(params, d, 1)
		}
		return
	}
	w := params.Width
	for p := hashfam.Digest(1).Probe(); len(c) > 0; p = p.Next() {
		row := c[:w]
		for _, d := range digests {
			bump(&row[(hashfam.Probe(d)*p).In(w)], 1)
		}
		c = c[w:]
	}
}

// countAll makes the counts, one for each digest, no more than its counters.
func (c cells[C]) countAll(counts []uint64, w uint64, digests []hashfam.Digest) {
	for p := hashfam.Digest(1).Probe(); len(c) > 0; p = p.Next() {
		row := c[:w]
		for i, d := range digests {
			counts[i] = min(counts[i], uint64(row[(hashfam.Probe(d)*p).In(w)]))
		}
		c = c[w:]
	}
}
