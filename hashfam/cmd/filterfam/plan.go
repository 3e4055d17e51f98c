package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/internal/advice"
	"github.com/filterfam/filterfam/internal/cli"
)

func plan(_ context.Context, c *command) error {
	var n cli.Number
	var memory cli.Size
	rate := 0.0
	c.flags.Var(&n, "n", "")
	c.flags.Var(&memory, "memory", "")
	c.flags.Float64Var(&rate, "fpr", 0, "")
	names, err := c.parse()
	if err != nil {
		return err
	}
	switch {
	case len(names) > 0:
		return fmt.Errorf("%q: want no arguments", names[0])
	case n == 0 && memory == 0:
		return errors.New("want -n or -memory")
	case c.given("fpr") && checkRate(rate) != nil:
		return checkRate(rate)
	case rate == 0 && (n == 0 || memory == 0):
		rate = 0.01
	}
	all, err := advice.Filters(advice.Needs{Keys: uint64(n), Rate: rate, Memory: uint64(memory)})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%-16s %14s %12s %9s %9s  %s\n", "type", "bytes", "keys", "bits/key", "rate", "Go")
	for _, p := range all {
		fmt.Fprintf(c.out, "%-16s %14d %12d %9.2f %8.3g%%  %s\n", p.Structure, p.Bytes, p.Keys, p.BitsPerKey, 100*p.Rate, p.Literal)
	}
	return nil
}
