// Package batch hashes keys in blocks, for the batch forms of all structures.
//
// A structure hashes a block before it touches memory. So the processor can wait
// for many cache misses at the same time; the instructions of a hash between two
// lookups would leave room for few.
package batch

import "github.com/filterfam/filterfam/hashfam"

// Size is the number of digests in a block.
const Size = 128

// A Buffer holds the digests of one block.
type Buffer [Size]hashfam.Digest

// Take removes up to Size keys from the front of keys and returns their digests,
// which are valid until the next call.
func (b *Buffer) Take(fam hashfam.Family, keys *[][]byte) []hashfam.Digest {
	block := (*keys)[:min(len(*keys), Size)]
	*keys = (*keys)[len(block):]
	return fam.SumAll(b[:0], block)
}
