package perfect

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// A Config describes a [Function].
type Config struct {
	// Compact makes the function smaller, 1.95 instead of 2.2 bits per key, and
	// a little faster. Building it takes 2.5 times as long.
	Compact bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params are the parameters of a [Function].
type Params struct {
	// Keys is the number of keys and of indexes.
	Keys uint64

	Compact bool

	// Bytes is the size of the function in memory. It depends on the keys.
	Bytes uint64

	Family hashfam.Family
}

// String describes p in one line. It does not show the key of the family.
func (p Params) String() string {
	return fmt.Sprintf("%d keys, %d bytes%s, family %v", p.Keys, p.Bytes, compactText(p.Compact), p.Family)
}

func compactText(compact bool) string {
	if compact {
		return ", compact"
	}
	return ""
}

// SizeBytes returns the size in bytes of a function with these parameters. O(1)
// time.
func (p Params) SizeBytes() uint64 { return p.Bytes }

// Params returns the parameters of f. O(1) time.
func (f *Function) Params() Params { return f.params }

// Len returns the number of keys that f was built from. O(1) time.
func (f *Function) Len() uint64 { return f.n }

// SizeBytes returns the size of f in bytes. The Function itself adds less than
// two kilobytes. O(1) time.
func (f *Function) SizeBytes() uint64 { return f.params.Bytes }

// BitsPerKey returns the size of f in bits, divided by the number of keys. It
// returns 0 if there are none. O(1) time.
func (f *Function) BitsPerKey() float64 { return bitsPerKey(f.params.Bytes, f.n) }

func bitsPerKey(bytes, keys uint64) float64 {
	if keys == 0 {
		return 0
	}
	return 8 * float64(bytes) / float64(keys)
}
