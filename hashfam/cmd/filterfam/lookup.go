package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// openLookups returns a lookup that finds what is in any of the named filters.
func (c *command) openLookups(ctx context.Context, names []string, fam hashfam.Family, counted bool) (lookup, error) {
	if counted && len(names) > 1 {
		return nil, errors.New("--counts: want a single filter")
	}
	var all []lookup
	held := uint64(0)
	for _, name := range names {
		s, h, err := c.load(ctx, name, fam, held)
		if err != nil {
			return nil, err
		}
		held += s.SizeBytes()
		found := newLookup(s, counted)
		if found == nil && counted {
			return nil, fmt.Errorf("%s: is %v, which has no counts", name, h.Kind)
		}
		if found == nil {
			return nil, fmt.Errorf("%s: is %v, which cannot be queried", name, h.Kind)
		}
		all = append(all, found)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return anyOf(all), nil
}

// anyOf returns a lookup that finds what any of the lookups finds.
func anyOf(all []lookup) lookup {
	return func(digests []hashfam.Digest) ([]bool, []uint64) {
		found, _ := all[0](digests)
		for _, next := range all[1:] {
			more, _ := next(digests)
			for i := range found {
				found[i] = found[i] || more[i]
			}
		}
		return found, nil
	}
}

// A lookup reports for each digest whether it may be in a structure. It also
// returns their counts, or nil if they are not known.
type lookup func(digests []hashfam.Digest) ([]bool, []uint64)

// newLookup returns a lookup for a structure. The lookup returns counts if
// counted is set, or if the structure can only count. newLookup returns nil if
// the structure cannot be queried, or cannot count although counted is set.
func newLookup(s structure, counted bool) lookup {
	var found []bool
	var counts []uint64
	if filter, ok := s.(container); ok && !counted {
		return func(digests []hashfam.Digest) ([]bool, []uint64) {
			found = filter.ContainsAll(found[:0], digests)
			return found, nil
		}
	}
	var count func([]hashfam.Digest)
	switch s := s.(type) {
	case counter:
		count = func(digests []hashfam.Digest) { counts = s.CountAll(counts[:0], digests) }
	case estimator:
		var estimates []countmin.Estimate
		count = func(digests []hashfam.Digest) {
			estimates = s.EstimateAll(estimates[:0], digests)
			counts = counts[:0]
			for _, e := range estimates {
				counts = append(counts, e.High)
			}
		}
	default:
		return nil
	}
	return func(digests []hashfam.Digest) ([]bool, []uint64) {
		count(digests)
		found = found[:0]
		for _, n := range counts {
			found = append(found, n > 0)
		}
		return found, counts
	}
}
