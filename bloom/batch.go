package bloom

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds the keys with the given digests. Use Family().SumAll to compute
// the digests. In a Blocked filter, AddAll is faster than single calls.
func (f *Filter) AddAll(digests []hashfam.Digest) {
	words, span, k := f.words, f.span, f.params.Hashes
	switch {
	case f.params.Layout == Blocked:
		for block := range slices.Chunk(digests, batch.Block) {
			addLines(words, span, k, block)
		}
	case f.params.Layout == Partitioned:
		for _, d := range digests {
			addPartitioned(words, span, k, d)
		}
	case f.span != 0:
		for _, d := range digests {
			addClassic(words, span, k, d)
		}
	default:
		panic(zero)
	}
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. Use Family().SumAll to compute the digests.
// ContainsAll is faster than single calls, above all if the CPU has AVX-512 or
// the filter is larger than the cache.
func (f *readable) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	f.made()
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Block) {
		dst = f.hasBlock(dst, block)
	}
	return dst
}

// hasBlock appends the result for each digest in a block to dst, which must
// have room for the results.
func (f *readable) hasBlock(dst []bool, digests []hashfam.Digest) []bool {
	words, span, k := f.words, f.span, f.params.Hashes
	if f.params.Layout == Blocked {
		return hasLines(dst, words, span, k, digests)
	}
	if a := f.lanes(words); a.Ready(len(digests)) {
		return a.Has(dst, digests)
	}
	if f.params.Layout == Partitioned {
		for _, d := range digests {
			dst = append(dst, hasPartitioned(words, span, k, d))
		}
		return dst
	}
	for _, d := range digests {
		dst = append(dst, hasClassic(words, span, k, d))
	}
	return dst
}

// lanes returns the array of a Classic or Partitioned filter.
func (s *setup) lanes(words []uint64) batch.Array {
	a := batch.Array{Words: words, K: s.params.Hashes, Span: s.span}
	if s.params.Layout == Partitioned {
		a.Step = s.span
	}
	return a
}

// addLines calls addBlocked for each digest. There must be at least one digest.
// For each digest, the AVX-512 version reads and writes the line only once, and
// it prefetches the lines of later digests.
func addLines(words []uint64, lines uint64, k int, digests []hashfam.Digest) {
	if useAVX512 {
		addLinesAVX512(words, digests, k)
		return
	}
	batch.Lines(words, lines, digests)
	for _, d := range digests {
		addBlocked(words, lines, k, d)
	}
}

// hasLines appends the result of hasBlocked for each digest to dst, which must
// have room for the results. There must be at least one digest. The AVX-512
// version tests eight positions at a time.
func hasLines(dst []bool, words []uint64, lines uint64, k int, digests []hashfam.Digest) []bool {
	if useAVX512 {
		end := len(dst)
		dst = dst[:end+len(digests)]
		hasLinesAVX512(dst[end:], words, digests, k)
		return dst
	}
	batch.Lines(words, lines, digests)
	for _, d := range digests {
		dst = append(dst, hasBlocked(words, lines, k, d))
	}
	return dst
}
