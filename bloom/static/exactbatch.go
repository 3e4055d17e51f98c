package static

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// ContainsAll appends the answer of [Exact.Contains] for each key to dst and
// returns the extended slice. O(r) time per key, and about half of that of
// single calls for keys that the first level rejects. It allocates only if dst
// is too small.
func (e *Exact) ContainsAll(dst []bool, keys [][]byte) []bool {
	return containsAllExact(e, dst, keys)
}

// ContainsAllStrings is [Exact.ContainsAll] for strings.
func (e *Exact) ContainsAllStrings(dst []bool, keys []string) []bool {
	return containsAllExact(e, dst, keys)
}

// ContainsAllUint64 is [Exact.ContainsAll] for integers.
func (e *Exact) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return containsAllExact(e, dst, keys)
}

// containsAllExact is [Exact.ContainsAll] for keys of any form.
func containsAllExact[K batch.Key](e *Exact, dst []bool, keys []K) []bool {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, e.ContainsDigest(batch.Sum(e.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = e.hasBlock(dst, batch.Take(&b, e.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Exact.ContainsAll] for keys already hashed by the
// family of e.
func (e *Exact) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Size) {
		dst = e.hasBlock(dst, block)
	}
	return dst
}

// hasBlock appends the answer for each digest of a block to dst, which has room
// for them. It asks the first level for all of them before the second.
func (e *Exact) hasBlock(dst []bool, digests []hashfam.Digest) []bool {
	if e.filter.Columns() == 0 {
		for _, d := range digests {
			dst = append(dst, (e.class.Value(d) == 1) == e.direct)
		}
		return dst
	}
	from := len(dst)
	dst = e.filter.ContainsAll(dst, digests)
	for i, passed := range dst[from:] {
		rare := passed && e.class.Value(digests[i]) == 1
		dst[from+i] = rare == e.direct
	}
	return dst
}
