package bloom

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds every key, like [Scalable.Add] on each in turn, at its cost. It
// takes less time than single calls because it hashes many keys at once. AddAll
// does not keep any key.
func (s *Scalable) AddAll(keys [][]byte) { addAllScalable(s, keys) }

// AddAllStrings is [Scalable.AddAll] for strings.
func (s *Scalable) AddAllStrings(keys []string) { addAllScalable(s, keys) }

// AddAllUint64 is [Scalable.AddAll] for integers: each key is the eight
// little-endian bytes of one.
func (s *Scalable) AddAllUint64(keys []uint64) { addAllScalable(s, keys) }

// addAllScalable is [Scalable.AddAll] for keys of any form.
func addAllScalable[K batch.Key](s *Scalable, keys []K) {
	for _, key := range batch.Few(&keys) {
		s.AddDigest(batch.Sum(s.config.Family, key))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		s.AddAllDigests(batch.Take(&b, s.config.Family, &keys))
	}
}

// AddAllDigests is [Scalable.AddAll] for keys already hashed by the filter's
// family.
func (s *Scalable) AddAllDigests(digests []hashfam.Digest) {
	for _, d := range digests {
		s.ContainsOrAddDigest(d)
	}
}

// AddSeq adds every key of a sequence. A key needs to be valid only until the
// sequence yields the next one. O(s k) time per key for s stages, about a
// kilobyte of memory.
func (s *Scalable) AddSeq(keys iter.Seq[[]byte]) {
	for block := range batch.Blocks(s.config.Family, keys) {
		s.AddAllDigests(block)
	}
}

// ContainsAll appends the answer of [Scalable.Contains] for each key to dst and
// returns the extended slice. O(s k) time per key for s stages. It takes less
// time than single calls because it hashes many keys at once. It allocates only
// if dst is too small.
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
	for _, d := range digests {
		dst = append(dst, s.ContainsDigest(d))
	}
	return dst
}
