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
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = e.hasChunk(dst, b.Take(e.params.Family, &keys))
	}
	return dst
}

// ContainsAllStrings is [Exact.ContainsAll] for strings.
func (e *Exact) ContainsAllStrings(dst []bool, keys []string) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = e.hasChunk(dst, b.TakeStrings(e.params.Family, &keys))
	}
	return dst
}

// ContainsAllUint64 is [Exact.ContainsAll] for integers.
func (e *Exact) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = e.hasChunk(dst, b.TakeUint64(e.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Exact.ContainsAll] for keys already hashed by the
// family of e.
func (e *Exact) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for chunk := range slices.Chunk(digests, batch.Size) {
		dst = e.hasChunk(dst, chunk)
	}
	return dst
}

// hasChunk appends the answer for each digest of a chunk to dst, which has room
// for them. It asks the first level for all of them before the second.
func (e *Exact) hasChunk(dst []bool, digests []hashfam.Digest) []bool {
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
