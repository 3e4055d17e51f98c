package filterbeam

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// A design divides a job's work, in three stages:
//
//	collect  each bundle of keys   sends values to tasks, which have numbers
//	gather   each task             turns its values into one record
//	finish   the last task         builds the output from all records
//
// The designs differ in the values that they send:
//
//	frames   encoded structures, which a task merges
//	shards   counts of keys; a task adds up the counts of the keys in its shard
//	windows  blocks of digests or positions; a task fills its part of an array
//	ranges   blocks of digests; a task sorts the digests in its range
//	apart    blocks of digests; a task builds a filter from them
//
// Each value carries its number of items, which are keys, digests or positions.
// The tally compares these numbers with the number of keys that were read.
type design interface {
	// perKey returns the number of items per key.
	perKey() uint64

	// collector returns a collector for a bundle, which sends its values to
	// emit.
	collector(emit emitter) (collector, error)

	// gather returns the record for a task's values. It can write files beside
	// the output.
	gather(ctx context.Context, out string, task int, values iter.Seq[[]byte]) ([]byte, error)

	// finish returns the contents of the output, and describes them in sum. A
	// task without values has no record.
	finish(ctx context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error)
}

// A collector adds a bundle's keys and sends values.
type collector interface {
	add(digests []hashfam.Digest, keys [][]byte) error // keys is nil if only the digests are known
	flush() error                                      // sends the values that are left
}

// An emitter sends a value with its number of items to a task. The value then
// belongs to the engine, which may hold it in memory, so it must not be
// changed.
type emitter = func(task int, items uint64, value []byte)

// perKey returns the number of items per key in most designs.
func (spec) perKey() uint64 { return 1 }

// design returns the design for the plan.
func (s spec) design() (design, error) {
	if _, err := s.family(); err != nil {
		return nil, err
	}
	if err := checkMemory(s.largestTask()); err != nil {
		return nil, err
	}
	switch {
	case s.Parts > 0:
		return apart{s}, nil
	case s.isSorted():
		return ranges{s}, nil
	case s.Kind == topkKind:
		return shards{s}, nil
	case s.inWindows():
		a, err := s.array()
		return windows{s, a}, err
	}
	return frames{s}, nil
}

// encoded returns the encoding of a record, or err if that is not nil.
func encoded(record any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(record)
}

// decodeRecords returns the decoded records of the tasks 0 to n-1. The record
// of a task that received nothing is zero.
func decodeRecords[T any](records iter.Seq2[int, []byte], n int) ([]T, error) {
	all := make([]T, n)
	for task, record := range records {
		if uint64(task) >= uint64(n) {
			return nil, errs.Field(hashfam.ErrCorrupt, "number of a task", task, fmt.Sprintf("below %d", n))
		}
		if err := json.Unmarshal(record, &all[task]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
