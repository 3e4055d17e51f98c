package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/memory"
)

// The buildFlags describe the structure.
type buildFlags struct {
	kind, output, layout  string
	rate, epsilon, delta  float64
	n                     cli.Number
	memory                cli.Size
	compact, conservative bool
	force                 bool
	family                hashfam.Family
	parsedLayout          bloom.Layout
}

// usedBy lists the types that use a flag.
var usedBy = map[string][]string{
	"fpr":          {"static", "bloom", "cuckoo", "counting"},
	"n":            {"bloom", "cuckoo", "counting"},
	"memory":       {"static", "bloom", "cuckoo", "counting"},
	"layout":       {"bloom", "counting"},
	"compact":      {"cuckoo"},
	"epsilon":      {"sketch"},
	"delta":        {"sketch"},
	"conservative": {"sketch"},
}

func (c *command) addBuild() *buildFlags {
	f := &buildFlags{}
	c.flags.StringVar(&f.output, "o", "", "")
	c.flags.StringVar(&f.kind, "type", "static", "")
	c.flags.StringVar(&f.layout, "layout", "classic", "")
	c.flags.Float64Var(&f.rate, "fpr", 0.01, "")
	c.flags.Float64Var(&f.epsilon, "epsilon", 0.001, "")
	c.flags.Float64Var(&f.delta, "delta", 0.01, "")
	c.flags.Var(&f.n, "n", "")
	c.flags.Var(&f.memory, "memory", "")
	c.flags.BoolVar(&f.compact, "compact", false, "")
	c.flags.BoolVar(&f.conservative, "conservative", false, "")
	c.flags.BoolVar(&f.force, "force", false, "")
	c.addRead()
	return f
}

// check checks the flags, before any line is read.
func (c *command) check(ctx context.Context, f *buildFlags) error {
	types := []string{"static", "bloom", "cuckoo", "counting", "sketch"}
	if !slices.Contains(types, f.kind) {
		return fmt.Errorf("-type %s, want static, bloom, cuckoo, counting or sketch", f.kind)
	}
	for name, kinds := range usedBy {
		if c.given(name) && !slices.Contains(kinds, f.kind) {
			return fmt.Errorf("-%s cannot be used with -type %s, only with %s", name, f.kind, strings.Join(kinds, ", "))
		}
	}
	if f.parsedLayout.UnmarshalText([]byte(f.layout)) != nil {
		return fmt.Errorf("-layout %s, want classic, partitioned or blocked", f.layout)
	}
	if err := checkRate(f.rate); err != nil {
		return err
	}
	if f.memory > 0 && !c.given("fpr") {
		f.rate = 0 // the lowest rate in this memory
	}
	var err error
	f.family, err = c.family(ctx)
	return err
}

func build(ctx context.Context, c *command) error {
	f := c.addBuild()
	names, err := c.parse()
	if err != nil {
		return err
	}
	if err := c.check(ctx, f); err != nil {
		return err
	}
	if err := checkOutput(f.output, c.inputs(names)); err != nil {
		return err
	}
	c.progress.start(names)
	made, err := c.made(ctx, f, names)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return write(ctx, f.output, made)
}

// made returns the structure of all lines.
func (c *command) made(ctx context.Context, f *buildFlags, names []string) (io.WriterTo, error) {
	if f.kind == "static" {
		digests, err := c.digests(ctx, f, names)
		if err != nil {
			return nil, err
		}
		config := static.Config{FPRate: f.rate, MemoryBytes: uint64(f.memory), Family: f.family, Progress: c.progress.build}
		return static.New(ctx, config, digests)
	}
	fromInput := func(use func([]hashfam.Digest) error) error {
		return c.eachBatch(ctx, names, f.family, func(_ [][]byte, d []hashfam.Digest) error { return use(d) })
	}
	unknown := f.kind != "sketch" && f.n == 0 && !(f.memory > 0 && f.rate > 0)
	if !unknown {
		return c.filled(f, uint64(f.n), fromInput)
	}
	if !regular(names) {
		digests, err := c.digests(ctx, f, names)
		if err != nil {
			return nil, err
		}
		return c.filled(f, uint64(len(digests)), func(use func([]hashfam.Digest) error) error { return use(digests) })
	}
	c.progress.total *= 2 // files are read twice
	n := uint64(0)
	for _, name := range names {
		err := c.eachBatchOf(ctx, name, func(keys [][]byte) error {
			n += uint64(len(keys))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return c.filled(f, n, fromInput)
}

// digests returns the digests of all lines.
func (c *command) digests(ctx context.Context, f *buildFlags, names []string) ([]hashfam.Digest, error) {
	var all collected
	err := c.eachBatch(ctx, names, f.family, func(_ [][]byte, digests []hashfam.Digest) error {
		return all.add(digests, memory.Check)
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(all...), nil
}

// Collected digests are in arrays that do not grow, so that no digest is held
// twice while lines are read.
type collected [][]hashfam.Digest

// perArray is the number of digests in an array, except that the last one can
// have fewer.
const perArray = 1 << 17

// add adds digests, unless check refuses the memory for a further array, for
// the one that will hold all digests, and for a static filter, which has at most
// 32 bits per digest.
func (all *collected) add(digests []hashfam.Digest, check func(bytes uint64) error) error {
	for len(digests) > 0 {
		last := len(*all) - 1
		if last < 0 || len((*all)[last]) == perArray {
			n := uint64(last+1) * perArray
			if err := check((8 + 8 + 4) * (n + perArray)); err != nil {
				return fmt.Errorf("more than %d lines: %w", n, err)
			}
			*all = append(*all, make([]hashfam.Digest, 0, perArray))
			last++
		}
		n := min(len(digests), perArray-len((*all)[last]))
		(*all)[last] = append((*all)[last], digests[:n]...)
		digests = digests[n:]
	}
	return nil
}

// filled returns a structure with all digests that each yields. n is the number
// of keys, or 0 if it follows from the rate and the memory.
func (c *command) filled(f *buildFlags, n uint64, each func(use func([]hashfam.Digest) error) error) (io.WriterTo, error) {
	if f.n == 0 && !(f.memory > 0 && f.rate > 0) {
		n = max(n, 1) // also for no lines
	}
	made, err := f.create(n)
	if err != nil {
		return nil, err
	}
	lines := uint64(0)
	full := false
	err = each(func(digests []hashfam.Digest) error {
		lines += uint64(len(digests))
		if full {
			return nil // count the other lines
		}
		err := addAll(made, digests)
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
	if filter, ok := made.(rated); ok && f.rate > 0 && !f.force {
		return made, cli.CheckRate(f.limit(), lines, filter.FalsePositiveRate(), f.rate, f.enough(lines)+", or -force")
	}
	return made, nil
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
	flag := f.limit()
	if f.n == 0 && limit == 0 {
		flag = fmt.Sprintf("%d lines", n)
	}
	switch f.kind {
	case "bloom":
		c := bloom.Config{Capacity: n, FPRate: f.rate, MemoryBytes: limit, Layout: f.parsedLayout, Family: f.family}
		return allocated(flag, c.Params, bloom.NewFromParams)
	case "counting":
		c := counting.Config{Capacity: n, FPRate: f.rate, MemoryBytes: limit, Layout: f.parsedLayout, Family: f.family}
		return allocated(flag, c.Params, counting.NewFromParams)
	case "cuckoo":
		c := cuckoo.Config{Capacity: n, FPRate: f.rate, MemoryBytes: limit, Compact: f.compact, Family: f.family}
		return allocated(flag, c.Params, cuckoo.NewFromParams)
	}
	c := countmin.Config{Epsilon: f.epsilon, Delta: f.delta, Conservative: f.conservative, Family: f.family}
	return allocated(fmt.Sprintf("-epsilon %g", f.epsilon), c.Params, countmin.NewFromParams)
}

// addAll adds digests to a structure that create returns.
func addAll(made structure, digests []hashfam.Digest) error {
	if f, ok := made.(*cuckoo.Filter); ok {
		return addDistinct(f, digests)
	}
	made.(interface{ AddAll([]hashfam.Digest) }).AddAll(digests)
	return nil
}

// addDistinct adds digests that are not in the filter, because a cuckoo filter
// has room for only eight copies of a key.
func addDistinct(f *cuckoo.Filter, digests []hashfam.Digest) error {
	for _, d := range digests {
		if _, err := f.ContainsOrAddDigest(d); err != nil {
			return err
		}
	}
	return nil
}
