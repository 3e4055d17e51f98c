package perfect

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// A Config describes a [Function].
type Config struct {
	// Compact reduces the size from 2.2 to 1.95 bits per key for a million
	// keys, but building the function takes longer. With fewer than 12,288
	// keys, Compact changes neither the size nor the time.
	Compact bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties can choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// EstimatedBytes estimates the size of a function of n keys. The estimate is
// usually within 1% for 100,000 keys or more, and within 2% for 10,000.
// EstimatedBytes returns [hashfam.ErrParams] if n is above 2^40.
func (c Config) EstimatedBytes(n uint64) (uint64, error) {
	if err := checkLen(n); err != nil {
		return 0, err
	}
	return c.shape(n).estimate(), nil
}

// shape returns the shape of a function of n keys.
func (c Config) shape(n uint64) shape { return shape{keys: n, compact: c.Compact} }

// Params are the parameters of a [Function].
type Params struct {
	Keys    uint64 // number of keys, and of indexes
	Compact bool
	Family  hashfam.Family

	bytes uint64 // size in memory, which depends on the keys
}

// String describes p in one line, without the family's key.
func (p Params) String() string {
	return fmt.Sprintf("%d keys, %d bytes%s, family %v", p.Keys, p.bytes, p.compact(), p.Family)
}

func (p Params) compact() string {
	if p.Compact {
		return ", compact"
	}
	return ""
}

// SizeBytes returns the size in bytes of the structure that p was read from. If
// p was not read from a structure or its encoding, SizeBytes returns 0, because
// the size depends a little on the keys. To plan a structure, use
// [Config.EstimatedBytes] or [FilterConfig.EstimatedBytes].
func (p Params) SizeBytes() uint64 { return p.bytes }
