package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/prefetch"
)

// In a Blocked filter, all bits of a key are in the same line. A line has 512
// bits, the size of a cache line.
const (
	lineBits  = 512
	lineWords = lineBits / 64
)

// The first value of the probe sequence selects a line. The top nine bits of
// each further value select a bit in this line: three bits select the word, and
// six select the bit within the word.

func lineOf(words []uint64, lines uint64, d hashfam.Digest) *[lineWords]uint64 {
	return (*[lineWords]uint64)(words[d.Probe().In(lines)*lineWords:])
}

func addBlocked(words []uint64, lines uint64, k int, d hashfam.Digest) {
	line := lineOf(words, lines, d)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		line[p>>61] |= 1 << (p >> 55 & 63)
	}
}

func hasBlocked(words []uint64, lines uint64, k int, d hashfam.Digest) bool {
	line, missing := lineOf(words, lines, d), uint64(0)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		missing |= unset(line[p>>61], uint64(p)>>55)
	}
	return missing == 0
}

// addLines calls addBlocked for each digest in a nonempty block. The AVX-512
// version reads and writes each line once, and prefetches the next ones.
func addLines(words []uint64, lines uint64, k int, digests []hashfam.Digest) {
	if useAVX512 {
		addLinesAVX512(words, digests, k)
		return
	}
	prefetch.Lines(words, lines, digests)
	for _, d := range digests {
		addBlocked(words, lines, k, d)
	}
}

// hasLines appends the result of hasBlocked for each digest in a nonempty block
// to dst, which must have the capacity. With AVX-512, it tests eight positions
// at a time.
func hasLines(dst []bool, words []uint64, lines uint64, k int, digests []hashfam.Digest) []bool {
	if useAVX512 {
		end := len(dst)
		dst = dst[:end+len(digests)]
		hasLinesAVX512(dst[end:], words, digests, k)
		return dst
	}
	prefetch.Lines(words, lines, digests)
	for _, d := range digests {
		dst = append(dst, hasBlocked(words, lines, k, d))
	}
	return dst
}
