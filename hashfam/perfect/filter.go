package perfect

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A Filter represents a fixed set of keys. It has one slot for each key, at the
// key's index in a minimal perfect hash function. The slot contains the key's
// fingerprint and, if FilterConfig.ValueBits is set, a value. Use [NewFilter]
// to create a Filter. Only decoding changes a Filter.
type Filter struct{ filterReader }

// NewFilter returns a filter for the keys with the given digests, which must be
// computed by c.Family. values[i] is the value of digests[i]; if c.ValueBits is
// 0, values must be empty. The filter depends only on the set of digests and
// their values: the order does not matter, nor do copies with the same value.
//
// NewFilter takes as long as [New] and needs about 3 bytes of memory per digest
// in addition to the filter. It changes the order of digests, as New does. With
// values, it sorts a copy instead, which needs 8 bytes per digest, and the
// slice does not change.
//
// NewFilter returns [ErrParams] if c is invalid for this number of keys, if
// there is not one value for each digest, if a value needs more than ValueBits
// bits, or if copies of a digest have different values. With probability
// n^2/2^65, two of n different keys have the same digest; another family, for
// example from [hashfam.Family.Derive], then has other digests. NewFilter also
// returns the errors of New, except that copies are allowed.
func NewFilter(ctx context.Context, c FilterConfig, digests []hashfam.Digest, values []uint64) (*Filter, error) {
	if err := c.check(uint64(len(digests))); err != nil {
		return nil, err
	}
	if err := c.checkValues(len(digests), values); err != nil {
		return nil, err
	}
	sorted := digests
	if c.ValueBits > 0 {
		sorted = slices.Clone(digests)
	}
	sorted, err := sortDigests(ctx, sorted)
	if err != nil {
		return nil, err
	}
	l := layout{compact: c.Compact, slots: newSlotSize(c.FPRate, c.ValueBits, uint64(len(sorted)))}
	s, err := build(ctx, l, sorted, c.Family, maxLevels)
	if err != nil {
		return nil, err
	}
	f := &Filter{filterReader{s}}
	if c.ValueBits > 0 {
		return f, f.fill(digests, values)
	}
	for _, d := range sorted {
		f.slots.set(f.index(d), d, 0)
	}
	return f, nil
}

// fill sets the slots of digests, which are the digests of f in any order and
// with copies. It returns ErrParams if copies have different values.
func (f *Filter) fill(digests []hashfam.Digest, values []uint64) error {
	used := make(bitmap, f.n/64+1)
	for i, d := range digests {
		index := f.index(d)
		if used.bit(index) == 0 {
			used.set(index)
			f.slots.set(index, d, values[i])
			continue
		}
		if value := f.slots.word(index) & f.slots.valueMask(); value != values[i] {
			return copyError(uint64(i), uint64(slices.Index(digests, d)), values[i], value)
		}
	}
	return nil
}

// copyError returns the error for a digest that is equal to an earlier one, but
// has another value.
func copyError(i, earlier, value, other uint64) error {
	return paramError(fmt.Sprintf("digest %d", i), fmt.Sprintf("equal to digest %d, values %d and %d", earlier, other, value),
		"distinct digests: Family.Derive gives others")
}

// NewFilterReceiver returns a filter to decode into. It accepts data encoded
// with fam.
func NewFilterReceiver(fam hashfam.Family) *Filter {
	return &Filter{filterReader{stored{hash: fam.Hasher(0)}}}
}

// Equal reports whether f and other have the same family and equal encodings.
func (f *Filter) Equal(other *Filter) bool { return f.equal(&other.stored) }

// A filterReader provides the methods that a [Filter] and a [FilterView] share.
type filterReader struct{ stored }

var zeroFilter = errs.Zero("Filter or FilterView", "NewFilter or NewFilterView, or decode into it")

// empty reports whether there are no keys. It panics if r is zero.
func (r *filterReader) empty() bool {
	if r.n == 0 && r.slots.width == 0 {
		panic(zeroFilter)
	}
	return r.n == 0
}

// Contains reports whether key may be in the set. If it returns false, the key
// is not in the set; true may be a false positive. It needs two cache misses
// for 24 of 25 keys, and a few more for the others.
func (r *filterReader) Contains(key []byte) bool { return r.ContainsDigest(r.hash.Sum(key)) }

// ContainsString is like Contains for a string key.
func (r *filterReader) ContainsString(key string) bool {
	return r.ContainsDigest(r.hash.SumString(key))
}

// ContainsDigest is like Contains for a key's digest, which must be computed by
// the filter's family.
func (r *filterReader) ContainsDigest(d hashfam.Digest) bool {
	if r.empty() {
		return false
	}
	i := r.index(d)
	return r.slots.match(r.slots.word(i), i, d)
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. When the filter is larger than the cache, this is
// faster than calling ContainsDigest for each digest.
func (r *filterReader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	if r.empty() {
		for range digests {
			dst = append(dst, false)
		}
		return dst
	}
	var room, words [blockSize]uint64
	for block := range slices.Chunk(digests, blockSize) {
		indexes := r.indexBlock(room[:0], block)
		for i, index := range indexes { // loads all slots first, for the same reason as indexBlock
			words[i] = r.slots.word(index)
		}
		for i, d := range block {
			dst = append(dst, r.slots.match(words[i], indexes[i], d))
		}
	}
	return dst
}

// Value returns the key's value, and reports whether key may be in the set. If
// key is not in the set, Value returns 0 and false or, if it is a false
// positive, the value of another key.
func (r *filterReader) Value(key []byte) (value uint64, found bool) {
	return r.ValueDigest(r.hash.Sum(key))
}

// ValueString is like Value for a string key.
func (r *filterReader) ValueString(key string) (value uint64, found bool) {
	return r.ValueDigest(r.hash.SumString(key))
}

// ValueDigest is like Value for a key's digest, which must be computed by the
// filter's family.
func (r *filterReader) ValueDigest(d hashfam.Digest) (value uint64, found bool) {
	if r.empty() {
		return 0, false
	}
	i := r.index(d)
	word := r.slots.word(i)
	if !r.slots.match(word, i, d) {
		return 0, false
	}
	return word & r.slots.valueMask(), true
}

// FalsePositiveRate returns the false-positive rate. It is 0 if the filter was
// built without keys.
func (r *filterReader) FalsePositiveRate() float64 {
	if r.n == 0 {
		return 0
	}
	return r.slots.rate()
}

// Params returns the filter's parameters.
func (r *filterReader) Params() FilterParams { return r.layout.filterParams(r.Family()) }

// String describes the filter in one line.
func (r filterReader) String() string { return fmt.Sprintf("perfect.Filter(%v)", r.Params()) }

// Format prints the result of String for every verb.
func (r filterReader) Format(s fmt.State, _ rune) { fmt.Fprint(s, r.String()) }

// LogValue returns the result of String for package log/slog.
func (r filterReader) LogValue() slog.Value { return slog.StringValue(r.String()) }
