//go:build !amd64 || purego || race

package table

import "github.com/filterfam/filterfam/hashfam"

const useAVX512 = false // in this build

// Vector reports whether HasVector can be used.
func (t *Table) Vector(*Partners) bool { return useAVX512 }

// HasVector is not called.
func (t *Table) HasVector(dst []bool, _ *Partners, _ []hashfam.Digest) []bool { return dst }
