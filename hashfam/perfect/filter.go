package perfect

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A Filter represents a set of keys, which need to be known when it is built.
// It has one slot for each key, at the key's index in a minimal perfect hash
// function. The slot contains the key's fingerprint and, if
// FilterConfig.ValueBits is set, a value. Both can be changed in place. Use
// [NewFilter] to create a Filter. It must not be copied; use [Filter.Clone]
// instead.
type Filter struct{ filterReader }

// NewFilter returns a filter for the keys with the given digests, which must be
// computed by c.Family. The filter depends only on the set of digests: their
// order and copies do not matter. NewFilter takes as long as [New] and needs
// about 3 bytes of memory per digest in addition to the filter. Since the slice
// still contains the same set when NewFilter returns, you can append more
// digests and build another filter.
//
// NewFilter returns [ErrParams] if c is invalid for this number of keys, and
// the errors of [New], except that copies are allowed.
func NewFilter(ctx context.Context, c FilterConfig, digests []hashfam.Digest) (*Filter, error) {
	if err := c.check(len(digests)); err != nil {
		return nil, err
	}
	digests, err := sortDigests(ctx, digests)
	if err != nil {
		return nil, err
	}
	l := layout{compact: c.Compact, slots: newSlotSize(c.FPRate, c.ValueBits, uint64(len(digests)))}
	s, err := build(ctx, l, digests, c.Family, maxLevels)
	if err != nil {
		return nil, err
	}
	for _, d := range digests {
		i := s.index(d) // its slot is zero
		s.slots.flip(i, s.slots.fingerprint(d, s.slots.widthOf(i))<<s.slots.value)
	}
	return &Filter{filterReader{s}}, nil
}

// NewFilterReceiver returns a filter to decode into. It accepts data encoded
// with fam.
func NewFilterReceiver(fam hashfam.Family) *Filter {
	return &Filter{filterReader{stored{hash: fam.Hasher(0)}}}
}

// SetValue changes the value of key and returns true. If key is not in the set,
// or if value needs more than ValueBits bits, it returns false and does not
// change the filter.
//
// This method should only be called with keys that are in the set. For any
// other key, a false positive will change the value of a key that is in the
// set.
func (f *Filter) SetValue(key []byte, value uint64) bool {
	return f.SetValueDigest(f.hash.Sum(key), value)
}

// SetValueDigest is like [Filter.SetValue] for a key's digest, which must be
// computed by the filter's family.
func (f *Filter) SetValueDigest(d hashfam.Digest, value uint64) bool {
	i, old, found := f.find(d)
	if !found || value > f.slots.valueMask() {
		return false
	}
	f.slots.flip(i, old^value)
	return true
}

// Delete removes key from the set and returns true. If key is not in the set,
// it returns false and does not change the filter. Delete replaces the key's
// fingerprint with its complement. The slot and the current value remain, so
// that [Filter.Restore] can undo the deletion. Len does not change.
//
// If the filter's rate is above 1/2, some keys have no fingerprint. These keys
// cannot be deleted: Delete returns false.
//
// This method should only be called with keys that are in the set. For any
// other key, a false positive will delete a key that is in the set.
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.hash.Sum(key)) }

// DeleteDigest is like [Filter.Delete] for a key's digest, which must be
// computed by the filter's family.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool { return f.invert(d, 0) }

// Restore adds back a key that [Filter.Delete] removed, with its value, and
// returns true. If key was not removed, it returns false and does not change
// the filter.
//
// This method should only be called with keys that were removed. For any other
// key, Restore may delete a key that is in the set, with a probability equal to
// the false-positive rate.
func (f *Filter) Restore(key []byte) bool { return f.RestoreDigest(f.hash.Sum(key)) }

// RestoreDigest is like [Filter.Restore] for a key's digest, which must be
// computed by the filter's family.
func (f *Filter) RestoreDigest(d hashfam.Digest) bool { return f.invert(d, ^uint64(0)) }

// invert inverts the fingerprint at the index of d if it is equal to the
// fingerprint of d XOR from. It reports whether it was. If the rate is above
// 1/2, the slot may not have a fingerprint.
func (f *Filter) invert(d hashfam.Digest, from uint64) bool {
	if f.empty() {
		return false
	}
	i := f.index(d)
	width := f.slots.widthOf(i)
	all := uint64(1)<<(width-f.slots.value) - 1
	if all == 0 || (f.slots.word(i)>>f.slots.value^from)&all != f.slots.fingerprint(d, width) {
		return false
	}
	f.slots.flip(i, all<<f.slots.value)
	return true
}

// Equal reports whether f and other have the same family and equal encodings.
func (f *Filter) Equal(other *Filter) bool { return f.equal(&other.stored) }

// Clone returns a deep copy of f.
func (f *Filter) Clone() *Filter {
	s, _ := open(f.layout, bytes.Clone(f.payload), f.Family()) // the payload is valid
	return &Filter{filterReader{s}}
}

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

// Value returns the key's value, and reports whether key may be in the set. The
// value is 0 until [Filter.SetValue] is called. If key is not in the set, Value
// returns 0 and false or, if it is a false positive, the value of another key.
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
	_, value, found = r.find(d)
	return value, found
}

// find returns the index and the value of d, or zeros if the slot does not
// contain its fingerprint.
func (r *filterReader) find(d hashfam.Digest) (i, value uint64, found bool) {
	if r.empty() {
		return 0, 0, false
	}
	i = r.index(d)
	word := r.slots.word(i)
	if !r.slots.match(word, i, d) {
		return 0, 0, false
	}
	return i, word & r.slots.valueMask(), true
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
