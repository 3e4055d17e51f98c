package counting

import (
	"slices"

	"github.com/filterfam/filterfam/internal/fault"
)

// Merge adds to f every copy of every key of other: each counter becomes the
// sum of both, and is stuck if that is 15 or more. Where nothing was deleted,
// the result is, counter for counter, the filter that would have been built
// from all the keys. O(m) time, no allocation. Filters whose [Params] differ
// are an [ErrIncompatible], and f is unchanged.
func (f *Filter) Merge(other *Filter) error {
	if err := f.compatible(other); err != nil {
		return err
	}
	b := other.counters[:len(f.counters)]
	for i := range f.counters {
		f.counters[i] = sum(f.counters[i], b[i])
	}
	return nil
}

// Reset removes every key, and frees the stuck counters. O(m) time, no
// allocation.
func (f *Filter) Reset() { clear(f.counters) }

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter {
	c := *f
	c.counters = slices.Clone(f.counters)
	return &c
}

// Equal reports whether f and other have the same Params and the same
// counters.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.counters, other.counters)
}

// compatible returns ErrIncompatible, naming the first parameter in which f and
// other differ, or an error if one of them is nil.
func (f *Filter) compatible(other *Filter) error {
	switch {
	case f == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, "other", "nil", "a filter")
	}
	return fault.Same(errs, "Params", f.params, other.params)
}
