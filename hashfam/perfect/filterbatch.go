package perfect

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// ContainsAll appends the answer of [Filter.Contains] for each key to dst and
// returns the extended slice. O(1) time per key. It takes about half the time
// of single calls (amd64 with AVX2), and less if the filter is larger than the
// cache. It allocates only if dst is too small.
func (f *Filter) ContainsAll(dst []bool, keys [][]byte) []bool { return containsAll(f, dst, keys) }

// ContainsAllStrings is [Filter.ContainsAll] for strings.
func (f *Filter) ContainsAllStrings(dst []bool, keys []string) []bool {
	return containsAll(f, dst, keys)
}

// ContainsAllUint64 is [Filter.ContainsAll] for integers: each key is the eight
// little-endian bytes of one.
func (f *Filter) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return containsAll(f, dst, keys)
}

// containsAll is [Filter.ContainsAll] for keys of any form.
func containsAll[K batch.Key](f *Filter, dst []bool, keys []K) []bool {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, f.ContainsDigest(batch.Sum(f.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = f.hasBlock(dst, batch.Take(&b, f.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Filter.ContainsAll] for keys already hashed by the
// filter's family.
func (f *Filter) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Size) {
		dst = f.hasBlock(dst, block)
	}
	return dst
}

// hasBlock appends the answer for each digest of a block to dst, which has room
// for them. Like indexBlock, it loads the slots of all digests before it looks
// at one.
func (f *Filter) hasBlock(dst []bool, digests []hashfam.Digest) []bool {
	if f.n == 0 {
		for range digests {
			dst = append(dst, f.isZero())
		}
		return dst
	}
	var room, words [batch.Size]uint64
	indexes := f.indexBlock(room[:0], digests)
	for i, index := range indexes {
		words[i] = f.slots.word(index)
	}
	for i, d := range digests {
		dst = append(dst, f.slots.match(words[i], indexes[i], d))
	}
	return dst
}
