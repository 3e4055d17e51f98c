package perfect

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
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
	if c.ValueBits < 0 || c.ValueBits > maxValue {
		return paramError("FilterConfig.ValueBits", c.ValueBits, fmt.Sprintf("0 to %d", maxValue))
	}
	if !(c.FPRate > 0 && c.FPRate < 1) {
		return paramError("FilterConfig.FPRate", c.FPRate, fault.RateRange)
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
	slots := newSlotSize(c.FPRate, c.ValueBits, uint64(len(digests)))
	s, err := newStored(ctx, digests, c.Compact, slots, c.Family)
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

// A Filter is a set of keys that was given in full when the filter was built.
// It has a slot for each key, at the index that a minimal perfect hash function
// gives to the key; the slot has a fingerprint of the key and, if the
// [FilterConfig] asks for it, a small value. Both can be replaced in place.
// Make one with [NewFilter]. A Filter must not be copied by value; use
// [Filter.Clone].
type Filter struct{ filterReader }

// SetValue replaces the value of key, in place. It reports whether it did: if
// not, key is not in the set, or value needs more than ValueBits bits, and
// nothing has changed. O(1) time, no allocation.
//
// Set values of keys of the set only. For another key SetValue changes, with
// the filter's false-positive rate, the value of a key of the set.
func (f *Filter) SetValue(key []byte, value uint64) bool {
	return f.SetValueDigest(f.hash.Sum(key), value)
}

// SetValueDigest is [Filter.SetValue] for a digest under the filter's family.
func (f *Filter) SetValueDigest(d hashfam.Digest, value uint64) bool {
	if !f.ContainsDigest(d) || value > f.slots.valueMask() {
		return false
	}
	i := f.index(d)
	slot, _ := f.slots.load(i)
	f.slots.store(i, slot&^f.slots.valueMask()|value)
	return true
}

// Delete removes key from the set: it replaces the fingerprint of key by its
// complement, so that Contains returns false. It reports whether it did; if
// not, key is not in the set, and nothing has changed. [Filter.Restore] undoes
// it. The slot remains, and its value. O(1) time, no allocation.
//
// If the filter's rate is above one half, some keys of the set have no
// fingerprint. Delete returns false for them, and they stay.
//
// Delete keys of the set only. Another key may be taken for one of the set,
// with the filter's false-positive rate, and Delete then removes that one.
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.hash.Sum(key)) }

// DeleteDigest is [Filter.Delete] for a digest under the filter's family.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool { return f.invert(d, 0) }

// Restore adds a key again that [Filter.Delete] removed. It reports whether it
// did; if not, key was not removed, and nothing has changed. O(1) time, no
// allocation.
//
// Restore keys only that Delete removed. For any other key it may, with the
// filter's false-positive rate, remove a key of the set.
func (f *Filter) Restore(key []byte) bool { return f.RestoreDigest(f.hash.Sum(key)) }

// RestoreDigest is [Filter.Restore] for a digest under the filter's family.
func (f *Filter) RestoreDigest(d hashfam.Digest) bool { return f.invert(d, ^uint64(0)) }

// invert replaces the fingerprint at d's index by its complement if it is the
// fingerprint of d XOR from. It reports whether it was. A slot may lack a
// fingerprint if the rate is above one half.
func (f *Filter) invert(d hashfam.Digest, from uint64) bool {
	if f.empty() {
		return false
	}
	i := f.index(d)
	slot, width := f.slots.load(i)
	all := uint64(1)<<(width-f.slots.value) - 1
	if all == 0 || slot>>f.slots.value != f.slots.fingerprint(d, width)^from&all {
		return false
	}
	f.slots.store(i, slot^all<<f.slots.value)
	return true
}

// Equal reports whether f and other are the same filter: of the same family,
// with the same slots. O(n) time, no allocation.
func (f *Filter) Equal(other *Filter) bool { return f.equal(&other.stored) }

// Clone returns a copy of f that shares no memory with it. O(n) time.
func (f *Filter) Clone() *Filter {
	s, _ := open(f.layout, bytes.Clone(f.payload), f.Family()) // the payload is valid
	return &Filter{filterReader{s}}
}

// A filterReader has the methods that a [Filter] and a [FilterView] share.
type filterReader struct{ stored }

// zeroFilter is the panic of a zero filterReader.
var zeroFilter any = errs.ZeroText("Filter or FilterView", "NewFilter or NewFilterView, or decode into it")

// empty reports whether there are no keys. It panics if r is zero.
func (r *filterReader) empty() bool {
	if r.n == 0 && r.slots.width == 0 {
		panic(zeroFilter)
	}
	return r.n == 0
}

// Contains reports whether key may be in the set. False is certain; true is
// wrong with the filter's false-positive rate. O(1) time, no allocation: two
// cache misses for 24 of 25 keys, and a few more for the others.
func (r *filterReader) Contains(key []byte) bool { return r.ContainsDigest(r.hash.Sum(key)) }

// ContainsString is like Contains for a string.
func (r *filterReader) ContainsString(key string) bool {
	return r.ContainsDigest(r.hash.SumString(key))
}

// ContainsDigest is Contains for a digest under the filter's family.
func (r *filterReader) ContainsDigest(d hashfam.Digest) bool {
	if r.empty() {
		return false
	}
	i := r.index(d)
	return r.slots.match(r.slots.word(i), i, d)
}

// ContainsAll appends the answer of ContainsDigest for each digest to dst and
// returns the extended slice. O(1) time per digest, and less than that of
// single calls if the filter is larger than the cache. It allocates only if dst
// is too small.
func (r *filterReader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, blockSize) {
		dst = r.containsBlock(dst, block)
	}
	return dst
}

// containsBlock appends the answer for each digest of a block to dst, which has
// room for them. Like indexBlock, it loads the slots of all digests before it
// looks at one.
func (r *filterReader) containsBlock(dst []bool, digests []hashfam.Digest) []bool {
	if r.empty() {
		for range digests {
			dst = append(dst, false)
		}
		return dst
	}
	var room, words [blockSize]uint64
	indexes := r.indexBlock(room[:0], digests)
	for i, index := range indexes {
		words[i] = r.slots.word(index)
	}
	for i, d := range digests {
		dst = append(dst, r.slots.match(words[i], indexes[i], d))
	}
	return dst
}

// Value returns the value of key, and whether key may be in the set. The value
// is 0 until [Filter.SetValue] sets it, and if key is not in the set. If the
// answer is wrong, which it is with the filter's false-positive rate, the value
// is that of some key of the set. O(1) time, no allocation.
func (r *filterReader) Value(key []byte) (value uint64, found bool) {
	return r.ValueDigest(r.hash.Sum(key))
}

// ValueString is like Value for a string.
func (r *filterReader) ValueString(key string) (value uint64, found bool) {
	return r.ValueDigest(r.hash.SumString(key))
}

// ValueDigest is Value for a digest under the filter's family.
func (r *filterReader) ValueDigest(d hashfam.Digest) (value uint64, found bool) {
	if r.empty() {
		return 0, false
	}
	slot, width := r.slots.load(r.index(d))
	if slot>>r.slots.value != r.slots.fingerprint(d, width) {
		return 0, false
	}
	return slot & r.slots.valueMask(), true
}

// FalsePositiveRate returns the false-positive rate: 0 if there are no keys.
// O(1) time.
func (r *filterReader) FalsePositiveRate() float64 {
	if r.n == 0 {
		return 0
	}
	return r.slots.rate()
}

// Params returns the parameters of the filter. O(1) time.
func (r *filterReader) Params() FilterParams { return r.layout.filterParams(r.Family()) }

// String describes the filter in one line, without the key of the family.
func (r filterReader) String() string { return fmt.Sprintf("perfect.Filter(%v)", r.Params()) }

// Format prints String for every verb, as [hashfam.Family.Format] explains.
func (r filterReader) Format(s fmt.State, _ rune) { fmt.Fprint(s, r.String()) }

// LogValue returns String for package log/slog.
func (r filterReader) LogValue() slog.Value { return slog.StringValue(r.String()) }
