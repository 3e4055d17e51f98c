package cuckoo

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds the keys in order, like [Concurrent.Add] on each, and stops at
// the first error. It returns the number of keys added, always the first of
// keys, and Add's error. It locks the stripes of each key for itself: a lock
// for a whole block would keep others waiting, and the locks of a block are
// spread over the table. O(1) time a key on average, no allocation.
func (c *Concurrent) AddAll(keys [][]byte) (added int, err error) {
	return addAllConcurrent(c, keys)
}

// AddAllStrings is [Concurrent.AddAll] for strings.
func (c *Concurrent) AddAllStrings(keys []string) (added int, err error) {
	return addAllConcurrent(c, keys)
}

// AddAllUint64 is [Concurrent.AddAll] for integers: each key is the eight
// little-endian bytes of one.
func (c *Concurrent) AddAllUint64(keys []uint64) (added int, err error) {
	return addAllConcurrent(c, keys)
}

// addAllConcurrent is [Concurrent.AddAll] for keys of any form.
func addAllConcurrent[K batch.Key](c *Concurrent, keys []K) (added int, err error) {
	for _, key := range batch.Few(&keys) {
		if err := c.AddDigest(batch.Sum(c.family(), key)); err != nil {
			return added, err
		}
		added++
	}
	for n := 0; len(keys) > 0 && err == nil; added += n {
		var b batch.Buffer
		n, err = c.AddAllDigests(batch.Take(&b, c.family(), &keys))
	}
	return added, c.orNil(err)
}

// AddAllDigests is [Concurrent.AddAll] for keys already hashed by the filter's
// family.
func (c *Concurrent) AddAllDigests(digests []hashfam.Digest) (added int, err error) {
	if c == nil {
		return 0, errs.Nil()
	}
	for len(digests) > 0 && err == nil {
		n := min(window, len(digests))
		c.touch(digests[:n])
		for _, d := range digests[:n] {
			if err = c.AddDigest(d); err != nil {
				break
			}
			added++
		}
		digests = digests[n:]
	}
	return added, err
}

// AddSeq adds the keys of a sequence in order, like [Concurrent.AddAll]. A key
// needs to be valid only until the sequence yields the next one. Keys are added
// in blocks of 128, the last ones when the sequence ends. After an error AddSeq
// may have asked for up to 128 keys more than it has added. O(1) time a key on
// average, and about a kilobyte of memory.
func (c *Concurrent) AddSeq(keys iter.Seq[[]byte]) (added int, err error) {
	for block := range batch.Blocks(c.family(), keys) {
		n, err := c.AddAllDigests(block)
		if added += n; err != nil {
			return added, err
		}
	}
	return added, c.orNil(nil)
}

// orNil returns err, or the error of a nil filter.
func (c *Concurrent) orNil(err error) error {
	if c == nil {
		return errs.Nil()
	}
	return err
}

// ContainsAll appends the answer of [Concurrent.Contains] for each key to dst
// and returns the extended slice. If the filter is larger than the cache it
// takes less time than single calls. O(1) time a key; it allocates only if dst
// has to grow.
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
		dst = append(dst, c.ContainsDigest(batch.Sum(c.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = c.ContainsAllDigests(dst, batch.Take(&b, c.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Concurrent.ContainsAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for len(digests) > 0 {
		n := min(window, len(digests))
		c.touch(digests[:n])
		for _, d := range digests[:n] {
			dst = append(dst, c.ContainsDigest(d))
		}
		digests = digests[n:]
	}
	return dst
}

// CountAll appends the answer of [Concurrent.Count] for each key to dst and
// returns the extended slice. O(1) time a key; it allocates only if dst has to
// grow.
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
		dst = append(dst, c.CountDigest(batch.Sum(c.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = c.CountAllDigests(dst, batch.Take(&b, c.params.Family, &keys))
	}
	return dst
}

// CountAllDigests is [Concurrent.CountAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) CountAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for len(digests) > 0 {
		n := min(window, len(digests))
		c.touch(digests[:n])
		for _, d := range digests[:n] {
			dst = append(dst, c.CountDigest(d))
		}
		digests = digests[n:]
	}
	return dst
}

// DeleteAll removes one copy of each key, like [Concurrent.Delete] on each in
// turn, and returns the number of copies removed. Delete only what was added.
// O(1) time a key, no allocation.
func (c *Concurrent) DeleteAll(keys [][]byte) (removed int) { return deleteAllConcurrent(c, keys) }

// DeleteAllStrings is [Concurrent.DeleteAll] for strings.
func (c *Concurrent) DeleteAllStrings(keys []string) (removed int) {
	return deleteAllConcurrent(c, keys)
}

// DeleteAllUint64 is [Concurrent.DeleteAll] for integers.
func (c *Concurrent) DeleteAllUint64(keys []uint64) (removed int) {
	return deleteAllConcurrent(c, keys)
}

// deleteAllConcurrent is [Concurrent.DeleteAll] for keys of any form.
func deleteAllConcurrent[K batch.Key](c *Concurrent, keys []K) (removed int) {
	for _, key := range batch.Few(&keys) {
		if c.DeleteDigest(batch.Sum(c.params.Family, key)) {
			removed++
		}
	}
	for len(keys) > 0 {
		var b batch.Buffer
		removed += c.DeleteAllDigests(batch.Take(&b, c.params.Family, &keys))
	}
	return removed
}

// DeleteAllDigests is [Concurrent.DeleteAll] for keys already hashed by the
// filter's family.
func (c *Concurrent) DeleteAllDigests(digests []hashfam.Digest) (removed int) {
	for len(digests) > 0 {
		n := min(window, len(digests))
		c.touch(digests[:n])
		for _, d := range digests[:n] {
			if c.DeleteDigest(d) {
				removed++
			}
		}
		digests = digests[n:]
	}
	return removed
}

// touch reads a word of all buckets of a few keys, so that their cache misses
// overlap. Fewer keys are not worth it.
func (c *Concurrent) touch(digests []hashfam.Digest) {
	if len(digests) < few || len(c.stripes) == 0 {
		return
	}
	touched := uint64(0)
	for _, d := range digests {
		i, j, _ := c.locate(d)
		touched |= c.table.words[i*c.table.stride>>6].Load() | c.table.words[j*c.table.stride>>6].Load()
	}
	use(byte(touched))
}
