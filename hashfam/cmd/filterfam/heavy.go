package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
)

// The heavyFlags say which lines are frequent.
type heavyFlags struct {
	k   cli.Number
	phi cli.Rate
}

// check returns an error if the flags are invalid. On a 32-bit system, larger
// numbers would not fit into an int.
func (f *heavyFlags) check(c *command, memory cli.Size) error {
	if c.given("lines") && c.given("phi") {
		return errors.New("-k and --phi, want one of the two")
	}
	if f.k > 1<<28 {
		return fmt.Errorf("-k %d, want 1 to 268435456", f.k)
	}
	if c.given("memory") && (memory < 1<<10 || memory > 1<<30) {
		return fmt.Errorf("--memory %d, want 1K to 1G", memory)
	}
	return nil
}

// setDefault sets k to 10 unless k or phi is given.
func (f *heavyFlags) setDefault(c *command) {
	if !c.given("lines") && !c.given("phi") {
		f.k = 10
	}
}

// create returns a structure without lines.
func (f *heavyFlags) create(fam hashfam.Family, memory cli.Size) (*countmin.HeavyHitters, error) {
	return countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: float64(f.phi), K: int(f.k), MemoryBytes: int(memory), Family: fam})
}

// loadHeavy returns the merged heavy hitters in the files, or nil if the first
// file contains lines.
func (c *command) loadHeavy(ctx context.Context, names []string, fam hashfam.Family, f *topFlags) (*countmin.HeavyHitters, error) {
	if len(names) == 0 || !isStructure(names[0]) {
		return nil, nil
	}
	if c.given("phi") || c.given("memory") || c.given("every") {
		return nil, fmt.Errorf("--phi, --memory and --every cannot be used with the structure in %s", names[0])
	}
	var whole *countmin.HeavyHitters
	for _, name := range names {
		s, h, err := c.load(ctx, name, fam, 0)
		if err != nil {
			return nil, err
		}
		heavy, ok := s.(*countmin.HeavyHitters)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: is %v, want heavy hitters or lines", name, h.Kind)
		case whole == nil:
			whole = heavy
		default:
			if err := whole.Merge(heavy); err != nil {
				return nil, mergeError(name, names[0], err)
			}
		}
	}
	return whole, nil
}

// isStructure reports whether a regular file begins as a structure does.
func isStructure(name string) bool {
	if !regular([]string{name}) {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	first := make([]byte, len(magic))
	_, err = io.ReadFull(file, first)
	return err == nil && string(first) == magic
}
