package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
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
	structure
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
it is saved at the end, and at most once a minute before`)
	c.addForce(&f.force, "continue when the rate exceeds twice --fpr")
	c.addRead("use filterfam info")
	c.addQuiet()
	return func(ctx context.Context, names []string) error { return c.uniq(ctx, f, names) }
}

const uniqLong = `
Prints each line when it is first seen, without sorting, in little memory. To
count lines, use filterfam top, or sort | uniq -c.`

const uniqExamples = `
  printf 'ada\nada\ngrace\n' | filterfam uniq
  printf 'ada\n' | filterfam uniq -n 1e5 --state seen.state`

func (c *command) uniq(ctx context.Context, f uniqFlags, names []string) error {
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
	state := output{"--state", f.state}
	if f.state == "-" {
		return errors.New("--state -: want the name of a file")
	}
	if f.state != "" {
		if err := state.check(c.inputs(names)); err != nil {
			return err
		}
	}
	lines, limit, err := c.openState(ctx, f, fam)
	if err != nil {
		return err
	}
	s := &saver{output: state, lines: lines}
	if f.state != "" {
		go s.saveOften(context.WithoutCancel(ctx))
	}
	err = c.firsts(ctx, names, fam, s, limit)
	if errors.Is(err, errOutput) || f.state == "" {
		return err
	}
	// The state matches the lines that were printed, also after an error.
	return cmp.Or(s.saveLast(context.WithoutCancel(ctx)), err)
}

// A saver saves the lines that have been seen, now and then. It is locked while
// lines are added and printed, so that no line is saved before it is printed.
type saver struct {
	sync.Mutex
	output
	lines   seen
	changed bool  // since it was saved
	err     error // of saving
}

// saveEvery is the time between two saves. Tests change it.
var saveEvery = time.Minute

// saveOften saves the lines if they have changed. Since lines wait meanwhile,
// it makes pauses that are ten times as long.
func (s *saver) saveOften(ctx context.Context) {
	for wait := saveEvery; ; {
		time.Sleep(wait)
		begin := time.Now()
		s.save(ctx)
		wait = max(saveEvery, 10*time.Since(begin))
	}
}

func (s *saver) save(ctx context.Context) {
	s.Lock()
	defer s.Unlock()
	if s.changed && s.err == nil {
		s.err = s.write(ctx, s.lines)
		s.changed = false
	}
}

// saveLast saves the lines and stays locked, so nothing is saved or printed any
// more.
func (s *saver) saveLast(ctx context.Context) error {
	s.Lock()
	if err := s.write(ctx, s.lines); err != nil {
		return fmt.Errorf("%w: %w", errUnsaved, err)
	}
	return nil
}

// errUnsaved is returned if the state cannot be saved, also after an interrupt.
var errUnsaved = errors.New("saving the state")

// errOutput is returned if the output cannot be written.
var errOutput = errors.New("standard output")

// firsts prints the lines that are seen for the first time.
func (c *command) firsts(ctx context.Context, names []string, fam hashfam.Family, s *saver, limit uint64) error {
	added := uint64(0)
	full := false
	return c.each(ctx, names, fam, func(b batch) error {
		s.Lock()
		defer s.Unlock()
		if s.err != nil {
			return s.err
		}
		before := added
		for i, d := range b.digests {
			if added >= limit && !s.lines.ContainsDigest(d) {
				full = true
				break
			}
			if !s.lines.ContainsOrAddDigest(d) {
				added++
				c.print(b.Lines[i])
			}
		}
		s.changed = s.changed || added > before
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

// openState returns the lines in the state file, or new lines if there is no
// file, and the number of lines that can be added.
func (c *command) openState(ctx context.Context, f uniqFlags, fam hashfam.Family) (seen, uint64, error) {
	lines, limit, err := f.create(fam)
	if err != nil || f.state == "" {
		return lines, limit, err
	}
	old, h, err := c.load(ctx, f.state, fam, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, limit, nil
	}
	if err != nil {
		return nil, 0, err
	}
	switch old := old.(type) {
	case *bloom.Filter:
		if now, ok := lines.(*bloom.Filter); ok && now.Params() == old.Params() {
			if f.force {
				return old, limit, nil
			}
			return old, limit - min(limit, leastLen(old)), nil
		}
	case *bloom.Scalable:
		if now, ok := lines.(*bloom.Scalable); ok && now.Config() == old.Config() {
			return old, limit, nil
		}
	default:
		return nil, 0, fmt.Errorf("--state %s: is %v, not a state of uniq", f.state, h.Kind)
	}
	return nil, 0, fmt.Errorf("--state %s: was made with another -n, --fpr or --memory", f.state)
}

// create returns a filter without lines. Without -n and -memory, it grows.
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
	return b, max(uint64(f.n), b.Params().CapacityAt(min(2*float64(f.rate), 0.99))), nil
}
