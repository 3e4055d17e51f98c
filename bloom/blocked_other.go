//go:build !amd64 || purego || race

package bloom

import "github.com/filterfam/filterfam/hashfam"

const useAVX512 = false // in this build

// hasLineAVX512 is not called.
func hasLineAVX512(words []uint64, digest hashfam.Digest, k int) bool { return false }

// addLineAVX512 is not called.
func addLineAVX512(words []uint64, digest hashfam.Digest, k int) {}

// addLines is addBlocked for a block of digests.
func addLines(words []uint64, lines uint64, k int, digests []hashfam.Digest) {
	addLineByLine(words, lines, k, digests)
}

// hasLines appends the answer of hasBlocked for each digest of a block to dst,
// which has room for them.
func hasLines(dst []bool, words []uint64, lines uint64, k int, digests []hashfam.Digest) []bool {
	return hasLineByLine(dst, words, lines, k, digests)
}
