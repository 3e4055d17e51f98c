package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
)

func merge(c *command) func(ctx context.Context, names []string) error {
	c.document("merge -o FILE [flags] A B...", "merge structures", mergeLong, mergeExamples)
	var f mergeFlags
	c.Flags().StringVarP(&f.output, "output", "o", "", "write to `FILE`, or to standard output if it is -")
	c.addForce(&f.force, "write the output even if its rate is too high")
	c.addKey()
	c.addQuiet()
	return func(ctx context.Context, names []string) error { return c.merge(ctx, f, names) }
}

type mergeFlags struct {
	output string
	force  bool
}

const mergeLong = `
Merges structures with equal parameters: Bloom, counting and cuckoo filters,
sketches and heavy hitters. FILE appears when it is complete, or not at all.

Build all filters with the same -n, the number of different lines in all of
them.`

const mergeExamples = `
  filterfam build --type bloom -n 1e4 -o a.filter words.txt
  filterfam merge -o all.filter a.filter a.filter`

func (c *command) merge(ctx context.Context, f mergeFlags, names []string) error {
	if len(names) < 2 {
		return errors.New("want the names of at least two files")
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	if err := checkOutput(f.output, c.inputs(names)); err != nil {
		return err
	}
	c.progress.start(names, 1)
	whole, kind, err := c.load(ctx, names[0], fam, 0)
	if err != nil {
		return err
	}
	keys := keysOf(whole)
	for _, name := range names[1:] {
		part, other, err := c.load(ctx, name, fam, joinBytes(whole))
		if err != nil {
			return err
		}
		if other.Kind != kind.Kind {
			return fmt.Errorf("%s: is %v, but %s is %v", name, other.Kind, names[0], kind.Kind)
		}
		keys += keysOf(part)
		err = join(whole, part)
		if errors.Is(err, cuckoo.ErrFull) {
			err = fmt.Errorf("there is no room for its keys: want -n %.0f or more when the filters are built, the number of all lines", keys)
		}
		if err != nil {
			return mergeError(name, names[0], err)
		}
	}
	if err := checkRateNow(whole, keys, f.force); err != nil {
		return err
	}
	return write(ctx, f.output, whole)
}

// checkRateNow returns an error if the rate of a Bloom or counting filter is
// above allowedRate and chance does not explain it, unless force is set. The
// error contains the estimated number of keys, or most if that is lower.
func checkRateNow(s structure, most float64, force bool) error {
	hashes := 0
	switch s := s.(type) {
	case *bloom.Filter:
		hashes = int(s.Params().Hashes)
	case *counting.Filter:
		hashes = int(s.Params().Hashes)
	}
	if hashes == 0 || force {
		return nil
	}
	allowed := allowedRate(hashes)
	rate := s.(rated).FalsePositiveRate()
	if rate <= allowed || paramsOf(s).RateAt(leastLen(s)) <= allowed {
		return nil
	}
	keys := min(keysOf(s), most)
	return fmt.Errorf("the rate is %.3g%%, more than %.3g%%, because there are about %.0f keys, more than -n when it was built: want -n %.0f there, or --force here", 100*rate, 100*allowed, keys, math.Ceil(keys))
}

// allowedRate returns the highest rate that a filter may have after add or
// merge. The filter does not store the rate that was wanted, but its number of
// hashes is best for a filter in which half of the bits are set. The rate of
// such a filter is 2^-hashes, and twice this rate is allowed.
func allowedRate(hashes int) float64 { return math.Ldexp(2, -hashes) }

// leastLen returns the least number of keys that a filter is likely to have,
// which is three standard deviations below the estimate.
func leastLen(s structure) uint64 {
	keys := keysOf(s)
	if math.IsInf(keys, 1) {
		return math.MaxUint64
	}
	return uint64(max(keys-3*math.Sqrt(keys), 0))
}

// keysOf returns the number of keys in a filter, or an estimate. It returns 0
// for other structures.
func keysOf(s structure) float64 {
	switch s := s.(type) {
	case interface{ Len() uint64 }:
		return float64(s.Len())
	case interface{ EstimatedLen() float64 }:
		return s.EstimatedLen()
	}
	return 0
}

// joinBytes returns the memory that whole needs during join.
func joinBytes(whole structure) uint64 {
	if _, ok := whole.(*cuckoo.Filter); ok {
		return 2 * whole.SizeBytes() // Merge builds the result in a copy
	}
	return whole.SizeBytes()
}

// join merges a part into a whole of the same kind.
func join(whole, part structure) error {
	switch whole := whole.(type) {
	case *bloom.Filter:
		return whole.Merge(part.(*bloom.Filter))
	case *counting.Filter:
		return whole.Merge(part.(*counting.Filter))
	case *cuckoo.Filter:
		return whole.Merge(part.(*cuckoo.Filter))
	case *countmin.Sketch:
		return whole.Merge(part.(*countmin.Sketch))
	case *countmin.HeavyHitters:
		return whole.Merge(part.(*countmin.HeavyHitters))
	}
	return errors.New("structures of this kind cannot be merged: query several with -F, or build them with --type bloom")
}

// mergeError returns an error that names the parameter that differs.
func mergeError(name, first string, err error) error {
	var field *hashfam.FieldError
	if errors.As(err, &field) && errors.Is(err, hashfam.ErrIncompatible) {
		parameter := field.Field[strings.LastIndexByte(field.Field, '.')+1:]
		return fmt.Errorf("%s: %s is %v, but %s in %s", name, strings.ToLower(parameter), field.Value, field.Allowed, first)
	}
	return input.Named(name, err)
}
