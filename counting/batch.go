package counting

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds one copy of every key, like [Filter.Add] on each. O(k) time per
// key, no allocation. It is two to four times as fast as single calls if the
// filter is larger than the cache. AddAll does not keep any key.
func (f *Filter) AddAll(keys [][]byte) {
	var b batch.Buffer
	for len(keys) > 0 {
		f.addChunk(b.Take(f.params.Family, &keys))
	}
}

// AddAllStrings is [Filter.AddAll] for strings.
func (f *Filter) AddAllStrings(keys []string) {
	var b batch.Buffer
	for len(keys) > 0 {
		f.addChunk(b.TakeStrings(f.params.Family, &keys))
	}
}

// AddAllUint64 is [Filter.AddAll] for integers: each key is the eight
// little-endian bytes of one.
func (f *Filter) AddAllUint64(keys []uint64) {
	var b batch.Buffer
	for len(keys) > 0 {
		f.addChunk(b.TakeUint64(f.params.Family, &keys))
	}
}

// AddAllDigests is [Filter.AddAll] for keys already hashed by the filter's
// family.
func (f *Filter) AddAllDigests(digests []hashfam.Digest) {
	for chunk := range slices.Chunk(digests, batch.Size) {
		f.addChunk(chunk)
	}
}

// AddSeq adds every key of a sequence. A key needs to be valid only until the
// sequence yields the next one. O(k) time per key, one allocation of a
// kilobyte. It takes less time than [Filter.Add] on each if the filter is
// larger than the cache.
func (f *Filter) AddSeq(keys iter.Seq[[]byte]) {
	for chunk := range batch.Chunks(f.params.Family, keys) {
		f.addChunk(chunk)
	}
}

// ContainsAll appends the answer of [Filter.Contains] for each key to dst and
// returns the extended slice. O(k) time per key. It is two to four times as
// fast as single calls if the filter is larger than the cache. It allocates
// only if dst is too small.
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

// ContainsAllUint64 is [Filter.ContainsAll] for integers.
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

// DeleteAll removes one copy of every key, like [Filter.Delete] on each in
// turn, and returns the number of copies removed. Delete only keys that were
// added. O(k) time per key, no allocation. It is two to four times as fast as
// single calls if the filter is larger than the cache.
func (f *Filter) DeleteAll(keys [][]byte) int {
	removed := 0
	var b batch.Buffer
	for len(keys) > 0 {
		removed += f.removeChunk(b.Take(f.params.Family, &keys))
	}
	return removed
}

// DeleteAllStrings is [Filter.DeleteAll] for strings.
func (f *Filter) DeleteAllStrings(keys []string) int {
	removed := 0
	var b batch.Buffer
	for len(keys) > 0 {
		removed += f.removeChunk(b.TakeStrings(f.params.Family, &keys))
	}
	return removed
}

// DeleteAllUint64 is [Filter.DeleteAll] for integers.
func (f *Filter) DeleteAllUint64(keys []uint64) int {
	removed := 0
	var b batch.Buffer
	for len(keys) > 0 {
		removed += f.removeChunk(b.TakeUint64(f.params.Family, &keys))
	}
	return removed
}

// DeleteAllDigests is [Filter.DeleteAll] for keys already hashed by the
// filter's family.
func (f *Filter) DeleteAllDigests(digests []hashfam.Digest) int {
	removed := 0
	for chunk := range slices.Chunk(digests, batch.Size) {
		removed += f.removeChunk(chunk)
	}
	return removed
}

// CountAll appends the answer of [Filter.Count] for each key to dst and returns
// the extended slice. O(k) time per key. It is faster than single calls if the
// filter is larger than the cache. It allocates only if dst is too small.
func (f *Filter) CountAll(dst []uint64, keys [][]byte) []uint64 {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = f.countChunk(dst, b.Take(f.params.Family, &keys))
	}
	return dst
}

// CountAllStrings is [Filter.CountAll] for strings.
func (f *Filter) CountAllStrings(dst []uint64, keys []string) []uint64 {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = f.countChunk(dst, b.TakeStrings(f.params.Family, &keys))
	}
	return dst
}

// CountAllUint64 is [Filter.CountAll] for integers.
func (f *Filter) CountAllUint64(dst []uint64, keys []uint64) []uint64 {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = f.countChunk(dst, b.TakeUint64(f.params.Family, &keys))
	}
	return dst
}

// CountAllDigests is [Filter.CountAll] for keys already hashed by the filter's
// family.
func (f *Filter) CountAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for chunk := range slices.Chunk(digests, batch.Size) {
		dst = f.countChunk(dst, chunk)
	}
	return dst
}

// addChunk adds one copy of each key of a chunk.
func (f *Filter) addChunk(digests []hashfam.Digest) {
	counters, span, k := f.counters, f.span, f.params.Hashes
	if f.params.Layout == Blocked {
		for len(digests) > 0 {
			var group []hashfam.Digest
			group, digests = f.nextGroup(digests)
			for _, d := range group {
				addBlocked(counters, span, k, d)
			}
		}
		return
	}
	for len(digests) > 0 {
		var group []hashfam.Digest
		group, digests = f.nextGroup(digests)
		for _, d := range group {
			add(counters, span, k, d)
		}
	}
}

// hasChunk appends the answer for each digest of a chunk to dst. Lookups in the
// classic layout have no stores between them, and need no fetch.
func (f *Filter) hasChunk(dst []bool, digests []hashfam.Digest) []bool {
	counters, span, k := f.counters, f.span, f.params.Hashes
	if f.params.Layout == Blocked {
		for len(digests) > 0 {
			var group []hashfam.Digest
			group, digests = f.nextGroup(digests)
			for _, d := range group {
				dst = append(dst, hasBlocked(counters, span, k, d))
			}
		}
		return dst
	}
	for _, d := range digests {
		dst = append(dst, has(counters, span, k, d))
	}
	return dst
}

// countChunk appends the count of each digest of a chunk to dst.
func (f *Filter) countChunk(dst []uint64, digests []hashfam.Digest) []uint64 {
	for len(digests) > 0 {
		var group []hashfam.Digest
		group, digests = f.nextGroup(digests)
		for _, d := range group {
			dst = append(dst, f.CountDigest(d))
		}
	}
	return dst
}

// removeChunk returns how many keys of the chunk there were to remove.
func (f *Filter) removeChunk(digests []hashfam.Digest) (removed int) {
	for len(digests) > 0 {
		var group []hashfam.Digest
		group, digests = f.nextGroup(digests)
		for _, d := range group {
			if f.DeleteDigest(d) {
				removed++
			}
		}
	}
	return removed
}

// nextGroup returns some of the digests, from the first on, and the others. The
// counters of the group are then in the cache, or on their way.
func (f *Filter) nextGroup(digests []hashfam.Digest) (group, rest []hashfam.Digest) {
	if f.params.Layout == Blocked {
		return nextBlocks(f.counters, f.span, digests)
	}
	f.fetch(digests)
	return digests, nil
}

// fetch brings the counters of the digests into the cache if they are not
// likely to be there. These loads are next to each other, so that more of them
// are under way at once than between increments and decrements. The result is
// meaningless. The function is not inlined because a compiler that saw this
// would drop the loads.
//
//go:noinline
func (f *Filter) fetch(digests []hashfam.Digest) (sink uint64) {
	if len(f.counters) <= outOfCache {
		return 0
	}
	for _, d := range digests {
		for k, p := f.params.Hashes, d.Probe(); k > 0; k, p = k-1, p.Next() {
			sink |= f.counters[p.In(f.span)>>4]
		}
	}
	return sink
}
