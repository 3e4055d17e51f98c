package filterbeam

import (
	"context"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// A design is a way to build a structure in three stages:
//
//	collect  each bundle of keys    sends values to owners, which are numbers
//	gather   each owner             makes one record of its values
//	finish   one task               makes the output of all records
//
// In frames, a value is a whole encoded structure and an owner merges some of
// them. In windows, a value is a block of digests or positions, and an owner
// fills its range of the array. In ranges, an owner sorts the digests of its
// range; in ribbons, two more stages solve their equations. In shards, an owner
// counts its keys. In apart, an owner builds a filter of its keys.
//
// The number of items in a value says how much of what was read is in it: keys,
// digests or positions.
type design interface {
	perKey() uint64 // items that a key makes
	collector() (collector, error)
	gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error)
	finish(ctx context.Context, out string, records iter.Seq2[[]byte, error], sum *Summary) error
}

// A collector takes the keys of a bundle.
type collector interface {
	addKeys(keys [][]byte, emit emitter) error
	addDigests(digests []hashfam.Digest, emit emitter) error
	flush(emit emitter) error
}

// design returns the design of the plan.
func (s spec) design() (design, error) {
	if _, err := s.family(); err != nil {
		return nil, err
	}
	switch {
	case s.Parts > 0:
		return apart{s}, nil
	case s.Kind == staticKind:
		return ribbons{ranges{s}}, nil
	case s.Kind == cuckooKind:
		return ranges{s}, nil
	case s.Kind == topkKind:
		return shards{s}, nil
	case s.Kind == bloomKind || s.Kind == countingKind:
		if s.Windows > 0 || s.Bytes > frameLimit {
			a, err := s.array()
			return windows{s, a}, err
		}
	}
	return frames{s}, nil
}
