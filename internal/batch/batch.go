// Package batch hashes keys in chunks for the batch methods of all structures.
//
// A structure hashes a whole chunk before it accesses its own memory, so that
// the processor can overlap many cache misses. The instructions of a hash
// between two lookups would leave room for few.
package batch

import (
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// Size is the number of digests in a chunk.
const Size = 128

// A Buffer holds the digests of one chunk.
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
	chunk := (*keys)[:min(len(*keys), Size)]
	*keys = (*keys)[len(chunk):]
	return chunk
}

// Chunks yields the digests of a sequence of keys in chunks of at most Size. It
// hashes every key before it asks for the next one. A chunk is valid until the
// next one is yielded. It allocates the digests of one chunk.
func Chunks(fam hashfam.Family, keys iter.Seq[[]byte]) iter.Seq[[]hashfam.Digest] {
	return func(yield func([]hashfam.Digest) bool) {
		chunk := make([]hashfam.Digest, 0, Size)
		for key := range keys {
			if chunk = append(chunk, fam.Sum(key)); len(chunk) < Size {
				continue
			}
			if !yield(chunk) {
				return
			}
			chunk = chunk[:0]
		}
		yield(chunk)
	}
}
