package cuckoo

import (
	"fmt"

	"github.com/filterfam/filterfam/internal/merge"
)

// Merge adds all fingerprints of the other filters to f. Every key of the
// merged filters is then found, the numbers of copies add up, and each key can
// be deleted. Each time that others contains f itself, the keys that f had
// before are added once more. Merge builds the result in a copy of f, so it
// temporarily needs twice the memory.
//
// If a filter's [Params] differ, Merge returns [hashfam.ErrIncompatible],
// naming the field and, if there are several filters, the index in others. If
// there is no room for all fingerprints, Merge returns [ErrFull], with the
// Capacity that filters for all these keys need, or [ErrCopies] if a key would
// have more than eight copies. Since the order of fingerprints matters, ErrFull
// can happen even if a new filter would have room for all keys. After an error,
// f is unchanged.
func (f *Filter) Merge(others ...*Filter) error {
	f.table.Made()
	if err := merge.Mergeable(errs, "Params", f.params, others, (*Filter).Params); err != nil {
		return err
	}
	merged := f.Clone()
	for _, other := range others {
		for i, fp := range other.fingerprints {
			if err := merged.insert(i, f.partners.Other(i, f.partners.Hash(fp)), fp); err != nil {
				return mergeError(err, f, others)
			}
		}
	}
	*f = *merged
	return nil
}

// mergeError adds the Capacity that filters with these fingerprints need to
// ErrFull. It returns other errors unchanged.
func mergeError(err error, f *Filter, others []*Filter) error {
	if err != ErrFull {
		return err
	}
	all := f.count
	for _, other := range others {
		all += other.count
	}
	return fmt.Errorf("%w: merging needs filters with a Capacity of at least %d", ErrFull, all)
}

// fingerprints yields all fingerprints and their buckets.
func (f *readable) fingerprints(yield func(i, fp uint64) bool) {
	for i := range f.params.Buckets {
		for _, fp := range f.table.Fingerprints(i) {
			if fp != 0 && !yield(i, fp) {
				return
			}
		}
	}
}
