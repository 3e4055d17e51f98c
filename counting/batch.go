package counting

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/nibbles"
)

// AddAll calls [Filter.AddDigest] for each digest. Use Family().SumAll to
// compute the digests. AddAll is faster than single calls if the filter is
// larger than the cache.
func (f *Filter) AddAll(digests []hashfam.Digest) {
	f.made()
	for group, rest := f.group(digests); len(group) > 0; group, rest = f.group(rest) {
		for _, d := range group {
			f.AddDigest(d)
		}
	}
}

// DeleteAll calls [Filter.DeleteDigest] for each digest in turn, and returns
// the number of copies that were removed. Only delete keys that were added; see
// [Filter.Delete]. DeleteAll is faster than single calls if the filter is
// larger than the cache.
func (f *Filter) DeleteAll(digests []hashfam.Digest) int {
	removed := 0
	f.made()
	for group, rest := f.group(digests); len(group) > 0; group, rest = f.group(rest) {
		for _, d := range group {
			if f.DeleteDigest(d) {
				removed++
			}
		}
	}
	return removed
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. Use Family().SumAll to compute the digests.
// ContainsAll is much faster than single calls if the filter is larger than the
// cache.
func (f *Filter) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	if f.made().params.blocked() {
		return f.hasEach(dst, digests, hasBlocked)
	}
	a := batch.Array{Words: f.counters, K: f.params.Hashes, Span: f.span, LogBits: 2}
	for block := range slices.Chunk(digests, batch.Block) {
		if a.Ready(len(block)) {
			dst = a.Has(dst, block)
		} else {
			dst = f.hasEach(dst, block, hasNear)
		}
	}
	return dst
}

// hasEach appends the result of has for each digest to dst, which must have
// enough capacity. In a Classic filter, has is hasNear, which tests all k
// counters of a key, because hasFar, which stops at the first zero, is not
// faster here. In a large filter, group has already loaded or requested all k
// counters, and in a small filter, hasFar is slower.
func (f *Filter) hasEach(dst []bool, digests []hashfam.Digest,
	has func(counters nibbles.Counters, span uint64, k int, d hashfam.Digest) bool) []bool {
	for group, rest := f.group(digests); len(group) > 0; group, rest = f.group(rest) {
		for _, d := range group {
			dst = append(dst, has(f.counters, f.span, f.params.Hashes, d))
		}
	}
	return dst
}

// CountAll appends the result of CountDigest for each digest to dst and returns
// the extended slice. It is faster than single calls if the filter is larger
// than the cache.
func (f *Filter) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	f.made()
	for group, rest := f.group(digests); len(group) > 0; group, rest = f.group(rest) {
		for _, d := range group {
			dst = append(dst, f.CountDigest(d))
		}
	}
	return dst
}

// group splits digests into the group that the caller should process next, and
// the rest. In a Blocked filter, and in a Classic filter that is larger than
// the cache, group also loads the counters of this group's keys, or requests
// those of the next group without waiting; see [batch.Spread]. In other
// filters, the group contains all digests.
func (f *Filter) group(digests []hashfam.Digest) (group, rest []hashfam.Digest) {
	switch {
	case len(digests) == 0:
		return nil, nil
	case f.params.blocked():
		return batch.Blocks(f.counters, digests, f.span)
	case len(f.counters) > outOfCache:
		return batch.Spread(f.counters, digests, f.params.Hashes, f.span/2)
	}
	return digests, nil
}
