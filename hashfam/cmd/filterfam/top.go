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

func top(ctx context.Context, c *command) error {
	var k cli.Number
	var memory cli.Size
	phi := 0.0
	low := false
	c.flags.Var(&k, "k", "")
	c.flags.Float64Var(&phi, "phi", 0, "")
	c.flags.Var(&memory, "memory", "")
	c.flags.BoolVar(&low, "low", false, "")
	c.addRead()
	names, err := c.parse()
	if err != nil {
		return err
	}
	if c.given("k") && c.given("phi") {
		return errors.New("-k and -phi, want one of the two")
	}
	if !c.given("k") && !c.given("phi") {
		k = 10
	}
	fam, err := c.family()
	if err != nil {
		return err
	}
	if uint64(memory) > 1<<30 {
		return fmt.Errorf("-memory %d, want at most 1G", memory)
	}
	heavy, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: phi, K: int(k), MemoryBytes: int(memory), Family: fam})
	if err != nil {
		return err
	}
	err = c.eachBatch(ctx, names, fam, func(keys [][]byte, digests []hashfam.Digest) error {
		return heavy.AddAll(digests, keys)
	})
	if err != nil {
		return err
	}
	c.printTop(heavy, low)
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
