//go:build !amd64 || purego || race

package table

import "github.com/filterfam/filterfam/hashfam"

// Vector returns false, because HasVector cannot be used in this build.
func (t *Table) Vector(*Partners) bool { return false }

// HasVector must not be called.
func (t *Table) HasVector(dst []bool, _ *Partners, _ []hashfam.Digest) []bool { return dst }
