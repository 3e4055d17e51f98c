// Package batch hashes keys in blocks for the batch methods of all structures.
//
// A structure hashes a whole block before it accesses its own memory, so that
// the processor can overlap many cache misses. The instructions of a hash
// between two lookups would leave room for few.
package batch

import (
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// Size is the number of digests in a block.
const Size = 128

// few is the number of keys from which a block is faster than single calls,
// which have no buffer to clear.
const few = 8

// Few returns all keys, and removes them, if they are too few for a block: the
// caller makes a single call for each. Otherwise it returns none and changes
// nothing. A [Buffer] should be declared after it, because it is cleared where
// it is declared.
func Few[K any](keys *[]K) []K {
	all := *keys
	if len(all) >= few {
		return nil
	}
	*keys = nil
	return all
}

// A Buffer holds the digests of one block.
type Buffer [Size]hashfam.Digest

// Take removes up to Size keys from the front of keys and returns their
// digests, which are valid until the next call. No allocation.
func (b *Buffer) Take(fam hashfam.Family, keys *[][]byte) []hashfam.Digest {
	return fam.SumAll(b[:0], cut(keys))
}

// TakeStrings is Take for strings.
func (b *Buffer) TakeStrings(fam hashfam.Family, keys *[]string) []hashfam.Digest {
	return fam.SumAllStrings(b[:0], cut(keys))
}

// TakeUint64 is Take for integers.
func (b *Buffer) TakeUint64(fam hashfam.Family, keys *[]uint64) []hashfam.Digest {
	return fam.SumAllUint64(b[:0], cut(keys))
}

// cut removes up to Size keys from the front of keys and returns them.
func cut[K any](keys *[]K) []K {
	block := (*keys)[:min(len(*keys), Size)]
	*keys = (*keys)[len(block):]
	return block
}

// Blocks yields the digests of a sequence of keys in blocks of at most Size. It
// hashes every key before it asks for the next one. A block is valid until the
// next one is yielded. It allocates the digests of one block.
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
