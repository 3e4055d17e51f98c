package bloom

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/prefetch"
)

// A key of a Blocked filter is confined to one line: 512 bits, the size of a
// cache line.
const (
	lineBits  = 512
	lineWords = lineBits / 64
)

// The first value of the sequence chooses a line. The top nine bits of each
// further value choose a bit of that line: three a word, six a bit of it.

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

// addLines is addBlocked for a block of digests, at least one. With AVX-512 a
// line is read and written once, and the lines of the next digests are on their
// way.
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

// hasLines appends the answer of hasBlocked for each digest of a block, at
// least one, to dst, which has room for them. With AVX-512 eight positions are
// looked up at once.
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
