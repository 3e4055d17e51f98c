package bloom

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds every key, like [Rotating.Add] on each in turn, at its cost. It
// takes less time than single calls because it hashes many keys at once. AddAll
// does not keep any key.
func (r *Rotating) AddAll(keys [][]byte) { addAllRotating(r, keys) }

// AddAllStrings is [Rotating.AddAll] for strings.
func (r *Rotating) AddAllStrings(keys []string) { addAllRotating(r, keys) }

// AddAllUint64 is [Rotating.AddAll] for integers: each key is the eight
// little-endian bytes of one.
func (r *Rotating) AddAllUint64(keys []uint64) { addAllRotating(r, keys) }

// addAllRotating is [Rotating.AddAll] for keys of any form.
func addAllRotating[K batch.Key](r *Rotating, keys []K) {
	for _, key := range batch.Few(&keys) {
		r.AddDigest(batch.Sum(r.config.Family, key))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		r.AddAllDigests(batch.Take(&b, r.config.Family, &keys))
	}
}

// AddAllDigests is [Rotating.AddAll] for keys already hashed by the filter's
// family.
func (r *Rotating) AddAllDigests(digests []hashfam.Digest) {
	for _, d := range digests {
		r.AddDigest(d)
	}
}

// AddSeq adds every key of a sequence. A key needs to be valid only until the
// sequence yields the next one. O(k) time per key, about a kilobyte of memory.
func (r *Rotating) AddSeq(keys iter.Seq[[]byte]) {
	for block := range batch.Blocks(r.config.Family, keys) {
		r.AddAllDigests(block)
	}
}

// ContainsAll appends the answer of [Rotating.Contains] for each key to dst and
// returns the extended slice. O(G k) time per key for G generations. It takes
// less time than single calls because it hashes many keys at once. It allocates
// only if dst is too small.
func (r *Rotating) ContainsAll(dst []bool, keys [][]byte) []bool {
	return containsAllRotating(r, dst, keys)
}

// ContainsAllStrings is [Rotating.ContainsAll] for strings.
func (r *Rotating) ContainsAllStrings(dst []bool, keys []string) []bool {
	return containsAllRotating(r, dst, keys)
}

// ContainsAllUint64 is [Rotating.ContainsAll] for integers.
func (r *Rotating) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return containsAllRotating(r, dst, keys)
}

// containsAllRotating is [Rotating.ContainsAll] for keys of any form.
func containsAllRotating[K batch.Key](r *Rotating, dst []bool, keys []K) []bool {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, r.ContainsDigest(batch.Sum(r.config.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = r.ContainsAllDigests(dst, batch.Take(&b, r.config.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Rotating.ContainsAll] for keys already hashed by the
// filter's family.
func (r *Rotating) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for _, d := range digests {
		dst = append(dst, r.ContainsDigest(d))
	}
	return dst
}
