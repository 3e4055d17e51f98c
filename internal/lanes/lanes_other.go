//go:build !amd64 || purego || race

package lanes

import "github.com/filterfam/filterfam/hashfam"

// Ready reports whether Has is faster than a lookup per key for n digests.
func (a *Array) Ready(n int) bool { return false }

// Has appends to dst whether all K counters of each digest are above zero.
func (a *Array) Has(dst []bool, digests []hashfam.Digest) []bool {
	return a.hasEach(dst, digests)
}
