package static

import (
	"cmp"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/budget"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Config describes a filter by its false-positive rate, and how to build it.
type Config struct {
	// FPRate is the false-positive rate as a fraction: 0.01 is 1%. It must be
	// below 1 and above 2^-32 + n/2^64 for n keys. It can also be zero if
	// MemoryBytes is set, and 1 in [NewExact]. On average over all families, a
	// filter meets this rate, but a single filter's rate usually differs from
	// FPRate by up to 1% for 10,000 keys, and by less than 0.1% for a million
	// keys. For fewer than 10,000 keys, the rate is usually lower, down to half
	// of FPRate.
	FPRate float64

	// MemoryBytes, if it is not zero, limits [Params.SizeBytes]. An encoding
	// needs 72 bytes more. If FPRate is also set and the filter is larger than
	// MemoryBytes, the error contains the required memory and the rate that
	// would fit.
	//
	// If FPRate is zero, the filter has the lowest rate for which it fits in
	// MemoryBytes or, with absent keys, almost the lowest. This can be any rate
	// up to almost 1, so check [Filter.FalsePositiveRate]. The filter is then
	// usually built twice, because its size depends a little on the keys.
	MemoryBytes uint64

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties can choose keys.
	Family hashfam.Family

	// Workers is the number of goroutines that build the filter, or 0 for
	// runtime.GOMAXPROCS(0). Each goroutine needs up to 1.5 MB of memory during
	// the build. The filter does not depend on Workers.
	Workers int

	// Progress, if it is not nil, is called from time to time while the filter
	// is built, with the number of completed steps and the total. A digest
	// counts as two steps, or as one in NewFromSorted, plus one if FPRate is
	// zero. In the last call, done is equal to total, unless the build fails.
	// Progress is not called if there are no digests, and never concurrently.
	// It should return quickly, because the build waits for it.
	Progress func(done, total uint64) `json:"-"`

	_ struct{} // literals must name their fields
}

// EstimatedBytes estimates the size of a filter with these numbers of distinct
// members and absent keys. Only filters of [NewExact] have absent keys. The
// size depends a little on the keys, so the estimate can be wrong by 1% for a
// million keys and by 3% for 10,000. EstimatedBytes returns
// [hashfam.ErrParams], naming the field, if c is invalid for these numbers. It
// checks MemoryBytes only if FPRate is zero.
func (c Config) EstimatedBytes(members, absent uint64) (uint64, error) {
	p, err := c.plan(members, absent)
	if err != nil {
		return 0, err
	}
	return p.bytes(), nil
}

// fills reports whether the memory determines the rate.
func (c Config) fills() bool { return c.FPRate == 0 && c.MemoryBytes > 0 }

// check returns ErrParams if c or n is invalid, whatever the rate is.
func (c Config) check(n uint64) error {
	if c.Workers < 0 {
		return paramError("Config.Workers", c.Workers, "at least 0")
	}
	if n > ribbon.MaxKeys {
		return paramError("keys", n, fmt.Sprint("at most ", uint64(ribbon.MaxKeys)))
	}
	return nil
}

// columns returns the number of columns for n keys in units of 1/65536, or
// ErrParams, naming the field, if c is invalid. If the memory determines the
// rate, the number is an estimate.
func (c Config) columns(n uint64) (uint32, error) {
	if err := c.check(n); err != nil {
		return 0, err
	}
	if !(c.FPRate > 0 && c.FPRate < 1 || c.fills()) {
		return 0, paramError("Config.FPRate", c.FPRate, fault.RateRange+"; or 0 with MemoryBytes, or 1 in NewExact")
	}
	if c.fills() {
		if least := ribbon.LeastBytes(n); c.MemoryBytes < least {
			return 0, c.tooSmall(least, 1)
		}
		return ribbon.EstimateColumns(min(c.MemoryBytes, sizing.MaxBits/8), n), nil
	}
	columns, ok := sizing.RibbonColumns(c.FPRate, n)
	if !ok {
		return 0, paramError("Config.FPRate", c.FPRate,
			fmt.Sprintf("at least %.3g: a fingerprint has 32 bits, and equal digests have a chance of n/2^64", sizing.RibbonFloor(n)))
	}
	if ribbon.EstimateBytes(columns, n) > sizing.MaxBits/8 {
		return 0, paramError("keys", n, fmt.Sprintf("a number that fits in %d bits at FPRate %g", uint64(sizing.MaxBits), c.FPRate))
	}
	return columns, nil
}

// mostRate is the highest rate of a filter that New builds if only MemoryBytes
// is set: the rate for 1/65536 columns, 1-2^-17, rounded to five digits.
const mostRate = 0.99999

// tooSmall returns the error for a MemoryBytes that is too small for FPRate, or
// for any rate.
func (c Config) tooSmall(need uint64, fits float64) error {
	return paramError("Config.MemoryBytes", c.MemoryBytes, budget.NeedBytes(need, cmp.Or(c.FPRate, mostRate), fits))
}

// Params are the parameters of a filter, which follow from its Config and its
// keys.
type Params struct {
	Keys   uint64 // distinct keys
	Absent uint64 // distinct absent keys that the filter does not contain; see [NewExact]

	Family hashfam.Family

	columns uint32 // 65536 times the mean number of bits that a lookup compares, which is 6.72 at 1%
	layers  int    // ribbons: a lookup uses only the first for 98% of the keys
	bytes   uint64 // the size of the encoding without its header and checksum
}

// String describes p in one line, without the family's key.
func (p Params) String() string {
	absent := ""
	if p.Absent > 0 {
		absent = fmt.Sprintf("%d absent keys, ", p.Absent)
	}
	ribbon := fmt.Sprintf("%.5g columns, %d layers", float64(p.columns)/65536, p.layers)
	if p.columns == 0 && p.Keys+p.Absent > 0 { // all keys pass the first ribbon
		ribbon = "exact for these keys"
	}
	return fmt.Sprintf("%d keys, %s%s, %d bytes, family %v", p.Keys, absent, ribbon, p.bytes, p.Family)
}

// SizeBytes returns the size in bytes of the filter that p was read from. It
// includes 8 bytes for each layer after a ribbon's first, which only the
// encoding needs. If p was not read from a filter or its encoding, SizeBytes
// returns 0, because the size depends a little on the keys. To plan a filter,
// use [Config.EstimatedBytes].
func (p Params) SizeBytes() uint64 { return p.bytes }
