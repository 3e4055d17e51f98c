package cuckoo

import (
	"slices"

	"github.com/filterfam/filterfam/internal/fault"
)

// Merge adds to f every fingerprint of others. Every key of all of them is then
// found, copies add up, and what was added to one of them can be deleted. The
// result need not Equal the filter built from all keys, in which the same
// fingerprints may lie in other slots.
//
// Merge returns [ErrIncompatible] if the [Params] differ, and names the place
// in others if there are several, and [ErrFull] if there is no room for all; f
// is then unchanged. ErrFull can happen to filters whose keys together would
// fit, since fingerprints find room in another order. Merge works on one copy
// of f, so it needs as much memory again. O(k m) time for k filters.
func (f *Filter) Merge(others ...*Filter) error {
	if err := fault.Mergeable(errs, "Params", f.params, others, (*Filter).Params); err != nil {
		return err
	}
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
		for _, fp := range other.table.Fingerprints(i) {
			if fp == 0 {
				continue
			}
			if err := f.insert(i, f.partners.Other(i, f.partners.Hash(fp)), fp); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reset removes every key. O(m) time, no allocation.
func (f *Filter) Reset() {
	clear(f.table.Bytes())
	f.count = 0
}

// Clone returns a copy that shares no memory with f that changes. O(m) time.
func (f *Filter) Clone() *Filter {
	c := *f
	c.table = f.table.Clone()
	return &c
}

// Equal reports whether f and other have the same Params and hold the same
// fingerprints in the same places. Filters built from the same keys in another
// order hold the same fingerprints, but not always in the same places. O(m)
// time.
func (f *Filter) Equal(other *Filter) bool {
	return f.params == other.params && slices.Equal(f.table.Bytes(), other.table.Bytes())
}
