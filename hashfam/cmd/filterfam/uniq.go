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
	rate   float64
	n      cli.Number
	memory cli.Size
	state  string
	force  bool
}

// A seen structure remembers lines.
type seen interface {
	structure
	ContainsOrAddDigest(d hashfam.Digest) bool
}

func uniq(ctx context.Context, c *command) error {
	var f uniqFlags
	c.flags.Float64Var(&f.rate, "fpr", 1e-6, "")
	c.flags.Var(&f.n, "n", "")
	c.flags.Var(&f.memory, "memory", "")
	c.flags.StringVar(&f.state, "state", "", "")
	c.flags.BoolVar(&f.force, "force", false, "")
	c.addRead()
	names, err := c.parse()
	if err != nil {
		return err
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	state := output{"-state", f.state}
	if f.state == "-" {
		return errors.New("-state -: want the name of a file")
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
	return c.eachBatch(ctx, names, fam, func(keys [][]byte, digests []hashfam.Digest) error {
		s.Lock()
		defer s.Unlock()
		if s.err != nil {
			return s.err
		}
		before := added
		for i, d := range digests {
			if added >= limit {
				break
			}
			if !s.lines.ContainsOrAddDigest(d) {
				added++
				c.print(keys[i], false, nil, 0)
			}
		}
		s.changed = s.changed || added > before
		if err := c.out.Flush(); err != nil {
			s.err = fmt.Errorf("%w: %w", errOutput, err) // so these lines are not saved
			return s.err
		}
		if added >= limit {
			return fmt.Errorf("the rate has reached twice -fpr after %d new lines, so more and more lines would be lost: want a larger -n or -memory, or -force", added)
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
			return old, limit - min(limit, uint64(old.EstimatedLen())), nil
		}
	case *bloom.Scalable:
		if now, ok := lines.(*bloom.Scalable); ok && now.Config() == old.Config() {
			return old, limit, nil
		}
	default:
		return nil, 0, fmt.Errorf("-state %s: is %v, not a state of uniq", f.state, h.Kind)
	}
	return nil, 0, fmt.Errorf("-state %s: was made with another -n, -fpr or -memory", f.state)
}

// create returns a filter without lines. Without -n and -memory, it grows.
func (f *uniqFlags) create(fam hashfam.Family) (seen, uint64, error) {
	const unlimited = 1<<64 - 1
	if f.n == 0 && f.memory == 0 {
		s, err := bloom.NewScalable(bloom.ScalableConfig{Expected: 100_000, FPRate: f.rate, Family: fam})
		return s, unlimited, err
	}
	c := bloom.Config{Capacity: uint64(f.n), FPRate: f.rate, MemoryBytes: uint64(f.memory), Family: fam}
	made, err := allocated(limitFlag(f.n, f.memory), c.Params, bloom.NewFromParams)
	if err != nil {
		return nil, 0, err
	}
	b := made.(*bloom.Filter)
	if f.force {
		return b, unlimited, nil
	}
	return b, b.Params().CapacityAt(min(2*f.rate, 0.99)), nil
}
