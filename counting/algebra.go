package counting

import (
	"slices"

	"github.com/filterfam/filterfam/internal/fault"
)

// Merge adds every copy of every key of other to f: each counter becomes the
// sum of both, and is stuck if that is 15 or more. If nothing was deleted from
// either filter, the result is, counter for counter, the filter built from all
// keys. If the [Params] differ, Merge returns [ErrIncompatible], or [ErrParams]
// if f is a zero Filter, and leaves f unchanged. O(m) time, no allocation.
func (f *Filter) Merge(other *Filter) error {
	if err := f.compatible("", other); err != nil {
		return err
	}
	addCounters(f.counters, other.counters)
	return nil
}

// MergeAll adds every copy of every key of the others to f, like
// [Filter.Merge] of each. It passes over f once, so it is faster than single
// calls if f is larger than the cache. It returns the errors of Merge, with the
// place in others, and leaves f unchanged then. O(m) time for each of them, no
// allocation.
func (f *Filter) MergeAll(others ...*Filter) error {
	if f == nil {
		return errs.Nil()
	}
	if err := fault.Each(others, f.compatible); err != nil {
		return err
	}
	for first := 0; first < len(f.counters); first += mergeWords {
		piece := f.counters[first:min(first+mergeWords, len(f.counters))]
		for _, other := range others {
			addCounters(piece, other.counters[first:])
		}
	}
	return nil
}

// addCounters adds the counters of src, which is at least as long, to those of
// dst.
func addCounters(dst, src []uint64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = sum(dst[i], src[i])
	}
}

// mergeWords is the number of words that MergeAll merges at a time: 8 KiB,
// which stay in the first cache.
const mergeWords = 1024

// Reset removes every key and clears the stuck counters. O(m) time, no
// allocation.
func (f *Filter) Reset() { clear(f.counters) }

// Clone returns a copy that shares no memory with f. O(m) time, one allocation
// of the counters.
func (f *Filter) Clone() *Filter {
	c := *f
	c.counters = slices.Clone(f.counters)
	return &c
}

// Equal reports whether f and other have the same Params and the same counters.
// A nil other is not equal to f. O(m) time, no allocation.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.params == other.params && slices.Equal(f.counters, other.counters)
}

// filterKind says how errors about merges name a Filter.
var filterKind = fault.Kind[Filter, Params]{
	Errs: errs, Name: "Filter", One: "a filter", Constructor: "New", Params: "Params",
	Of: func(f *Filter) (Params, bool) { return f.params, f.params.Counters == 0 },
}

// compatible returns an error unless other can be merged into f. place is
// that of other among several, as for fault.Each.
func (f *Filter) compatible(place string, other *Filter) error {
	return filterKind.Compatible(place, f, other)
}
