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

// A Key has one of the forms of the keys of a batch. An integer is the key of
// its eight little-endian bytes.
type Key interface {
	[]byte | string | uint64
}

// Sum returns the digest of a key. No allocation.
func Sum[K Key](fam hashfam.Family, key K) hashfam.Digest {
	switch key := any(key).(type) {
	case []byte:
		return fam.Sum(key)
	case string:
		return fam.SumString(key)
	default:
		return fam.SumUint64(key.(uint64)) // the only other Key
	}
}

// SumAll appends the digests of keys to dst. It allocates only if dst is too
// small.
func SumAll[K Key](dst []hashfam.Digest, fam hashfam.Family, keys []K) []hashfam.Digest {
	switch keys := any(keys).(type) {
	case [][]byte:
		return fam.SumAll(dst, keys)
	case []string:
		return fam.SumAllStrings(dst, keys)
	default:
		return fam.SumAllUint64(dst, keys.([]uint64))
	}
}

// Take removes up to Size keys from the front of keys and returns their digests
// in b, which are valid until the next call. No allocation.
func Take[K Key](b *Buffer, fam hashfam.Family, keys *[]K) []hashfam.Digest {
	block := (*keys)[:min(len(*keys), Size)]
	*keys = (*keys)[len(block):]
	return SumAll(b[:0], fam, block)
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
