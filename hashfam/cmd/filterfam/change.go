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
	c.addForce(&force, "save the filter even if its rate becomes too high")
	c.addRead("use filterfam merge")
	c.addWeight()
	c.addQuiet()
	return func(ctx context.Context, names []string) error {
		ch, err := c.startChange(ctx, names)
		if err != nil {
			return err
		}
		add := newAdder(ch.structure)
		if add == nil {
			return ch.fail(fmt.Errorf("is %v, to which no lines can be added: build it again", ch.kind))
		}
		if err := ch.each(ctx, add); err != nil {
			return err
		}
		if err := checkRateNow(ch.structure, ch.keys+float64(c.progress.lines), force); err != nil {
			return ch.fail(err)
		}
		return ch.file.write(ctx, ch.structure)
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
		ch, err := c.startChange(ctx, names)
		if err != nil {
			return err
		}
		filter, ok := ch.structure.(deleter)
		if !ok {
			return ch.fail(fmt.Errorf("is %v, from which no lines can be deleted: want a counting or a cuckoo filter", ch.kind))
		}
		absent := 0
		lines := 0
		err = ch.each(ctx, func(b batch) error {
			lines += len(b.digests)
			absent += len(b.digests) - filter.DeleteAll(b.digests)
			return nil
		})
		if err == nil {
			err = ch.file.write(ctx, ch.structure)
		}
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

// A change is a structure that a command reads from a file, changes by the
// lines of other files, and writes back to its file.
type change struct {
	command   *command
	file      output
	structure structure
	kind      frame.Kind
	keys      float64  // the number of keys before the change
	lines     []string // the files of lines
	family    hashfam.Family
}

// startChange reads the structure in the first file.
func (c *command) startChange(ctx context.Context, names []string) (*change, error) {
	if len(names) == 0 || names[0] == "-" {
		return nil, errors.New("want the name of a filter")
	}
	fam, err := c.family(ctx)
	if err != nil {
		return nil, err
	}
	file := output{"", names[0]}
	lines := names[1:]
	if err := file.check(c.inputs(lines)); err != nil {
		return nil, err
	}
	s, h, err := c.load(ctx, file.name, fam, 0)
	if err != nil {
		return nil, err
	}
	return &change{c, file, s, h.Kind, keysOf(s), lines, fam}, nil
}

// each calls use with batches of the lines.
func (ch *change) each(ctx context.Context, use adder) error {
	ch.command.progress.start(ch.lines, 1)
	err := ch.command.each(ctx, ch.lines, ch.family, use)
	if errors.Is(err, cuckoo.ErrFull) {
		err = ch.fail(errors.New("has no room for more lines: build it again with a larger -n"))
	}
	return err
}

// fail returns an error that names the structure's file.
func (ch *change) fail(err error) error { return input.Named(ch.file.name, err) }

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
