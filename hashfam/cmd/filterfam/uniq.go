package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

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
	fam, err := c.family()
	if err != nil {
		return err
	}
	if f.state != "" {
		if err := checkOutput(f.state, names); err != nil {
			return fmt.Errorf("-state%s", err.Error()[len("-o"):])
		}
	}
	lines, limit, err := f.open(fam)
	if err != nil {
		return err
	}
	err = c.firsts(ctx, names, fam, lines, limit)
	if errors.Is(err, errOutput) || f.state == "" {
		return err
	}
	// The state matches the lines that were printed, also after an error.
	return errors.Join(err, write(context.WithoutCancel(ctx), f.state, lines))
}

// errOutput is returned if the output cannot be written.
var errOutput = errors.New("standard output")

// firsts prints the lines that are seen for the first time.
func (c *command) firsts(ctx context.Context, names []string, fam hashfam.Family, lines seen, limit uint64) error {
	added := uint64(0)
	return c.eachBatch(ctx, names, fam, func(keys [][]byte, digests []hashfam.Digest) error {
		for i, d := range digests {
			if added >= limit {
				break
			}
			if !lines.ContainsOrAddDigest(d) {
				added++
				c.print(keys[i], false, nil, 0)
			}
		}
		if err := c.out.Flush(); err != nil {
			return fmt.Errorf("%w: %w", errOutput, err)
		}
		if added >= limit {
			return fmt.Errorf("the rate has reached twice -fpr after %d new lines, so more and more lines would be lost: want a larger -n or -memory, or -force", added)
		}
		return nil
	})
}

// open returns the lines in the state file, or new lines if there is no file,
// and the number of lines that can be added.
func (f *uniqFlags) open(fam hashfam.Family) (seen, uint64, error) {
	lines, limit, err := f.create(fam)
	if err != nil || f.state == "" {
		return lines, limit, err
	}
	old, h, err := load(f.state, fam)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, limit, nil
	}
	if err != nil {
		return nil, 0, err
	}
	switch old := old.(type) {
	case *bloom.Filter:
		if now, ok := lines.(*bloom.Filter); ok && now.Params() == old.Params() {
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
	flag := fmt.Sprintf("-n %d", f.n)
	if f.n == 0 {
		flag = fmt.Sprintf("-memory %d", f.memory)
	}
	c := bloom.Config{Capacity: uint64(f.n), FPRate: f.rate, MemoryBytes: uint64(f.memory), Family: fam}
	b, err := allocated(flag, c.Params, bloom.NewFromParams)
	if err != nil {
		return nil, 0, err
	}
	if f.force {
		return b, unlimited, nil
	}
	return b, b.Params().CapacityAt(min(2*f.rate, 0.99)), nil
}
