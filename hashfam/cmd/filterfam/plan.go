package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/internal/advice"
	"github.com/filterfam/filterfam/internal/cli"
)

type planFlags struct {
	n      cli.Number
	memory cli.Size
	rate   cli.Rate
	asJSON bool
}

func plan(c *command) func(ctx context.Context, names []string) error {
	c.document("plan [-n N] [--fpr RATE] [--memory BYTES]", "list filters with their sizes", planLong, planExamples)
	var f planFlags
	c.Flags().VarP(&f.n, "keys", "n", "the number of different keys, such as 1e6 or 1M")
	c.Flags().Var(&f.rate, "fpr", "the false-positive rate, such as 0.01 or 1%")
	c.Flags().Var(&f.memory, "memory", "the amount of memory, such as 64M")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print a line of JSON for each structure")
	return func(_ context.Context, names []string) error {
		if len(names) > 0 {
			return fmt.Errorf("%q: want no arguments", names[0])
		}
		return c.plan(f)
	}
}

const planLong = `
Lists the filters for N keys, with their sizes and the Go code that creates
them. Two of the three flags are enough: without --fpr, each has its lowest rate,
and without -n, as many keys as fit. The rate is 1% if only one flag is given.`

const planExamples = `
  filterfam plan -n 1e6 --fpr 0.1%
  filterfam plan -n 1M --memory 1M --json`

func (c *command) plan(f planFlags) error {
	switch {
	case f.n == 0 && f.memory == 0:
		return errors.New("want -n or --memory")
	case c.given("fpr") && checkRate(f.rate) != nil:
		return checkRate(f.rate)
	case f.rate == 0 && (f.n == 0 || f.memory == 0):
		f.rate = 0.01
	}
	all, err := advice.Filters(advice.Needs{Keys: uint64(f.n), Rate: float64(f.rate), Memory: uint64(f.memory)})
	if err != nil {
		return err
	}
	if f.asJSON {
		for _, p := range all {
			text, err := json.Marshal(p)
			if err != nil {
				return err
			}
			fmt.Fprintln(c.out, string(text))
		}
		return nil
	}
	fmt.Fprintf(c.out, "%-16s %14s %9s %12s %9s %9s  %s\n", "type", "bytes", "size", "keys", "bits/key", "rate", "Go")
	for _, p := range all {
		fmt.Fprintf(c.out, "%-16s %14d %9s %12d %9.2f %8.3g%%  %s\n", p.Structure, p.Bytes, size(p.Bytes), p.Keys, p.BitsPerKey, 100*p.Rate, p.Literal)
	}
	return nil
}

// size returns a number of bytes in a unit in which it has at most four digits.
func size(bytes uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	x := float64(bytes)
	for x >= 1023.5 && len(units) > 1 {
		x /= 1024
		units = units[1:]
	}
	if x >= 999.5 { // for which %.3g prints an exponent
		return fmt.Sprintf("%.0f %s", x, units[0])
	}
	return fmt.Sprintf("%.3g %s", x, units[0])
}
