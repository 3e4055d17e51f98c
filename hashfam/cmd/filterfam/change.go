package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
	"github.com/filterfam/filterfam/internal/frame"
)

func add(c *command) func(ctx context.Context, names []string) error {
	c.document("add [flags] FILTER [FILE...]", "add lines to a structure", addLong, addExamples)
	force := false
	c.addForce(&force, "save the filter even if its rate becomes useless")
	c.addRead("use filterfam merge")
	c.addWeight()
	c.addQuiet()
	return func(ctx context.Context, names []string) error {
		return c.change(ctx, names, func(s structure, kind frame.Kind) (adder, error) {
			add := newAdder(s)
			if add == nil {
				return nil, fmt.Errorf("is %v, to which no lines can be added: build it again", kind)
			}
			return add, nil
		}, func(s structure, most float64) error { return checkRateNow(s, most, force) })
	}
}

const addLong = `
Adds lines to a Bloom, counting or cuckoo filter, a sketch or heavy hitters. The
file is replaced when all lines have been added, or stays as it is.`

const addExamples = `
  printf 'ada\n' | filterfam build --type bloom -n 1e5 -o seen.filter
  printf 'grace\n' | filterfam add seen.filter`

func remove(c *command) func(ctx context.Context, names []string) error {
	c.document("delete [flags] FILTER [FILE...]", "delete lines from a filter", deleteLong, deleteExamples)
	c.addRead("only lines can be deleted")
	c.addQuiet()
	return func(ctx context.Context, names []string) error {
		absent := 0
		lines := 0
		err := c.change(ctx, names, func(s structure, kind frame.Kind) (adder, error) {
			filter, ok := s.(deleter)
			if !ok {
				return nil, fmt.Errorf("is %v, from which no lines can be deleted: want a counting or a cuckoo filter", kind)
			}
			return func(b batch) error {
				lines += len(b.digests)
				absent += len(b.digests) - filter.DeleteAll(b.digests)
				return nil
			}, nil
		}, func(structure, float64) error { return nil })
		if err == nil && absent > 0 {
			c.remark("%d of %d lines were not in the filter, and were not deleted", absent, lines)
		}
		return err
	}
}

const deleteLong = `
Deletes lines from a counting or a cuckoo filter. The file is replaced when all
lines have been deleted, or stays as it is. Lines that are not in the filter are
not deleted, and their number is printed on standard error. Only delete lines
that have been added: about one of a hundred others, or what --fpr was, seems to
be in the filter, and deleting it would remove a part of other lines.

Deletes from a cuckoo filter can also lose a few other lines, usually less than
the fraction --fpr. A counting filter loses none.`

const deleteExamples = `
  printf 'ada\ngrace\n' | filterfam build --type cuckoo -n 1e5 -o seen.filter
  printf 'grace\n' | filterfam delete seen.filter`

// A deleter is a filter from which lines can be deleted.
type deleter interface {
	DeleteAll(digests []hashfam.Digest) int
}

// change reads the structure in the first file, changes it with the lines of
// the other files, checks it, and writes it to its file.
func (c *command) change(ctx context.Context, names []string, prepare func(structure, frame.Kind) (adder, error), check func(s structure, most float64) error) error {
	if len(names) == 0 || names[0] == "-" {
		return errors.New("want the name of a filter")
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	file := output{"", names[0]}
	if err := file.check(c.inputs(names[1:])); err != nil {
		return err
	}
	s, h, err := c.load(ctx, names[0], fam, 0)
	if err != nil {
		return err
	}
	before := keysOf(s)
	use, err := prepare(s, h.Kind)
	if err != nil {
		return input.Named(names[0], err)
	}
	c.progress.start(names[1:], 1)
	err = c.each(ctx, names[1:], fam, use)
	if errors.Is(err, cuckoo.ErrFull) {
		err = input.Named(names[0], errors.New("has no room for more lines: build it again with a larger -n"))
	}
	if err != nil {
		return err
	}
	if err := check(s, before+float64(c.progress.lines)); err != nil {
		return input.Named(names[0], err)
	}
	return file.write(ctx, s)
}

// An adder adds lines to a structure.
type adder func(batch) error

// newAdder returns the adder of a structure, or nil if it cannot be changed.
func newAdder(s structure) adder {
	switch s := s.(type) {
	case *cuckoo.Filter:
		return addDistinct(s)
	case *cuckoo.Scalable:
		return addDistinct(s)
	case *countmin.HeavyHitters:
		return addHeavy(s)
	case *countmin.Sketch:
		return addCounts(s)
	case *bloom.Filter, *bloom.Scalable, *counting.Filter:
		all := s.(interface{ AddAll([]hashfam.Digest) })
		return func(b batch) error {
			all.AddAll(b.digests)
			return nil
		}
	}
	return nil
}

// addDistinct adds digests that are not in the filter, because a cuckoo filter
// has room for only eight copies of a key.
func addDistinct(f interface {
	ContainsOrAddDigest(d hashfam.Digest) (bool, error)
}) adder {
	return func(b batch) error {
		for _, d := range b.digests {
			if _, err := f.ContainsOrAddDigest(d); err != nil {
				return err
			}
		}
		return nil
	}
}

// addCounts adds lines to a sketch.
func addCounts(s *countmin.Sketch) adder {
	return func(b batch) error {
		if b.Weights == nil {
			s.AddAll(b.digests)
			return nil
		}
		for i, d := range b.digests {
			s.AddNDigest(d, b.Weights[i])
		}
		return nil
	}
}

// addHeavy adds lines to heavy hitters.
func addHeavy(h *countmin.HeavyHitters) adder {
	return func(b batch) error {
		if b.Weights == nil {
			return h.AddAll(b.digests, b.Keys)
		}
		for i, key := range b.Keys {
			h.AddN(key, b.Weights[i])
		}
		return nil
	}
}
