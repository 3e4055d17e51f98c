package perfect

import (
	"context"
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A FilterConfig describes a [Filter].
type FilterConfig struct {
	// FPRate is the false-positive rate as a fraction: 0.01 is 1 %. It is above
	// 0 and below 1, above n/2^64 for n keys, and at least 2^(ValueBits-56).
	// The chance that a key's digest equals that of one of the n keys, n/2^64,
	// comes on top.
	FPRate float64

	// ValueBits is the number of bits of the value that the filter keeps with
	// each key: 0 to 32.
	ValueBits int

	// Compact saves a quarter of a bit per key. Building takes 2.5 times as
	// long.
	Compact bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// check returns ErrParams, naming the field, if a filter of n keys cannot meet
// c.
func (c FilterConfig) check(n int) error {
	if err := checkLen(n); err != nil {
		return err
	}
	if c.ValueBits < 0 || c.ValueBits > maxValue {
		return paramError("FilterConfig.ValueBits", c.ValueBits, fmt.Sprintf("0 to %d", maxValue))
	}
	if !(c.FPRate > 0 && c.FPRate < 1) {
		return paramError("FilterConfig.FPRate", c.FPRate, "above 0 and below 1")
	}
	least := max(math.Ldexp(1, c.ValueBits-maxSlotBits), math.Ldexp(float64(n+1), -64))
	if c.FPRate < least {
		return paramError("FilterConfig.FPRate", c.FPRate, fmt.Sprintf("at least %.3g", least))
	}
	return nil
}

// FilterParams are the parameters of a [Filter].
type FilterParams struct {
	// Keys is the number of keys.
	Keys uint64

	// FPRate is the false-positive rate: at most that of the FilterConfig. In a
	// set of fewer than 4,096 keys it is a power of two.
	FPRate float64

	ValueBits int
	Compact   bool

	// Bytes is the size of the filter in memory. It depends on the keys.
	Bytes uint64

	Family hashfam.Family
}

// String describes p in one line, without the key of the family.
func (p FilterParams) String() string {
	return fmt.Sprintf("%d keys, rate %.3g, %d bits of value, %d bytes%s, family %v",
		p.Keys, p.FPRate, p.ValueBits, p.Bytes, compactText(p.Compact), p.Family)
}

// SizeBytes returns the size in bytes of a filter with these parameters. O(1)
// time.
func (p FilterParams) SizeBytes() uint64 { return p.Bytes }

// NewFilter returns a filter of keys, given by their digests under c.Family. It
// depends on the set of digests only: neither their order nor copies matter.
// O(n) time: a second for 5 to 10 million digests, and 2.5 times as long if
// c.Compact is set. It needs about 3 bytes of memory per digest besides the
// filter. NewFilter does not keep digests, but reorders them; they stay the
// same set, as [New] explains. So you can append further digests and build
// again.
//
// It returns [ErrParams], naming the field, if no filter meets c, and if the
// digests were chosen so that too many share a bucket; a keyed family prevents
// that. It returns the error of ctx if that ends first.
func NewFilter(ctx context.Context, c FilterConfig, digests []hashfam.Digest) (*Filter, error) {
	if err := c.check(len(digests)); err != nil {
		return nil, err
	}
	digests, err := sortDigests(ctx, digests)
	if err != nil {
		return nil, err
	}
	l, payload, err := build(ctx, digests, c.Compact, maxLevels)
	if err != nil {
		return nil, err
	}
	l.slots = newSlotSize(c.FPRate, c.ValueBits, l.keys)
	s, err := open(l, append(payload, make([]byte, l.slots.bytes(l.keys))...), c.Family)
	if err != nil {
		return nil, err
	}
	for _, d := range digests {
		i := s.index(d)
		s.slots.store(i, s.slots.fingerprint(d, s.slots.widthOf(i))<<s.slots.value)
	}
	return &Filter{filterReader{s}}, nil
}

// NewFilterReceiver returns a filter to decode into. It accepts encodings made
// under fam, as a zero Filter accepts those made under the public family. O(1)
// time.
func NewFilterReceiver(fam hashfam.Family) *Filter {
	return &Filter{filterReader{stored{hash: fam.Hasher(0)}}}
}
