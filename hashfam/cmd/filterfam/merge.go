package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

func merge(ctx context.Context, c *command) error {
	output := ""
	c.flags.StringVar(&output, "o", "", "")
	c.flags.BoolVar(&c.progress.quiet, "q", false, "")
	c.addKey()
	names, err := c.parse()
	if err != nil {
		return err
	}
	if len(names) < 2 {
		return errors.New("want the names of at least two files")
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	if err := checkOutput(output, c.inputs(names)); err != nil {
		return err
	}
	c.progress.start(names)
	whole, kind, err := c.load(ctx, names[0], fam, 0)
	if err != nil {
		return err
	}
	for _, name := range names[1:] {
		part, other, err := c.load(ctx, name, fam, whole.SizeBytes())
		if err != nil {
			return err
		}
		if other.Kind != kind.Kind {
			return fmt.Errorf("%s: is %v, but %s is %v", name, other.Kind, names[0], kind.Kind)
		}
		if err := join(whole, part); err != nil {
			return mergeError(name, names[0], err)
		}
	}
	return write(ctx, output, whole)
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
	return errors.New("structures of this kind cannot be merged")
}

// mergeError returns an error that names the parameter that differs.
func mergeError(name, first string, err error) error {
	var field *hashfam.FieldError
	if errors.As(err, &field) && errors.Is(err, hashfam.ErrIncompatible) {
		parameter := field.Field[strings.LastIndexByte(field.Field, '.')+1:]
		return fmt.Errorf("%s: %s is %v, but %s in %s", name, strings.ToLower(parameter), field.Value, field.Allowed, first)
	}
	return inFile(name, err)
}
