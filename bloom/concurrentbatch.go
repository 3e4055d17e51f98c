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
func (c *Concurrent) AddAll(keys [][]byte) { addAllConcurrent(c, keys) }

// AddAllStrings is [Concurrent.AddAll] for strings.
func (c *Concurrent) AddAllStrings(keys []string) { addAllConcurrent(c, keys) }

// AddAllUint64 is [Concurrent.AddAll] for integers: each key is the eight
// little-endian bytes of one.
func (c *Concurrent) AddAllUint64(keys []uint64) { addAllConcurrent(c, keys) }

// addAllConcurrent is [Concurrent.AddAll] for keys of any form.
func addAllConcurrent[K batch.Key](c *Concurrent, keys []K) {
	for _, key := range batch.Few(&keys) {
		c.AddDigest(batch.Sum(c.filter.params.Family, key))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		c.addBlock(batch.Take(&b, c.filter.params.Family, &keys))
	}
}

// AddAllDigests is [Concurrent.AddAll] for keys already hashed by the filter's
// family.
func (c *Concurrent) AddAllDigests(digests []hashfam.Digest) {
	for block := range slices.Chunk(digests, batch.Size) {
		c.addBlock(block)
	}
}

// AddSeq adds every key of a sequence. A key needs to be valid only until the
// sequence yields the next one. Keys are added in blocks of 128, the last ones
// when the sequence ends. O(k) time per key, about a kilobyte of memory.
func (c *Concurrent) AddSeq(keys iter.Seq[[]byte]) {
	for block := range batch.Blocks(c.filter.params.Family, keys) {
		c.addBlock(block)
	}
}

// ContainsAll appends the answer of [Concurrent.Contains] for each key to dst
// and returns the extended slice. O(k) time per key. It takes less time than
// single calls, above all if the filter is larger than the cache. It allocates
// only if dst is too small.
func (c *Concurrent) ContainsAll(dst []bool, keys [][]byte) []bool {
	return containsAllConcurrent(c, dst, keys)
}

// ContainsAllStrings is [Concurrent.ContainsAll] for strings.
func (c *Concurrent) ContainsAllStrings(dst []bool, keys []string) []bool {
	return containsAllConcurrent(c, dst, keys)
}

// ContainsAllUint64 is [Concurrent.ContainsAll] for integers.
func (c *Concurrent) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return containsAllConcurrent(c, dst, keys)
}

// containsAllConcurrent is [Concurrent.ContainsAll] for keys of any form.
func containsAllConcurrent[K batch.Key](c *Concurrent, dst []bool, keys []K) []bool {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, c.ContainsDigest(batch.Sum(c.filter.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = c.hasBlock(dst, batch.Take(&b, c.filter.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Concurrent.ContainsAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Size) {
		dst = c.hasBlock(dst, block)
	}
	return dst
}

// addBlock adds a block of digests. It looks all of them up first. The loads of
// different digests overlap, while an atomic instruction waits for every load
// before it, and a digest that is found needs no such instruction.
func (c *Concurrent) addBlock(digests []hashfam.Digest) {
	var room [batch.Size]bool
	for i, found := range c.hasBlock(room[:0], digests) {
		if !found {
			c.AddDigest(digests[i])
		}
	}
}

// hasBlock appends the answer for each digest of a block to dst, which has room
// for them. The forms with AVX-512 are right here for the reason that
// seesBlocked gives.
func (c *Concurrent) hasBlock(dst []bool, digests []hashfam.Digest) []bool {
	words, span, k := c.filter.words, c.filter.span, c.filter.params.Hashes
	if c.filter.params.Layout == Blocked {
		if useAVX512 {
			return hasLines(dst, words, span, k, digests)
		}
	} else if a := c.filter.array(); a.Ready(len(digests)) {
		return a.Has(dst, digests)
	}
	for _, d := range digests {
		dst = append(dst, c.ContainsDigest(d))
	}
	return dst
}
