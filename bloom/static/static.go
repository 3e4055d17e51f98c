package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A Filter is a static filter. Make one with [New], [NewFromDigests],
// [NewFromSorted] or a [Builder]. It does not change.
type Filter struct {
	family hashfam.Family
	ribbon ribbon.Ribbon
}

// Contains reports whether f may have been built from key. False is certain;
// true is wrong with the filter's false-positive rate. O(log 1/FPRate) time, no
// allocation. It reads two neighboring segments of memory, at 1 % of 56 bytes
// each, and for 2 % of the keys two more.
func (f *Filter) Contains(key []byte) bool { return f.ribbon.Contains(f.family.Sum(key)) }

// ContainsString is [Filter.Contains] for a string.
func (f *Filter) ContainsString(key string) bool { return f.ribbon.Contains(f.family.SumString(key)) }

// ContainsUint64 is [Filter.Contains] for an integer: the key is its eight
// little-endian bytes.
func (f *Filter) ContainsUint64(key uint64) bool { return f.ribbon.Contains(f.family.SumUint64(key)) }

// ContainsDigest is [Filter.Contains] for a key already hashed by the filter's
// family, Params().Family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool { return f.ribbon.Contains(d) }
