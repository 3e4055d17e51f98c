package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/memory"
)

func count(c *command) func(ctx context.Context, names []string) error {
	c.document("count [flags] [FILE...]", "print the number of different lines", countLong, countExamples)
	size := cli.Size(32 << 20)
	c.Flags().Var(&size, "memory", "the amount of memory, such as 1M, 1K to 64G")
	c.addRead("use filterfam info")
	c.addQuiet()
	return func(ctx context.Context, names []string) error { return c.count(ctx, size, names) }
}

const countLong = `
Prints the number of different lines. It is exact up to a sixteenth of --memory
in bytes, which is two million lines if --memory is not given. Beyond, it is an
estimate, and standard error says how far off it can be.`

const countExamples = `
  printf 'ada\ngrace\nada\n' | filterfam count
  filterfam count words.txt`

func (c *command) count(ctx context.Context, size cli.Size, names []string) error {
	if size < 1<<10 || size > 64<<30 {
		return fmt.Errorf("--memory %d, want 1K to 64G", size)
	}
	if err := memory.Check(uint64(size)); err != nil {
		return fmt.Errorf("--memory %d: %w", size, err)
	}
	if err := checkStdout(c.inputs(names)); err != nil {
		return err
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	c.progress.start(names, 1)
	lines := newLeast(int(size / 16))
	err = c.each(ctx, names, fam, func(b batch) error {
		lines.add(b.digests)
		return nil
	})
	if err != nil {
		return err
	}
	n, deviation := lines.count()
	fmt.Fprintf(c.out, "%.0f\n", n)
	if deviation > 0 {
		c.remark("this is an estimate; it is off by less than %.2g%% with a probability of 95%%", 196*deviation)
	}
	return nil
}

// A least estimates the number of different digests that were added, using the
// k smallest ones. If n different digests were added, the greatest of these k
// digests is near the fraction k/n of the range, because digests are uniform.
// See Bar-Yossef et al., "Counting distinct elements in a data stream" (2002).
type least struct {
	k       int
	digests []hashfam.Digest // at most 2k, unsorted, with repetitions
	bound   hashfam.Digest   // greater digests are not among the k least
	full    bool             // there were more than k different digests
}

func newLeast(k int) *least { return &least{k: k, bound: math.MaxUint64} }

func (l *least) add(digests []hashfam.Digest) {
	for _, d := range digests {
		if d > l.bound {
			continue
		}
		l.digests = append(l.digests, d)
		if len(l.digests) >= 2*l.k {
			l.shrink()
		}
	}
}

// shrink removes repetitions, and all digests but the k least.
func (l *least) shrink() {
	slices.Sort(l.digests)
	l.digests = slices.Compact(l.digests)
	if len(l.digests) > l.k {
		l.full = true
		l.digests = l.digests[:l.k]
		l.bound = l.digests[l.k-1]
	}
}

// count returns the number of different digests, or an estimate, and the
// relative standard deviation of the estimate, which is 0 if the number is
// exact.
func (l *least) count() (n, deviation float64) {
	l.shrink()
	if !l.full {
		return float64(len(l.digests)), 0
	}
	k := float64(l.k)
	return math.Round((k - 1) / (float64(l.bound) / math.MaxUint64)), 1 / math.Sqrt(k-2)
}
