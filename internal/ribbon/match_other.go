//go:build !amd64 || purego || race

package ribbon

import "github.com/filterfam/filterfam/hashfam"

const useAVX512 = false

// containsAVX512 is not called.
func containsAVX512(l *layer, digest hashfam.Digest) answer { return absent }

// ContainsAll appends the answer of [Ribbon.Contains] for each digest to dst,
// which has room for them. It fetches the words of all digests first, so
// digests should be no more than fit into the cache.
func (r *Ribbon) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	return r.containsEach(dst, digests)
}
