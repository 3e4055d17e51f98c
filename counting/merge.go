package counting

import (
	"github.com/filterfam/filterfam/internal/merge"
)

// Merge adds all copies of all keys in the other filters to f. Each counter
// becomes the sum of the counters, and is stuck if this sum is 15 or more. If
// no key was deleted from the filters, the result is therefore identical to a
// filter built from all of the keys. If f itself is among the others, Merge
// adds its previous counters once for each time that it is listed, and
// allocates a copy of f.
//
// If a filter has different [Params], Merge returns [hashfam.ErrIncompatible]
// and leaves f unchanged. The error names the field and, if there are several
// others, the filter's index. When f is larger than the cache, one call with
// many filters is faster than many calls, because it passes over f only once.
func (f *Filter) Merge(others ...*Filter) error {
	err := merge.Mergeable(errs, "Params", f.made().params, others, func(other *Filter) Params { return other.params })
	if err != nil {
		return err
	}
	others = merge.Apart(f, others, (*Filter).Clone)
	for first := 0; first < len(f.counters); first += mergeWords {
		piece := f.counters[first:min(first+mergeWords, len(f.counters))]
		for _, other := range others {
			piece.AddAll(other.counters[first:])
		}
	}
	return nil
}

// mergeWords is the number of words that Merge processes at a time: 8 KiB,
// which fit in the L1 cache.
const mergeWords = 1024
