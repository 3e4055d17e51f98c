package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
	"github.com/filterfam/filterfam/internal/cli"
)

type uniqFlags struct {
	rate   cli.Rate
	n      cli.Number
	memory cli.Size
	state  string
	force  bool
}

// A seen structure remembers lines.
type seen interface {
	journal.Structure
	ContainsDigest(d hashfam.Digest) bool
	ContainsOrAddDigest(d hashfam.Digest) bool
}

func uniq(c *command) func(ctx context.Context, names []string) error {
	c.document("uniq [flags] [FILE...]", "print each line when it is first seen", uniqLong, uniqExamples)
	f := uniqFlags{rate: 1e-6}
	flags := c.Flags()
	flags.Var(&f.rate, "fpr", "the probability that a new line is lost")
	flags.VarP(&f.n, "keys", "n", `the number of different lines, for a fixed amount of memory;
without -n and --memory, memory grows with the lines`)
	flags.Var(&f.memory, "memory", "the amount of memory, such as 64M, instead of -n")
	flags.StringVar(&f.state, "state", "", `remember the lines in `+"`FILE`"+`, and continue from it if it exists;
it is saved once a second, and at the end`)
	c.addForce(&f.force, "continue when the rate exceeds twice --fpr")
	c.addRead("use filterfam info")
	c.addQuiet()
	c.read.delimiterHint = "; to print repeated lines, use sort | uniq -d"
	for letter, name := range missingInUniq {
		flags.BoolP(name, letter, false, "")
		flags.Lookup(name).Hidden = true
	}
	return func(ctx context.Context, names []string) error { return c.uniq(ctx, f, names) }
}

// missingInUniq are flags of the usual uniq, by their letters. The letter d has
// another meaning.
var missingInUniq = map[string]string{"c": "count", "u": "unique", "D": "all-repeated"}

const uniqLong = `
Prints each line when it is first seen, without sorting, in little memory. There
are no -c, -d and -u: use filterfam top, or sort | uniq -c.`

const uniqExamples = `
  printf 'ada\nada\ngrace\n' | filterfam uniq
  printf 'ada\n' | filterfam uniq -n 1e5 --state seen.state`

func (c *command) uniq(ctx context.Context, f uniqFlags, names []string) error {
	for letter, name := range missingInUniq {
		if c.given(name) {
			return fmt.Errorf("there is no -%s: use filterfam top, or sort | uniq -%s", letter, letter)
		}
	}
	if err := checkRate(f.rate); err != nil {
		return err
	}
	if err := checkStdout(c.inputs(names)); err != nil {
		return err
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	lines, limit, err := f.create(fam)
	if err != nil {
		return err
	}
	if f.state == "" {
		return c.firsts(ctx, names, fam, &saver{lines: lines}, limit)
	}
	s, old, err := c.openState(ctx, &f, names, lines, fam)
	if err != nil {
		return err
	}
	go s.saveOften(c)
	err = c.firsts(ctx, names, fam, s, limit-min(limit, old))
	if errors.Is(err, errOutput) {
		return err
	}
	// The state matches the lines that were printed, also after an error.
	return cmp.Or(s.saveLast(), err)
}

// A saver saves all lines that have been seen so far, once a second. It is
// locked while lines are added and printed, so that no line is saved before it
// has been printed.
type saver struct {
	sync.Mutex
	output
	lines   seen
	journal *journal.Journal // nil without --state
	changed bool             // since it was saved
	failing bool             // saving failed the last time
	err     error            // of the output, after which nothing is saved
}

// saveEvery is the time between two saves. Tests change it.
var saveEvery = time.Second

// saveOften saves the lines once a second if they have changed. When saving
// fails, for example because the disk is full, it prints one remark and
// continues trying.
func (s *saver) saveOften(c *command) {
	for range time.Tick(saveEvery) {
		s.Lock()
		if err := s.save(); err != nil && !s.failing {
			c.remark("%v: %v; uniq continues and tries again", errUnsaved, cli.Message(err, "--"))
			s.failing = true
		}
		s.Unlock()
	}
}

// save saves the lines if they have changed.
func (s *saver) save() error {
	if !s.changed || s.err != nil {
		return nil
	}
	if err := s.journal.Sync(0); err != nil {
		return s.fail(err)
	}
	s.changed = false
	s.failing = false
	return nil
}

// saveLast saves the lines and stays locked, so nothing is saved or printed any
// more.
func (s *saver) saveLast() error {
	s.Lock()
	if err := s.save(); err != nil {
		return fmt.Errorf("%w: %w", errUnsaved, err)
	}
	return s.fail(s.journal.Close())
}

// add adds a line, and reports whether it is new.
func (s *saver) add(d hashfam.Digest) bool {
	if s.lines.ContainsOrAddDigest(d) {
		return false
	}
	if s.journal != nil {
		s.journal.Add(d)
		s.changed = true
	}
	return true
}

// errUnsaved is returned if the state cannot be saved, also after an interrupt.
var errUnsaved = errors.New("saving the state")

// errOutput is returned if the output cannot be written.
var errOutput = errors.New("standard output")

// firsts prints the lines that are seen for the first time. It returns an error
// when there are more than limit of them.
func (c *command) firsts(ctx context.Context, names []string, fam hashfam.Family, s *saver, limit uint64) error {
	added := uint64(0)
	return c.each(ctx, names, fam, func(b batch) error {
		s.Lock()
		defer s.Unlock()
		full := false
		for i, d := range b.digests {
			full = added >= limit && !s.lines.ContainsDigest(d)
			if full {
				break
			}
			if s.add(d) {
				added++
				c.print(b.Lines[i])
			}
		}
		if err := c.out.Flush(); err != nil {
			s.err = fmt.Errorf("%w: %w", errOutput, err) // so these lines are not saved
			return s.err
		}
		if full {
			return fmt.Errorf("the rate has reached twice --fpr after %d new lines, so more and more lines would be lost: want a larger -n or --memory, or --force", added)
		}
		return nil
	})
}

// create returns a filter without lines, and the number of lines at which its
// rate reaches twice --fpr, or 2^64-1 with --force or for a growing filter. The
// filter grows if neither -n nor --memory is set.
func (f *uniqFlags) create(fam hashfam.Family) (seen, uint64, error) {
	const unlimited = 1<<64 - 1
	if f.n == 0 && f.memory == 0 {
		s, err := bloom.NewScalable(bloom.ScalableConfig{Expected: 100_000, FPRate: float64(f.rate), Family: fam})
		return s, unlimited, err
	}
	c := bloom.Config{Capacity: uint64(f.n), FPRate: float64(f.rate), MemoryBytes: uint64(f.memory), Family: fam}
	made, err := allocated(limitFlag(f.n, f.memory), c.Params, bloom.NewFromParams)
	if err != nil {
		return nil, 0, err
	}
	b := made.(*bloom.Filter)
	if f.force {
		return b, unlimited, nil
	}
	return b, b.Params().CapacityAt(min(2*float64(f.rate), 0.99)), nil
}
