package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/internal/cli"
)

// A proposal is a structure with its size.
type proposal struct {
	kind  string
	bytes uint64
	keys  uint64
	rate  float64
	code  string
}

// A planned structure has a size and a rate.
type planned interface {
	SizeBytes() uint64
	RateAt(n uint64) float64
	CapacityAt(rate float64) uint64
}

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
	all, err := proposals(uint64(n), rate, uint64(memory))
	if len(all) == 0 {
		return err
	}
	fmt.Fprintf(c.out, "%-16s %14s %12s %9s %9s  %s\n", "type", "bytes", "keys", "bits/key", "rate", "Go")
	for _, p := range all {
		fmt.Fprintf(c.out, "%-16s %14d %12d %9.2f %8.3g%%  %s\n", p.kind, p.bytes, p.keys, 8*float64(p.bytes)/float64(p.keys), 100*p.rate, p.code)
	}
	return nil
}

// proposals returns the structures that meet the needs, and the last error.
func proposals(n uint64, rate float64, memory uint64) (all []proposal, failed error) {
	fields := configFields(n, rate, memory)
	add := func(kind, code string, p planned, err error) {
		if err != nil {
			failed = err
			return
		}
		keys := n
		if keys == 0 {
			keys = p.CapacityAt(rate)
		}
		all = append(all, proposal{kind, p.SizeBytes(), keys, p.RateAt(keys), fmt.Sprintf(code, fields)})
	}
	if n > 0 && rate > 0 {
		bytes, err := static.Config{FPRate: rate}.EstimatedBytes(n)
		if err == nil && (memory == 0 || bytes <= memory) {
			code := fmt.Sprintf("static.New(ctx, static.Config{FPRate: %g}, digests)", rate)
			all = append(all, proposal{"static", bytes, n, rate, code})
		}
	}
	b, err := bloom.Config{Capacity: n, FPRate: rate, MemoryBytes: memory}.Params()
	add("bloom", "bloom.New(bloom.Config{%s})", b, err)
	b, err = bloom.Config{Capacity: n, FPRate: rate, MemoryBytes: memory, Layout: bloom.Blocked}.Params()
	add("bloom blocked", "bloom.New(bloom.Config{%s, Layout: bloom.Blocked})", b, err)
	k, err := cuckoo.Config{Capacity: n, FPRate: rate, MemoryBytes: memory}.Params()
	add("cuckoo", "cuckoo.New(cuckoo.Config{%s})", k, err)
	k, err = cuckoo.Config{Capacity: n, FPRate: rate, MemoryBytes: memory, Compact: true}.Params()
	add("cuckoo compact", "cuckoo.New(cuckoo.Config{%s, Compact: true})", k, err)
	f, err := counting.Config{Capacity: n, FPRate: rate, MemoryBytes: memory}.Params()
	add("counting", "counting.New(counting.Config{%s})", f, err)
	return all, failed
}

// configFields returns the fields of a Config as Go code.
func configFields(n uint64, rate float64, memory uint64) string {
	var fields []string
	if n > 0 {
		fields = append(fields, fmt.Sprintf("Capacity: %d", n))
	}
	if rate > 0 {
		fields = append(fields, fmt.Sprintf("FPRate: %g", rate))
	}
	if memory > 0 {
		fields = append(fields, fmt.Sprintf("MemoryBytes: %d", memory))
	}
	return strings.Join(fields, ", ")
}
