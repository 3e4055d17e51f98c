//go:build !amd64 || purego || race

package bloom

import "github.com/filterfam/filterfam/hashfam"

const useAVX512 = false // so the functions below are never called

func addLinesAVX512(words []uint64, digests []hashfam.Digest, k int)             {}
func hasLinesAVX512(dst []bool, words []uint64, digests []hashfam.Digest, k int) {}
func hasLineAVX512(words []uint64, digest hashfam.Digest, k int) bool            { return false }
func addLineAVX512(words []uint64, digest hashfam.Digest, k int)                 {}
