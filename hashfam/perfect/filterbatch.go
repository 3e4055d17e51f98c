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
func (f *Filter) ContainsAll(dst []bool, keys [][]byte) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = f.hasChunk(dst, b.Take(f.params.Family, &keys))
	}
	return dst
}

// ContainsAllStrings is [Filter.ContainsAll] for strings.
func (f *Filter) ContainsAllStrings(dst []bool, keys []string) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = f.hasChunk(dst, b.TakeStrings(f.params.Family, &keys))
	}
	return dst
}

// ContainsAllUint64 is [Filter.ContainsAll] for integers: each key is the eight
// little-endian bytes of one.
func (f *Filter) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = f.hasChunk(dst, b.TakeUint64(f.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Filter.ContainsAll] for keys already hashed by the
// filter's family.
func (f *Filter) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for chunk := range slices.Chunk(digests, batch.Size) {
		dst = f.hasChunk(dst, chunk)
	}
	return dst
}

// hasChunk appends the answer for each digest of a chunk to dst, which has room
// for them. Like indexChunk, it loads the slots of all digests before it looks
// at one.
func (f *Filter) hasChunk(dst []bool, digests []hashfam.Digest) []bool {
	if f.n == 0 {
		for range digests {
			dst = append(dst, f.isZero())
		}
		return dst
	}
	var room, words [batch.Size]uint64
	indexes := f.indexChunk(room[:0], digests)
	for i, index := range indexes {
		words[i] = f.slots.word(index)
	}
	for i, d := range digests {
		dst = append(dst, f.slots.match(words[i], indexes[i], d))
	}
	return dst
}
