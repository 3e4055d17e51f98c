package counting

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds one copy of every key, like [Concurrent.Add] on each. O(k) time
// per key, no allocation. It takes each lock at most once for a block of 128
// keys. AddAll does not keep any key.
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
// and returns the extended slice. O(k) time per key. It allocates only if dst
// is too small.
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
		dst = c.ContainsAllDigests(dst, batch.Take(&b, c.filter.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Concurrent.ContainsAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for _, d := range digests {
		dst = append(dst, c.ContainsDigest(d))
	}
	return dst
}

// CountAll appends the answer of [Concurrent.Count] for each key to dst and
// returns the extended slice. O(k) time per key. It allocates only if dst is
// too small.
func (c *Concurrent) CountAll(dst []uint64, keys [][]byte) []uint64 {
	return countAllConcurrent(c, dst, keys)
}

// CountAllStrings is [Concurrent.CountAll] for strings.
func (c *Concurrent) CountAllStrings(dst []uint64, keys []string) []uint64 {
	return countAllConcurrent(c, dst, keys)
}

// CountAllUint64 is [Concurrent.CountAll] for integers.
func (c *Concurrent) CountAllUint64(dst []uint64, keys []uint64) []uint64 {
	return countAllConcurrent(c, dst, keys)
}

// countAllConcurrent is [Concurrent.CountAll] for keys of any form.
func countAllConcurrent[K batch.Key](c *Concurrent, dst []uint64, keys []K) []uint64 {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, c.CountDigest(batch.Sum(c.filter.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = c.CountAllDigests(dst, batch.Take(&b, c.filter.params.Family, &keys))
	}
	return dst
}

// CountAllDigests is [Concurrent.CountAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) CountAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for _, d := range digests {
		dst = append(dst, c.CountDigest(d))
	}
	return dst
}

// DeleteAll removes one copy of every key, like [Concurrent.Delete] on each,
// and returns the number of copies removed. Delete only keys that were added.
// O(k) time per key, no allocation. It takes each lock at most once for a block
// of 128 keys.
func (c *Concurrent) DeleteAll(keys [][]byte) int { return deleteAllConcurrent(c, keys) }

// DeleteAllStrings is [Concurrent.DeleteAll] for strings.
func (c *Concurrent) DeleteAllStrings(keys []string) int { return deleteAllConcurrent(c, keys) }

// DeleteAllUint64 is [Concurrent.DeleteAll] for integers.
func (c *Concurrent) DeleteAllUint64(keys []uint64) int { return deleteAllConcurrent(c, keys) }

// deleteAllConcurrent is [Concurrent.DeleteAll] for keys of any form.
func deleteAllConcurrent[K batch.Key](c *Concurrent, keys []K) int {
	removed := 0
	for _, key := range batch.Few(&keys) {
		if c.DeleteDigest(batch.Sum(c.filter.params.Family, key)) {
			removed++
		}
	}
	for len(keys) > 0 {
		var b batch.Buffer
		removed += c.removeBlock(batch.Take(&b, c.filter.params.Family, &keys))
	}
	return removed
}

// DeleteAllDigests is [Concurrent.DeleteAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) DeleteAllDigests(digests []hashfam.Digest) int {
	removed := 0
	for block := range slices.Chunk(digests, batch.Size) {
		removed += c.removeBlock(block)
	}
	return removed
}

// addBlock adds one copy of each key of a block.
func (c *Concurrent) addBlock(digests []hashfam.Digest) {
	var room batch.Buffer
	for sorted := c.byStripe(room[:], digests); len(sorted) > 0; {
		stripe, n := c.sameStripe(sorted)
		c.locks[stripe].Lock()
		for _, d := range sorted[:n] {
			c.add(d)
		}
		c.locks[stripe].Unlock()
		sorted = sorted[n:]
	}
}

// removeBlock returns how many keys of the chunk there were to remove.
func (c *Concurrent) removeBlock(digests []hashfam.Digest) (removed int) {
	if len(c.locks) == 0 {
		return len(digests) // like a zero Filter
	}
	var room batch.Buffer
	for sorted := c.byStripe(room[:], digests); len(sorted) > 0; {
		stripe, n := c.sameStripe(sorted)
		c.locks[stripe].Lock()
		for _, d := range sorted[:n] {
			if c.remove(d) {
				removed++
			}
		}
		c.locks[stripe].Unlock()
		sorted = sorted[n:]
	}
	return removed
}

// byStripe sorts a block of digests by their locks into dst and returns them.
// Digests with the same lock keep their order, so that the result is that of
// single calls: those with different locks do not share a counter. It is a
// counting sort. If there are no locks, it returns nothing.
func (c *Concurrent) byStripe(dst, digests []hashfam.Digest) []hashfam.Digest {
	if len(c.locks) == 0 {
		return nil
	}
	var next [maxStripes + 1]uint8 // where the digests of a lock begin; Size is at most 255
	for _, d := range digests {
		next[c.stripeOf(d)+1]++
	}
	for i := range maxStripes {
		next[i+1] += next[i]
	}
	for _, d := range digests {
		at := &next[c.stripeOf(d)]
		dst[*at] = d
		*at++
	}
	return dst[:len(digests)]
}

// sameStripe returns the lock of the first digest, and how many from there on
// have the same.
func (c *Concurrent) sameStripe(digests []hashfam.Digest) (stripe, n int) {
	stripe = c.stripeOf(digests[0])
	for n = 1; n < len(digests) && c.stripeOf(digests[n]) == stripe; n++ {
	}
	return stripe, n
}
