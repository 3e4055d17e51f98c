//go:build !amd64 || purego || race

package table

import "github.com/filterfam/filterfam/hashfam"

// Vector reports whether HasVector can be used: it cannot in this build.
func (t *Table) Vector(*Partners) bool { return false }

// HasVector is not called.
func (t *Table) HasVector(dst []bool, _ *Partners, _ []hashfam.Digest) []bool { return dst }
