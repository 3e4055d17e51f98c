package perfect

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A Filter represents a fixed set of keys. It has one slot for each key, at the
// key's index in a minimal perfect hash function. The slot contains a
// fingerprint of the key and, if FilterConfig.ValueBits is set, a value. Use
// [NewFilter] or [NewFilterView] to create one. Only decoding changes a Filter.
type Filter struct{ stored }

// NewFilter returns a filter for the keys with the given digests, which must be
// computed by c.Family. values[i] is the value of digests[i]; if c.ValueBits is
// 0, values must be empty. The filter depends only on the set of digests and
// their values: the order does not matter, nor do copies with the same value.
//
// NewFilter takes a little longer than [New]. Without values, it needs about
// half a byte of memory per digest in addition to the filter, and changes the
// order of digests, like New. With values, it sorts a copy of the digests
// instead, so it needs about 9 bytes more per digest.
//
// NewFilter returns [hashfam.ErrParams] if c is invalid for this number of
// keys, if there is not one value for each digest, if a value needs more than
// ValueBits bits, or if copies of a digest have different values. Different
// keys can also have the same digest, with probability n^2/2^65 for n keys. If
// their values differ, use another family, for example from
// [hashfam.Family.Derive]. NewFilter also returns the errors of New, except
// that copies are allowed.
func NewFilter(ctx context.Context, c FilterConfig, digests []hashfam.Digest, values []uint64) (*Filter, error) {
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	n := uint64(len(digests))
	if err := c.check(n); err != nil {
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
	f, err := c.build(ctx, uint64(len(sorted)), withZeros(slices.Values(sorted)))
	if err != nil {
		return nil, err
	}
	if c.ValueBits > 0 {
		if err := f.setValues(ctx, digests, values); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// NewFilterFromSorted returns the same filter as [NewFilter] for n distinct
// digests in ascending order of d.Probe(), each with its value. Values must be
// 0 if c.ValueBits is 0. Copies of a digest with the same value are skipped. In
// addition to the filter, NewFilterFromSorted uses 0.5 bytes of memory per key,
// or 1.2 if keys have values. Otherwise, it is like [NewFromSorted].
//
// NewFilterFromSorted returns [hashfam.ErrParams] for the same reasons as
// NewFilter and NewFromSorted. An error for a key contains the key's position
// in the sequence, counted from 0.
func NewFilterFromSorted(ctx context.Context, c FilterConfig, n uint64, keys iter.Seq2[hashfam.Digest, uint64]) (*Filter, error) {
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	if keys == nil {
		return nil, paramError("keys", nil, "an iterator")
	}
	if err := c.check(n); err != nil {
		return nil, err
	}
	return c.build(ctx, n, keys)
}

// build builds a filter of n sorted keys.
func (c FilterConfig) build(ctx context.Context, n uint64, keys iter.Seq2[hashfam.Digest, uint64]) (*Filter, error) {
	s, err := build(ctx, c.shape(n), c.Family, keys)
	if err != nil {
		return nil, err
	}
	return &Filter{s}, nil
}

// setValues adds the values to the slots of f, which have none yet. digests are
// the digests of f in any order and with copies. It returns ErrParams if copies
// have different values, and ctx's error if ctx is canceled.
func (f *Filter) setValues(ctx context.Context, digests []hashfam.Digest, values []uint64) error {
	used := make([]uint64, f.n/64+1)
	for i, d := range digests {
		if i%testEvery == 0 {
			if err := canceled(ctx); err != nil {
				return err
			}
		}
		index := f.index(d)
		if bit := uint64(1) << (index % 64); used[index/64]&bit == 0 {
			used[index/64] |= bit
			f.slots.setValue(index, values[i])
			continue
		}
		if value, _ := f.ValueDigest(d); value != values[i] {
			return copyError(uint64(i), uint64(slices.Index(digests, d)), values[i], value)
		}
	}
	return nil
}

// NewFilterReceiver returns a filter to decode into. It accepts data encoded
// with fam.
func NewFilterReceiver(fam hashfam.Family) *Filter {
	return &Filter{stored{hash: fam.Hasher(0)}}
}

// Equal reports whether f and other have the same family and equal encodings.
func (f *Filter) Equal(other *Filter) bool { return other != nil && f.equal(&other.stored) }

// Contains reports whether key may be in the set. If it returns false, key is
// not in the set; true may be a false positive. If the filter is larger than
// the cache, Contains causes two cache misses for at least 24 of 25 keys, and a
// few more for the others.
func (f *Filter) Contains(key []byte) bool { return f.ContainsDigest(f.hash.Sum(key)) }

// ContainsString is like [Filter.Contains] for a string key.
func (f *Filter) ContainsString(key string) bool {
	return f.ContainsDigest(f.hash.SumString(key))
}

// ContainsDigest is like [Filter.Contains] for a digest computed by the
// filter's family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool {
	if f.made().n == 0 {
		return false
	}
	i := f.index(d)
	return f.slots.match(f.slots.word(i), i, fingerprint(d))
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. It is faster than single calls if the filter is
// larger than the cache.
func (f *Filter) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	if f.made().n == 0 {
		for range digests {
			dst = append(dst, false)
		}
		return dst
	}
	var room, words [blockSize]uint64
	for block := range slices.Chunk(digests, blockSize) {
		indexes := f.indexBlock(room[:0], block)
		for i, index := range indexes { // loads all slots first, for the same reason as indexBlock
			words[i] = f.slots.word(index)
		}
		for i, d := range block {
			dst = append(dst, f.slots.match(words[i], indexes[i], fingerprint(d)))
		}
	}
	return dst
}

// Value returns the key's value, and reports whether key may be in the set. If
// key is not in the set, Value returns 0 and false or, for a false positive,
// the value of another key and true.
func (f *Filter) Value(key []byte) (value uint64, found bool) {
	return f.ValueDigest(f.hash.Sum(key))
}

// ValueString is like [Filter.Value] for a string key.
func (f *Filter) ValueString(key string) (value uint64, found bool) {
	return f.ValueDigest(f.hash.SumString(key))
}

// ValueDigest is like [Filter.Value] for a digest computed by the filter's
// family.
func (f *Filter) ValueDigest(d hashfam.Digest) (value uint64, found bool) {
	if f.made().n == 0 {
		return 0, false
	}
	i := f.index(d)
	word := f.slots.word(i)
	if !f.slots.match(word, i, fingerprint(d)) {
		return 0, false
	}
	return f.slots.valueAt(word, i), true
}

// ValueAll appends the results of ValueDigest for each digest to values and to
// found, and returns the extended slices. It is faster than single calls if the
// filter is larger than the cache.
func (f *Filter) ValueAll(values []uint64, found []bool, digests []hashfam.Digest) ([]uint64, []bool) {
	values = slices.Grow(values, len(digests))
	found = slices.Grow(found, len(digests))
	if f.made().n == 0 {
		for range digests {
			values = append(values, 0)
			found = append(found, false)
		}
		return values, found
	}
	var room, words [blockSize]uint64
	for block := range slices.Chunk(digests, blockSize) {
		indexes := f.indexBlock(room[:0], block)
		for i, index := range indexes { // loads all slots first, for the same reason as indexBlock
			words[i] = f.slots.word(index)
		}
		for i, d := range block {
			value := uint64(0)
			match := f.slots.match(words[i], indexes[i], fingerprint(d))
			if match {
				value = f.slots.valueAt(words[i], indexes[i])
			}
			values = append(values, value)
			found = append(found, match)
		}
	}
	return values, found
}

// FalsePositiveRate returns the false-positive rate. It is 0 if the filter was
// built without keys.
func (f *Filter) FalsePositiveRate() float64 {
	if f.n == 0 {
		return 0
	}
	return f.slots.rate()
}

// Params returns the filter's parameters.
func (f *Filter) Params() FilterParams { return f.shape.filterParams(f.Family()) }

// String describes f in one line.
func (f Filter) String() string { return fmt.Sprintf("perfect.Filter(%v)", f.Params()) }

// Format prints the result of String for every verb.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns the result of String for package log/slog.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }
