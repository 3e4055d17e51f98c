package countmin

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll counts every key once. It does the same as [ConcurrentSketch.Add] on
// each, in less time: what an Add pays for the total is paid once for 128 keys.
// O(depth) time a key, no allocation; no key is kept.
func (c *ConcurrentSketch) AddAll(keys [][]byte) { addAllConcurrentSketch(c, keys) }

// AddAllDigests is [ConcurrentSketch.AddAll] for keys already hashed by the
// sketch's family.
func (c *ConcurrentSketch) AddAllDigests(digests []hashfam.Digest) {
	for block := range slices.Chunk(digests, batch.Size) {
		c.addBlock(block)
	}
}

// AddAllStrings is [ConcurrentSketch.AddAll] for strings.
func (c *ConcurrentSketch) AddAllStrings(keys []string) { addAllConcurrentSketch(c, keys) }

// AddAllUint64 is [ConcurrentSketch.AddAll] for integers, each the key of its
// eight little-endian bytes.
func (c *ConcurrentSketch) AddAllUint64(keys []uint64) { addAllConcurrentSketch(c, keys) }

// addAllConcurrentSketch is [ConcurrentSketch.AddAll] for keys of any form.
func addAllConcurrentSketch[K batch.Key](c *ConcurrentSketch, keys []K) {
	for _, key := range batch.Few(&keys) {
		c.AddDigest(batch.Sum(c.params.Family, key))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		c.addBlock(batch.Take(&b, c.params.Family, &keys))
	}
}

// AddSeq counts every key of a sequence once. A key needs to be valid only
// until the sequence yields the next one. Keys are counted in blocks of 128,
// the last ones when the sequence ends. O(depth) time a key, about a kilobyte
// of memory.
func (c *ConcurrentSketch) AddSeq(keys iter.Seq[[]byte]) {
	for block := range batch.Blocks(c.params.Family, keys) {
		c.addBlock(block)
	}
}

// CountAll appends the answer of [ConcurrentSketch.Count] for each key to dst
// and returns the extended slice. O(depth) time a key; it allocates only if dst
// has to grow.
func (c *ConcurrentSketch) CountAll(dst []uint64, keys [][]byte) []uint64 {
	return countAllConcurrentSketch(c, dst, keys)
}

// CountAllDigests is [ConcurrentSketch.CountAll] for keys already hashed by the
// sketch's family.
func (c *ConcurrentSketch) CountAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Size) {
		dst = c.cells.countRows(dst, block)
	}
	return dst
}

// CountAllStrings is [ConcurrentSketch.CountAll] for strings.
func (c *ConcurrentSketch) CountAllStrings(dst []uint64, keys []string) []uint64 {
	return countAllConcurrentSketch(c, dst, keys)
}

// CountAllUint64 is [ConcurrentSketch.CountAll] for integers.
func (c *ConcurrentSketch) CountAllUint64(dst []uint64, keys []uint64) []uint64 {
	return countAllConcurrentSketch(c, dst, keys)
}

// countAllConcurrentSketch is [ConcurrentSketch.CountAll] for keys of any form.
func countAllConcurrentSketch[K batch.Key](c *ConcurrentSketch, dst []uint64, keys []K) []uint64 {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, c.CountDigest(batch.Sum(c.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = c.cells.countRows(dst, batch.Take(&b, c.params.Family, &keys))
	}
	return dst
}

// addBlock counts every digest once. Conservative update goes key by key, each
// in its own lane.
func (c *ConcurrentSketch) addBlock(digests []hashfam.Digest) {
	if len(digests) == 0 || c.gate == nil {
		return
	}
	if c.params.Conservative {
		for _, d := range digests {
			c.AddNDigest(d, 1)
		}
		return
	}
	l, n := c.gate.lane(digests[0]), uint64(len(digests))
	alone := c.gate.enter(l, n)
	c.cells.addRows(digests)
	c.gate.leave(l, n, alone)
}
