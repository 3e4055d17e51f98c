package perfect

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// A Config describes a [Function].
type Config struct {
	// Compact reduces the size from 2.2 to 1.95 bits per key. Queries will be a
	// little faster, but building the function will take 2.5 times as long.
	Compact bool

	// Family hashes the keys. The zero value is the public family. A keyed
	// family should be used if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params are the parameters of a [Function].
type Params struct {
	Keys    uint64 // number of keys, and of indexes
	Compact bool
	Bytes   uint64 // size in memory, which depends on the keys
	Family  hashfam.Family
}

// String describes p in one line, without the family's key.
func (p Params) String() string {
	return fmt.Sprintf("%d keys, %d bytes%s, family %v", p.Keys, p.Bytes, p.compact(), p.Family)
}

func (p Params) compact() string {
	if p.Compact {
		return ", compact"
	}
	return ""
}

// SizeBytes returns the size in bytes of a structure with these parameters.
func (p Params) SizeBytes() uint64 { return p.Bytes }
