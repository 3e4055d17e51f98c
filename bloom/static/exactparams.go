package static

import (
	"fmt"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// An ExactConfig describes how to build an [Exact]. All else follows from the
// keys.
type ExactConfig struct {
	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	// Workers is the number of goroutines that build. Zero stands for
	// runtime.GOMAXPROCS(0). The result does not depend on it.
	Workers int

	_ struct{} // literals name their fields
}

// check returns ErrParams, naming the field, if c is invalid.
func (c ExactConfig) check() error {
	if c.Workers < 0 {
		return paramError("ExactConfig.Workers", c.Workers, "at least 0")
	}
	return nil
}

// build returns how to build.
func (c ExactConfig) build() ribbon.Build { return Config{Workers: c.Workers}.build(0) }

// ExactParams are the parameters of an [Exact].
type ExactParams struct {
	Members uint64 // distinct keys
	Others  uint64 // distinct keys
	Bytes   uint64 // the size of the encoding without its header and checksum

	Family hashfam.Family
}

// String describes p in one line. It does not show the key of the family.
func (p ExactParams) String() string {
	return fmt.Sprintf("%d members, %d others, %d bytes, family %v", p.Members, p.Others, p.Bytes, p.Family)
}

// SizeBytes returns the memory of an Exact with these parameters, to within the
// 8 bytes that an encoding has for each layer except one of each level. O(1)
// time.
func (p ExactParams) SizeBytes() uint64 { return p.Bytes }

// Params returns the parameters of e. O(1) time.
func (e *Exact) Params() ExactParams { return e.params }

// SizeBytes returns the memory of both levels in bytes. The Exact itself adds
// less than 800. O(1) time.
func (e *Exact) SizeBytes() uint64 { return e.filter.SizeBytes() + e.class.SizeBytes() }

// Equal reports whether e and other have the same family, numbers of keys and
// levels. They do if they were built from the same two sets of keys. A nil
// other is not equal to e. O(m) time for m bytes.
func (e *Exact) Equal(other *Exact) bool {
	return other != nil && e.params == other.params &&
		e.filter.Equal(&other.filter) && e.class.Equal(&other.class)
}

// direct reports whether the members are the rarer class.
func (p ExactParams) direct() bool { return p.Members <= p.Others }

// classes returns the numbers of keys of the rarer class and of the other.
func (p ExactParams) classes() (rare, common uint64) {
	return min(p.Members, p.Others), max(p.Members, p.Others)
}

// classColumns is the number of columns of the second level, in units of
// 1/65536.
const classColumns = 1 << 16

// filterColumns returns the number of columns of the first level, floor(log2
// (common/rare)), in units of 1/65536. A column costs one bit for each rarer
// key, and halves the other keys that need a bit in the second level. The size
// is linear between two whole numbers, so no mixture of them is better.
func filterColumns(rare, common uint64) uint32 {
	if rare == 0 {
		return 0
	}
	return min(uint32(max(1, bits.Len64(common/rare))-1)<<16, ribbon.MaxColumns)
}
