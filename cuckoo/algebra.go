package cuckoo

import (
	"slices"

	"github.com/filterfam/filterfam/internal/fault"
)

// Merge adds to f every fingerprint of other. Every key of both is then found,
// copies add up, and what was added to either can be deleted. The result need
// not Equal the filter built from the keys of both, in which the same
// fingerprints may lie in other slots.
//
// Merge returns [ErrFull] if there is no room for all, [ErrIncompatible] if the
// [Params] differ, and [ErrParams] if f is a zero Filter and other is not; f is
// then unchanged. ErrFull can happen to filters whose keys together would fit,
// since fingerprints find room in another order. Merge works on a copy of f, so
// it needs as much memory again. O(m) time.
func (f *Filter) Merge(other *Filter) error {
	if err := f.compatible("", other); err != nil {
		return err
	}
	return f.mergeAll(other)
}

// MergeAll is [Filter.Merge] of several filters, all or none of them: f is
// unchanged after an error, which names the place in others. It copies f once,
// so it takes less time and memory than as many merges. O(k m) time for k
// filters.
func (f *Filter) MergeAll(others ...*Filter) error {
	if f == nil {
		return errs.Nil()
	}
	if err := fault.Each(others, f.compatible); err != nil {
		return err
	}
	return f.mergeAll(others...)
}

// mergeAll is MergeAll of filters that are compatible with f.
func (f *Filter) mergeAll(others ...*Filter) error {
	room := f.params.slots() - f.count
	for _, other := range others {
		if other.count > room {
			return errFull
		}
		room -= other.count
	}
	merged := f.Clone()
	for _, other := range others {
		if err := merged.insertAll(other); err != nil {
			return err
		}
	}
	*f = *merged
	return nil
}

// insertAll adds every fingerprint of other, as far as there is room.
func (f *Filter) insertAll(other *Filter) error {
	for i := range other.params.Buckets {
		for s := range slots {
			if fp := other.table.get(i, s); fp != 0 {
				if err := f.insert(i, f.moves.other(i, f.moves.hash(fp)), fp); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Reset removes every key. O(m) time, no allocation.
func (f *Filter) Reset() {
	clear(f.table.bytes)
	f.count = 0
}

// Clone returns a copy that shares nothing with f. O(m) time.
func (f *Filter) Clone() *Filter {
	c := *f
	c.table.bytes = slices.Clone(f.table.bytes)
	return &c
}

// Equal reports whether f and other have the same Params and hold the same
// fingerprints in the same places. Filters built from the same keys in another
// order hold the same fingerprints, but not always in the same places. O(m)
// time.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.table.bytes, other.table.bytes)
}

// filterKind says how errors about merges name a Filter.
var filterKind = fault.Kind[Filter, Params]{
	Errs: errs, Name: "Filter", One: "a filter", Constructor: "New", Params: "Params",
	Of: func(f *Filter) (Params, bool) { return f.params, f.params.Buckets == 0 },
}

// compatible returns an error unless other can be merged into f. place is
// that of other among several, as for fault.Each.
func (f *Filter) compatible(place string, other *Filter) error {
	return filterKind.Compatible(place, f, other)
}
