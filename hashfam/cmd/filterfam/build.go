package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
	"github.com/filterfam/filterfam/internal/cli"
)

// The buildFlags describe the structure. resolve sets the last two fields.
type buildFlags struct {
	kind, output, layout  string
	absent                []string // names of files
	rate                  cli.Rate
	epsilon, delta        cli.Rate
	n                     cli.Number
	memory                cli.Size
	compact, conservative bool
	force                 bool
	heavy                 heavyFlags
	family                hashfam.Family
	parsedLayout          bloom.Layout
}

// usedBy lists the types that use a flag.
var usedBy = map[string][]string{
	"fpr":          {cli.StaticType, cli.BloomType, cli.CuckooType, cli.CountingType},
	"keys":         {cli.BloomType, cli.CuckooType, cli.CountingType},
	"memory":       {cli.StaticType, cli.BloomType, cli.CuckooType, cli.CountingType, cli.HeavyType},
	"weight-field": {cli.SketchType, cli.HeavyType},
	"layout":       {cli.BloomType, cli.CountingType},
	"compact":      {cli.CuckooType},
	"epsilon":      {cli.SketchType},
	"delta":        {cli.SketchType},
	"conservative": {cli.SketchType},
	"absent":       {cli.StaticType},
	"phi":          {cli.HeavyType},
	"lines":        {cli.HeavyType},
}

func build(c *command) func(ctx context.Context, names []string) error {
	c.document("build -o FILE [flags] [FILE...]", "build a structure from lines", buildLong, buildExamples)
	f := &buildFlags{rate: 0.01, epsilon: 0.001, delta: 0.01}
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`, or to standard output if it is -")
	flags.StringVar(&f.kind, "type", cli.StaticType, "the `type`: "+strings.Join(cli.Types, ", "))
	flags.Var(&f.rate, "fpr", "the false-positive rate")
	flags.VarP(&f.n, "keys", "n", `the number of different lines, such as 1e6 or 1M (bloom, cuckoo,
counting); otherwise, all lines are counted: files are read twice,
and standard input is held in memory, 16 bytes per line`)
	flags.StringArrayVar(&f.absent, "absent", nil, "never find the lines of this `FILE`, which must be no lines of the list\n(static); it can be given several times")
	flags.Var(&f.memory, "memory", "the size, such as 64M, instead of -n or --fpr (not sketch)")
	flags.StringVar(&f.layout, "layout", "classic", "the `layout`: classic, blocked or (only bloom) partitioned")
	flags.BoolVar(&f.compact, "compact", false, "use one bit less per slot (cuckoo)")
	flags.Var(&f.epsilon, "epsilon", "the largest error, as a fraction of all lines (sketch)")
	flags.Var(&f.delta, "delta", "the probability of a larger error (sketch)")
	flags.BoolVar(&f.conservative, "conservative", false, "store more exact counts, but allow no deletes (sketch)")
	flags.VarP(&f.heavy.k, "lines", "k", "the number of lines to find (heavy)")
	flags.Var(&f.heavy.phi, "phi", "find all lines that make up this fraction of the input instead (heavy)")
	c.complete("type", cli.Types...)
	c.complete("layout", "classic", "blocked", "partitioned")
	c.addForce(&f.force, "write the output even if its rate is too high, or if there are no lines")
	c.addRead("use filterfam merge")
	c.addWeight()
	c.addQuiet()
	return func(ctx context.Context, names []string) error { return c.build(ctx, f, names) }
}

const buildLong = `
Builds a structure from lines. Repeated lines count once, except in counting
filters, sketches and heavy hitters. FILE appears when it is complete, or not
at all. Files can be compressed.`

const buildExamples = `
  printf 'ada\ngrace\n' | filterfam build -o words.filter
  filterfam build --type bloom -n 1e6 --fpr 0.1% -o words.filter words.txt`

// checkFlags returns an error if flags are invalid or contradict each other.
func (c *command) checkFlags(f *buildFlags) error {
	if !slices.Contains(cli.Types, f.kind) {
		return fmt.Errorf("--type %s, want %s", f.kind, strings.Join(cli.Types, ", "))
	}
	for name, kinds := range usedBy {
		if c.given(name) && !slices.Contains(kinds, f.kind) {
			return fmt.Errorf("%s cannot be used with --type %s, only with %s", flagName(c.Flags().Lookup(name)), f.kind, strings.Join(kinds, ", "))
		}
	}
	if err := checkRate(f.rate); err != nil {
		return err
	}
	if f.kind == cli.HeavyType {
		return f.heavy.check(c, f.memory)
	}
	return nil
}

// resolve parses the layout, gets the family, and sets the flags that are not
// given but follow from others.
func (c *command) resolve(ctx context.Context, f *buildFlags) error {
	if f.parsedLayout.UnmarshalText([]byte(f.layout)) != nil {
		return fmt.Errorf("--layout %s, want classic, partitioned or blocked", f.layout)
	}
	if f.memory > 0 && !c.given("fpr") {
		f.rate = 0 // the lowest rate in this memory
	}
	f.heavy.setDefault(c)
	var err error
	f.family, err = c.family(ctx)
	return err
}

func (c *command) build(ctx context.Context, f *buildFlags, names []string) error {
	if err := c.checkFlags(f); err != nil {
		return err
	}
	if err := c.resolve(ctx, f); err != nil {
		return err
	}
	if err := checkOutput(f.output, append(c.inputs(names), f.absent...)); err != nil {
		return err
	}
	c.progress.start(names, f.readings(names))
	made, err := c.made(ctx, f, names)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.progress.lines == 0 && !f.force {
		return c.noLines("; --force writes an empty structure")
	}
	return write(ctx, f.output, made)
}

// noLines returns the error that replaces an empty structure.
func (c *command) noLines(hint string) error {
	text := "the input has no lines"
	if c.given("fields") || c.given("weight-field") {
		text += " with such fields"
	}
	return errors.New(text + ", so nothing is written" + hint)
}

// countsLines reports whether all lines must be counted before the structure is
// created.
func (f *buildFlags) countsLines() bool {
	switch f.kind {
	case cli.BloomType, cli.CuckooType, cli.CountingType:
		return f.n == 0 && !(f.memory > 0 && f.rate > 0)
	}
	return false
}

// readings returns how often files are read.
func (f *buildFlags) readings(names []string) int64 {
	if f.countsLines() && regular(names) {
		return 2
	}
	return 1
}

// made returns the structure of all lines.
func (c *command) made(ctx context.Context, f *buildFlags, names []string) (structure, error) {
	if f.kind == cli.StaticType {
		return c.madeStatic(ctx, f, names)
	}
	fromInput := func(use func(batch) error) error { return c.each(ctx, names, f.family, use) }
	if !f.countsLines() {
		return c.filled(f, uint64(f.n), fromInput)
	}
	if f.readings(names) == 2 {
		n := uint64(0)
		for _, name := range names {
			err := c.eachUnhashed(ctx, name, func(b input.Batch) error {
				n += uint64(len(b.Keys))
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		return c.filled(f, n, fromInput)
	}
	digests, err := c.digests(ctx, f.family, names)
	if err != nil {
		return nil, err
	}
	return c.filled(f, uint64(len(digests)), func(use func(batch) error) error { return use(batch{digests: digests}) })
}

// madeStatic returns a static filter.
func (c *command) madeStatic(ctx context.Context, f *buildFlags, names []string) (structure, error) {
	config := static.Config{FPRate: float64(f.rate), MemoryBytes: uint64(f.memory), Family: f.family, Progress: c.progress.build}
	if len(f.absent) == 0 {
		digests, err := c.digests(ctx, f.family, names)
		if err != nil {
			return nil, err
		}
		made, err := static.New(ctx, config, digests)
		if err != nil {
			return nil, err
		}
		return made, c.checkUseful(f, uint64(len(digests)), made.FalsePositiveRate())
	}
	a, err := c.readAbsent(ctx, f.absent, f.family)
	if err != nil {
		return nil, err
	}
	digests, err := c.digestsBeside(ctx, a, f.family, names)
	if err != nil {
		return nil, err
	}
	if len(digests) == 0 && !f.force {
		return nil, c.noLines("; --force writes an empty structure")
	}
	a.sieve = nil // the build needs the memory
	made, err := static.NewExact(ctx, config, digests, a.digests)
	if err != nil {
		return nil, err
	}
	return made, c.checkUseful(f, uint64(len(digests)), made.FalsePositiveRate())
}
