// Package batch hashes keys in blocks, for the batch forms of all structures.
//
// A structure hashes a block before it touches memory. So the processor can wait
// for many cache misses at the same time; the instructions of a hash between two
// lookups would leave room for few.
package batch

import (
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

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

// TakeStrings is Take for strings.
func (b *Buffer) TakeStrings(fam hashfam.Family, keys *[]string) []hashfam.Digest {
	block := (*keys)[:min(len(*keys), Size)]
	*keys = (*keys)[len(block):]
	return fam.SumAllStrings(b[:0], block)
}

// TakeUint64 is Take for integers.
func (b *Buffer) TakeUint64(fam hashfam.Family, keys *[]uint64) []hashfam.Digest {
	block := (*keys)[:min(len(*keys), Size)]
	*keys = (*keys)[len(block):]
	return fam.SumAllUint64(b[:0], block)
}

// Blocks yields the digests of a sequence of keys in blocks of at most Size. It
// hashes each key before it asks for the next. A block is valid until the next
// one.
func Blocks(fam hashfam.Family, keys iter.Seq[[]byte]) iter.Seq[[]hashfam.Digest] {
	return func(yield func([]hashfam.Digest) bool) {
		block := make([]hashfam.Digest, 0, Size)
		for key := range keys {
			if block = append(block, fam.Sum(key)); len(block) < Size {
				continue
			}
			if !yield(block) {
				return
			}
			block = block[:0]
		}
		yield(block)
	}
}
