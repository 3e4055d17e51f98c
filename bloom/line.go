package bloom

import "github.com/filterfam/filterfam/hashfam"

// addLineByLine is addLines one digest after the other.
func addLineByLine(words []uint64, lines uint64, k int, digests []hashfam.Digest) {
	fetchLines(words, lines, digests)
	for _, d := range digests {
		addBlocked(words, lines, k, d)
	}
}

// hasLineByLine is hasLines one digest after the other.
func hasLineByLine(dst []bool, words []uint64, lines uint64, k int, digests []hashfam.Digest) []bool {
	fetchLines(words, lines, digests)
	for _, d := range digests {
		dst = append(dst, hasBlocked(words, lines, k, d))
	}
	return dst
}
