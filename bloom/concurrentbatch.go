package bloom

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds every key, like [Concurrent.Add] on each, at its cost. It takes
// less time than single calls, above all if the filter is larger than the
// cache. AddAll does not keep any key.
func (c *Concurrent) AddAll(keys [][]byte) {
	var b batch.Buffer
	for len(keys) > 0 {
		c.addChunk(b.Take(c.filter.params.Family, &keys))
	}
}

// AddAllStrings is [Concurrent.AddAll] for strings.
func (c *Concurrent) AddAllStrings(keys []string) {
	var b batch.Buffer
	for len(keys) > 0 {
		c.addChunk(b.TakeStrings(c.filter.params.Family, &keys))
	}
}

// AddAllUint64 is [Concurrent.AddAll] for integers: each key is the eight
// little-endian bytes of one.
func (c *Concurrent) AddAllUint64(keys []uint64) {
	var b batch.Buffer
	for len(keys) > 0 {
		c.addChunk(b.TakeUint64(c.filter.params.Family, &keys))
	}
}

// AddAllDigests is [Concurrent.AddAll] for keys already hashed by the filter's
// family.
func (c *Concurrent) AddAllDigests(digests []hashfam.Digest) {
	for chunk := range slices.Chunk(digests, batch.Size) {
		c.addChunk(chunk)
	}
}

// AddSeq adds every key of a sequence. A key needs to be valid only until the
// sequence yields the next one. O(k) time per key, one allocation of a
// kilobyte.
func (c *Concurrent) AddSeq(keys iter.Seq[[]byte]) {
	for chunk := range batch.Chunks(c.filter.params.Family, keys) {
		c.addChunk(chunk)
	}
}

// ContainsAll appends the answer of [Concurrent.Contains] for each key to dst
// and returns the extended slice. O(k) time per key. It takes less time than
// single calls, above all if the filter is larger than the cache. It allocates
// only if dst is too small.
func (c *Concurrent) ContainsAll(dst []bool, keys [][]byte) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = c.hasChunk(dst, b.Take(c.filter.params.Family, &keys))
	}
	return dst
}

// ContainsAllStrings is [Concurrent.ContainsAll] for strings.
func (c *Concurrent) ContainsAllStrings(dst []bool, keys []string) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = c.hasChunk(dst, b.TakeStrings(c.filter.params.Family, &keys))
	}
	return dst
}

// ContainsAllUint64 is [Concurrent.ContainsAll] for integers.
func (c *Concurrent) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = c.hasChunk(dst, b.TakeUint64(c.filter.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Concurrent.ContainsAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for chunk := range slices.Chunk(digests, batch.Size) {
		dst = c.hasChunk(dst, chunk)
	}
	return dst
}

// addChunk adds a chunk of digests. It looks all of them up first. The loads of
// different digests overlap, while an atomic instruction waits for every load
// before it, and a digest that is found needs no such instruction.
func (c *Concurrent) addChunk(digests []hashfam.Digest) {
	var room [batch.Size]bool
	for i, found := range c.hasChunk(room[:0], digests) {
		if !found {
			c.AddDigest(digests[i])
		}
	}
}

// hasChunk appends the answer for each digest of a chunk to dst, which has room
// for them.
func (c *Concurrent) hasChunk(dst []bool, digests []hashfam.Digest) []bool {
	words, span, k := c.filter.words, c.filter.span, c.filter.params.Hashes
	switch layout := c.filter.params.Layout; {
	case layout == Classic:
		for _, d := range digests {
			dst = append(dst, seesClassic(words, span, k, d))
		}
	case layout == Partitioned:
		for _, d := range digests {
			dst = append(dst, seesPartitioned(words, span, k, d))
		}
	case useAVX512: // see seesBlocked
		dst = hasLines(dst, words, span, k, digests)
	default:
		for _, d := range digests {
			dst = append(dst, seesBlocked(words, span, k, d))
		}
	}
	return dst
}
