package cuckoo

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// AddAll adds keys, hashed by the filter's family, in order, like
// [Scalable.AddDigest] on each, and stops at the first error. It returns the
// number of keys added, always the first of digests, and Add's error. O(1) time
// per key on average; it allocates like Add.
func (s *Scalable) AddAll(digests []hashfam.Digest) (added int, err error) {
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			if err := s.AddDigest(d); err != nil {
				return added, err
			}
			added++
		}
	}
	return added, nil
}

// ContainsAll appends the answer of [Scalable.ContainsDigest] for each digest
// to dst and returns the extended slice. If the filter is larger than the cache
// it takes less time than single calls. O(1) time per key; it allocates only if
// dst has to grow.
func (s *Scalable) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			dst = append(dst, s.ContainsDigest(d))
		}
	}
	return dst
}

// DeleteAll removes one copy of each key, like [Scalable.DeleteDigest] on each
// in turn, and returns the number of copies removed. Delete only what was
// added. O(1) time per key, no allocation.
func (s *Scalable) DeleteAll(digests []hashfam.Digest) (removed int) {
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			if s.DeleteDigest(d) {
				removed++
			}
		}
	}
	return removed
}

// CountAll appends the answer of [Scalable.CountDigest] for each digest to dst
// and returns the extended slice. O(1) time per key; it allocates only if dst
// has to grow.
func (s *Scalable) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			dst = append(dst, s.CountDigest(d))
		}
	}
	return dst
}

// touch takes the buckets of a window of keys to the cache. Fewer keys are not
// worth it.
func (s *Scalable) touch(digests []hashfam.Digest) {
	if len(digests) >= few {
		s.pages.Touch(digests)
	}
}
