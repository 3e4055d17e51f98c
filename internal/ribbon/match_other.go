//go:build !amd64 || purego || race

package ribbon

import "github.com/filterfam/filterfam/hashfam"

const useAVX512 = false

// matchOneAVX512 is not called.
func matchOneAVX512(l *layer, start, c uint64, f uint32) bool { return false }

// ContainsAll appends the answer of [Ribbon.Contains] for each digest to dst,
// which has room for them. It fetches the words of all digests first, so
// digests should be no more than fit into the cache.
func (r *Ribbon) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	return r.containsEach(dst, digests)
}
