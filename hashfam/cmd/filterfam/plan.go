package main

import (
	"context"
	"encoding/json"
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
	Type       string  `json:"type"`
	Bytes      uint64  `json:"bytes"`
	Keys       uint64  `json:"keys"`
	BitsPerKey float64 `json:"bits_per_key"`
	Rate       float64 `json:"rate"`
	Go         string  `json:"go"`
}

// A planned structure has a size and a rate.
type planned interface {
	SizeBytes() uint64
	RateAt(n uint64) float64
	CapacityAt(rate float64) uint64
}

type planFlags struct {
	n      cli.Number
	memory cli.Size
	rate   cli.Rate
	asJSON bool
}

func plan(c *command) func(ctx context.Context, names []string) error {
	c.document("plan [-n N] [--fpr RATE] [--memory BYTES]", "list structures with their sizes", planLong, planExamples)
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
Lists the structures for N keys, with their sizes and the Go code that creates
them. Two of the three flags are enough. The rate is 1% if only one is given.`

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
	all, err := proposals(uint64(f.n), float64(f.rate), uint64(f.memory))
	if len(all) == 0 {
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
		fmt.Fprintf(c.out, "%-16s %14d %9s %12d %9.2f %8.3g%%  %s\n", p.Type, p.Bytes, size(p.Bytes), p.Keys, p.BitsPerKey, 100*p.Rate, p.Go)
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
	return fmt.Sprintf("%.3g %s", x, units[0])
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
		all = append(all, newProposal(kind, p.SizeBytes(), keys, p.RateAt(keys), fmt.Sprintf(code, fields)))
	}
	if n > 0 && rate > 0 {
		bytes, err := static.Config{FPRate: rate}.EstimatedBytes(n)
		if err == nil && (memory == 0 || bytes <= memory) {
			code := fmt.Sprintf("static.New(ctx, static.Config{FPRate: %g}, digests)", rate)
			all = append(all, newProposal("static", bytes, n, rate, code))
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

func newProposal(kind string, bytes, keys uint64, rate float64, code string) proposal {
	return proposal{kind, bytes, keys, 8 * float64(bytes) / float64(keys), rate, code}
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
