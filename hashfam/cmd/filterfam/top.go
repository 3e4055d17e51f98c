package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
)

// A ranked line has bounds for its count.
type ranked struct {
	line string
	countmin.Estimate
}

// The topFlags say how many lines are printed, and from which structure.
type topFlags struct {
	k      cli.Number
	phi    float64
	memory cli.Size
	low    bool
}

// check checks the flags. Larger numbers would not fit into an int everywhere.
func (f *topFlags) check(c *command) error {
	if c.given("k") && c.given("phi") {
		return errors.New("-k and -phi, want one of the two")
	}
	if f.k > 1<<28 {
		return fmt.Errorf("-k %d, want 1 to 268435456", f.k)
	}
	if c.given("memory") && (f.memory < 1<<10 || f.memory > 1<<30) {
		return fmt.Errorf("-memory %d, want 1K to 1G", f.memory)
	}
	if !c.given("k") && !c.given("phi") {
		f.k = 10
	}
	return nil
}

func top(ctx context.Context, c *command) error {
	var f topFlags
	c.flags.Var(&f.k, "k", "")
	c.flags.Float64Var(&f.phi, "phi", 0, "")
	c.flags.Var(&f.memory, "memory", "")
	c.flags.BoolVar(&f.low, "low", false, "")
	c.addRead()
	names, err := c.parse()
	if err != nil {
		return err
	}
	if err := f.check(c); err != nil {
		return err
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	heavy, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: f.phi, K: int(f.k), MemoryBytes: int(f.memory), Family: fam})
	if err != nil {
		return err
	}
	err = c.eachBatch(ctx, names, fam, func(keys [][]byte, digests []hashfam.Digest) error {
		return heavy.AddAll(digests, keys)
	})
	if err != nil {
		return err
	}
	c.printTop(heavy, f.low)
	return nil
}

// printTop prints the frequent lines, and a remark if some may be missing.
func (c *command) printTop(heavy *countmin.HeavyHitters, low bool) {
	var all []ranked
	for line, e := range heavy.All() {
		all = append(all, ranked{line, e})
	}
	if low {
		slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.Low, a.Low) })
	}
	for _, r := range all {
		fmt.Fprintf(c.out, "%d\t%d\t%s%c", r.Low, r.High, r.line, c.end())
	}
	if !heavy.Complete() {
		c.out.Flush()
		fmt.Fprintf(os.Stderr, "filterfam top: the list may be incomplete: a line that is missing occurs at most %d times; more -memory helps\n", heavy.MissBound())
	}
}
