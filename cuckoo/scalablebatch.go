package cuckoo

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds the keys in order, like [Scalable.Add] on each, and stops at the
// first error. It returns the number of keys added, always the first of keys,
// and Add's error. O(1) time a key on average; it allocates like Add.
func (s *Scalable) AddAll(keys [][]byte) (added int, err error) {
	return addAllScalable(s, keys)
}

// AddAllStrings is [Scalable.AddAll] for strings.
func (s *Scalable) AddAllStrings(keys []string) (added int, err error) {
	return addAllScalable(s, keys)
}

// AddAllUint64 is [Scalable.AddAll] for integers: each key is the eight
// little-endian bytes of one.
func (s *Scalable) AddAllUint64(keys []uint64) (added int, err error) {
	return addAllScalable(s, keys)
}

// addAllScalable is [Scalable.AddAll] for keys of any form.
func addAllScalable[K batch.Key](s *Scalable, keys []K) (added int, err error) {
	for _, key := range batch.Few(&keys) {
		if err := s.AddDigest(batch.Sum(s.family(), key)); err != nil {
			return added, err
		}
		added++
	}
	for n := 0; len(keys) > 0 && err == nil; added += n {
		var b batch.Buffer
		n, err = s.AddAllDigests(batch.Take(&b, s.family(), &keys))
	}
	return added, s.orNil(err)
}

// AddAllDigests is [Scalable.AddAll] for keys already hashed by the filter's
// family.
func (s *Scalable) AddAllDigests(digests []hashfam.Digest) (added int, err error) {
	if s == nil {
		return 0, errs.Nil()
	}
	for len(digests) > 0 && err == nil {
		n := min(window, len(digests))
		s.touch(digests[:n])
		for _, d := range digests[:n] {
			if err = s.AddDigest(d); err != nil {
				break
			}
			added++
		}
		digests = digests[n:]
	}
	return added, err
}

// AddSeq adds the keys of a sequence in order, like [Scalable.AddAll]. A key
// needs to be valid only until the sequence yields the next one. After an error
// AddSeq may have asked for up to 128 keys more than it has added. O(1) time a
// key on average, and about a kilobyte of memory.
func (s *Scalable) AddSeq(keys iter.Seq[[]byte]) (added int, err error) {
	for block := range batch.Blocks(s.family(), keys) {
		n, err := s.AddAllDigests(block)
		if added += n; err != nil {
			return added, err
		}
	}
	return added, s.orNil(nil)
}

// orNil returns err, or the error of a nil filter.
func (s *Scalable) orNil(err error) error {
	if s == nil {
		return errs.Nil()
	}
	return err
}

// ContainsAll appends the answer of [Scalable.Contains] for each key to dst and
// returns the extended slice. If the filter is larger than the cache it takes
// less time than single calls. O(1) time a key; it allocates only if dst has to
// grow.
func (s *Scalable) ContainsAll(dst []bool, keys [][]byte) []bool {
	return containsAllScalable(s, dst, keys)
}

// ContainsAllStrings is [Scalable.ContainsAll] for strings.
func (s *Scalable) ContainsAllStrings(dst []bool, keys []string) []bool {
	return containsAllScalable(s, dst, keys)
}

// ContainsAllUint64 is [Scalable.ContainsAll] for integers.
func (s *Scalable) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return containsAllScalable(s, dst, keys)
}

// containsAllScalable is [Scalable.ContainsAll] for keys of any form.
func containsAllScalable[K batch.Key](s *Scalable, dst []bool, keys []K) []bool {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, s.ContainsDigest(batch.Sum(s.config.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = s.ContainsAllDigests(dst, batch.Take(&b, s.config.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Scalable.ContainsAll] for keys already hashed by the
// filter's family.
func (s *Scalable) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for len(digests) > 0 {
		n := min(window, len(digests))
		s.touch(digests[:n])
		for _, d := range digests[:n] {
			dst = append(dst, s.ContainsDigest(d))
		}
		digests = digests[n:]
	}
	return dst
}

// CountAll appends the answer of [Scalable.Count] for each key to dst and
// returns the extended slice. O(1) time a key; it allocates only if dst has to
// grow.
func (s *Scalable) CountAll(dst []uint64, keys [][]byte) []uint64 {
	return countAllScalable(s, dst, keys)
}

// CountAllStrings is [Scalable.CountAll] for strings.
func (s *Scalable) CountAllStrings(dst []uint64, keys []string) []uint64 {
	return countAllScalable(s, dst, keys)
}

// CountAllUint64 is [Scalable.CountAll] for integers.
func (s *Scalable) CountAllUint64(dst []uint64, keys []uint64) []uint64 {
	return countAllScalable(s, dst, keys)
}

// countAllScalable is [Scalable.CountAll] for keys of any form.
func countAllScalable[K batch.Key](s *Scalable, dst []uint64, keys []K) []uint64 {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, s.CountDigest(batch.Sum(s.config.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = s.CountAllDigests(dst, batch.Take(&b, s.config.Family, &keys))
	}
	return dst
}

// CountAllDigests is [Scalable.CountAll] for keys already hashed by the
// filter's family.
func (s *Scalable) CountAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for len(digests) > 0 {
		n := min(window, len(digests))
		s.touch(digests[:n])
		for _, d := range digests[:n] {
			dst = append(dst, s.CountDigest(d))
		}
		digests = digests[n:]
	}
	return dst
}

// DeleteAll removes one copy of each key, like [Scalable.Delete] on each in
// turn, and returns the number of copies removed. Delete only what was added.
// O(1) time a key, no allocation.
func (s *Scalable) DeleteAll(keys [][]byte) (removed int) { return deleteAllScalable(s, keys) }

// DeleteAllStrings is [Scalable.DeleteAll] for strings.
func (s *Scalable) DeleteAllStrings(keys []string) (removed int) {
	return deleteAllScalable(s, keys)
}

// DeleteAllUint64 is [Scalable.DeleteAll] for integers.
func (s *Scalable) DeleteAllUint64(keys []uint64) (removed int) {
	return deleteAllScalable(s, keys)
}

// deleteAllScalable is [Scalable.DeleteAll] for keys of any form.
func deleteAllScalable[K batch.Key](s *Scalable, keys []K) (removed int) {
	for _, key := range batch.Few(&keys) {
		if s.DeleteDigest(batch.Sum(s.config.Family, key)) {
			removed++
		}
	}
	for len(keys) > 0 {
		var b batch.Buffer
		removed += s.DeleteAllDigests(batch.Take(&b, s.config.Family, &keys))
	}
	return removed
}

// DeleteAllDigests is [Scalable.DeleteAll] for keys already hashed by the
// filter's family.
func (s *Scalable) DeleteAllDigests(digests []hashfam.Digest) (removed int) {
	for len(digests) > 0 {
		n := min(window, len(digests))
		s.touch(digests[:n])
		for _, d := range digests[:n] {
			if s.DeleteDigest(d) {
				removed++
			}
		}
		digests = digests[n:]
	}
	return removed
}

// touch reads a byte of all buckets of a few keys, so that their cache misses
// overlap. Fewer keys are not worth it.
func (s *Scalable) touch(digests []hashfam.Digest) {
	if len(digests) < few || len(s.plots) == 0 {
		return
	}
	touched := byte(0)
	for _, d := range digests {
		pl, k := s.locate(d)
		p := pl.page(k.bits)
		touched |= p.bytes[k.i*p.stride>>3] | p.bytes[k.j*p.stride>>3]
	}
	use(touched)
}
