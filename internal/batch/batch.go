// Package batch hashes keys in chunks for the batch methods of all structures.
//
// A structure hashes a whole chunk before it accesses its own memory, so that
// the processor can overlap many cache misses. The instructions of a hash
// between two lookups would leave room for few.
package batch

import "github.com/filterfam/filterfam/hashfam"

// Size is the number of digests in a chunk.
const Size = 128

// A Buffer holds the digests of one chunk.
type Buffer [Size]hashfam.Digest

// Take removes up to Size keys from the front of keys and returns their digests,
// which are valid until the next call. No allocation.
func (b *Buffer) Take(fam hashfam.Family, keys *[][]byte) []hashfam.Digest {
	chunk := (*keys)[:min(len(*keys), Size)]
	*keys = (*keys)[len(chunk):]
	return fam.SumAll(b[:0], chunk)
}
