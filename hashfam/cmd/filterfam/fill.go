package main

import (
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/internal/cli"
)

// filled returns a structure with all lines that each passes to its argument. n
// is the number of keys, or 0 if it follows from the rate and the memory.
func (c *command) filled(f *buildFlags, n uint64, each func(use func(batch) error) error) (structure, error) {
	if f.countsLines() {
		n = max(n, 1) // also for no lines
	}
	made, err := f.create(n)
	if err != nil {
		return nil, err
	}
	add := newAdder(made)
	lines := uint64(0)
	full := false
	err = each(func(b batch) error {
		lines += uint64(len(b.digests))
		if full {
			return nil // count the other lines
		}
		err := add(b)
		full = errors.Is(err, cuckoo.ErrFull)
		if full {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case full:
		return nil, cli.Full(f.limit(), lines, f.enough(lines))
	}
	return made, c.checkFilled(f, made, lines)
}

// checkFilled returns an error if the rate of a filter is more than twice --fpr
// or, with --memory and without --fpr, so high that the filter is useless. With
// --force, it returns nil. The rate of a single filter depends on chance, so
// checkFilled also accepts the filter if the rate that is expected for its
// parameters and number of lines is low enough.
func (c *command) checkFilled(f *buildFlags, made structure, lines uint64) error {
	filter, ok := made.(rated)
	if !ok {
		return nil
	}
	rate := min(filter.FalsePositiveRate(), paramsOf(made).RateAt(lines))
	if f.rate == 0 {
		return c.checkUseful(f, lines, rate)
	}
	if f.force {
		return nil
	}
	return cli.CheckRate(f.limit(), lines, rate, float64(f.rate), f.enough(lines)+", or --force")
}

// A filter with a higher rate than uselessRate finds most lines that were not
// added, and one with a higher rate than poorRate deserves a remark.
const (
	uselessRate = 0.5
	poorRate    = 0.1
)

// checkUseful checks the rate of a filter with --memory and without --fpr. It
// returns an error if the filter is useless, and prints a remark if it is poor.
func (c *command) checkUseful(f *buildFlags, lines uint64, rate float64) error {
	if f.rate > 0 || f.force || rate <= poorRate {
		return nil
	}
	enough := *f
	enough.rate = 0.01
	bytes, err := enough.sizeFor(lines)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("--memory %d is too small for %d lines: the rate is %.3g%%; --memory %d has 1%%", f.memory, lines, 100*rate, bytes)
	if rate > uselessRate {
		return errors.New(text + "; --force writes the output")
	}
	c.remark("%s", text)
	return nil
}

// sizeFor returns the size for some lines at the rate of f.
func (f *buildFlags) sizeFor(lines uint64) (uint64, error) {
	rate := float64(f.rate)
	switch f.kind {
	case cli.StaticType:
		return static.Config{FPRate: rate}.EstimatedBytes(lines, 0)
	case cli.BloomType:
		p, err := bloom.Config{Capacity: lines, FPRate: rate, Layout: f.parsedLayout}.Params()
		return p.SizeBytes(), err
	case cli.CountingType:
		p, err := counting.Config{Capacity: lines, FPRate: rate, Layout: f.parsedLayout}.Params()
		return p.SizeBytes(), err
	}
	p, err := cuckoo.Config{Capacity: lines, FPRate: rate, Compact: f.compact}.Params()
	return p.SizeBytes(), err
}

// limit returns the flag that limits the number of keys.
func (f *buildFlags) limit() string { return limitFlag(f.n, f.memory) }

// enough returns the flag that would have been right.
func (f *buildFlags) enough(lines uint64) string {
	if f.n > 0 {
		return fmt.Sprintf("-n %d", lines)
	}
	return fmt.Sprintf("-n %d instead", lines)
}

// create returns a structure without keys.
func (f *buildFlags) create(n uint64) (structure, error) {
	limit := uint64(f.memory)
	rate := float64(f.rate)
	flag := f.limit()
	if f.n == 0 && limit == 0 {
		flag = fmt.Sprintf("%d lines", n)
	}
	switch f.kind {
	case cli.BloomType:
		c := bloom.Config{Capacity: n, FPRate: rate, MemoryBytes: limit, Layout: f.parsedLayout, Family: f.family}
		return allocated(flag, c.Params, bloom.NewFromParams)
	case cli.CountingType:
		c := counting.Config{Capacity: n, FPRate: rate, MemoryBytes: limit, Layout: f.parsedLayout, Family: f.family}
		return allocated(flag, c.Params, counting.NewFromParams)
	case cli.CuckooType:
		c := cuckoo.Config{Capacity: n, FPRate: rate, MemoryBytes: limit, Compact: f.compact, Family: f.family}
		return allocated(flag, c.Params, cuckoo.NewFromParams)
	case cli.HeavyType:
		return f.heavy.create(f.family, f.memory)
	}
	c := countmin.Config{Epsilon: float64(f.epsilon), Delta: float64(f.delta), Conservative: f.conservative, Family: f.family}
	return allocated(fmt.Sprintf("--epsilon %g", float64(f.epsilon)), c.Params, countmin.NewFromParams)
}
