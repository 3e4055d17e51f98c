//go:build !amd64 || purego || race

package table

import "github.com/filterfam/filterfam/hashfam"

// HasVector cannot be used in this build.
func (t *Table) HasVector(dst []bool, _ *Partners, _ []hashfam.Digest) ([]bool, bool) {
	return dst, false
}
