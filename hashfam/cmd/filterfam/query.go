package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// The queryFlags say what is printed.
type queryFlags struct {
	invert, number, counts bool
}

func query(c *command) func(ctx context.Context, names []string) error {
	c.document("query [flags] FILTER [FILE...]", "print the lines that may be in a filter", queryLong, queryExamples)
	var f queryFlags
	flags := c.Flags()
	flags.BoolVarP(&f.invert, "invert-match", "v", false, "print the other lines")
	flags.BoolVarP(&f.number, "count", "c", false, "print only the number of lines")
	flags.BoolVar(&f.counts, "counts", false, `print the count before each line (counting filters, in which 15
means 15 or more; sketches and heavy hitters); it can be too high,
but not too low`)
	c.addRead("use -F for further filters")
	return func(ctx context.Context, names []string) error { return c.query(ctx, f, names) }
}

const queryLong = `
Prints the lines that may be in the filter: all lines that are in it, and a few
others. With -v, it prints the lines that are certainly not in it. The exit
status is 1 if it prints none.`

const queryExamples = `
  printf 'ada\nalan\n' | filterfam query words.filter
  filterfam query -c words.filter words.txt`

func (c *command) query(ctx context.Context, f queryFlags, names []string) error {
	if len(names) == 0 {
		return errors.New("want the name of a filter")
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	if err := checkStdout(c.inputs(names[1:])); err != nil {
		return err
	}
	lookup, err := c.openLookup(ctx, names[0], fam, f.counts)
	if err != nil {
		return err
	}
	printed := uint64(0)
	err = c.each(ctx, names[1:], fam, func(b batch) error {
		found, counts := lookup(b.digests)
		printed += c.printFound(f, b.Lines, found, counts)
		return c.out.Flush()
	})
	if err == nil && f.number {
		fmt.Fprintln(c.out, printed)
	}
	if err == nil && printed == 0 {
		err = errNothing
	}
	return err
}

// printFound prints the lines in a batch that are wanted, and returns their
// number.
func (c *command) printFound(f queryFlags, keys [][]byte, found []bool, counts []uint64) (n uint64) {
	for i, key := range keys {
		if found[i] == f.invert {
			continue
		}
		n++
		if !f.number {
			c.print(key, f.counts, counts, i)
		}
	}
	return n
}

// openLookup returns a lookup for the structure in a file.
func (c *command) openLookup(ctx context.Context, name string, fam hashfam.Family, counted bool) (lookup, error) {
	s, h, err := c.load(ctx, name, fam, 0)
	if err != nil {
		return nil, err
	}
	found := newLookup(s, counted)
	if found == nil && counted {
		return nil, fmt.Errorf("%s: is %v, which has no counts", name, h.Kind)
	}
	if found == nil {
		return nil, fmt.Errorf("%s: is %v, which cannot be queried", name, h.Kind)
	}
	return found, nil
}

// A lookup returns which digests are in a structure, and their counts if they
// are known.
type lookup func(digests []hashfam.Digest) ([]bool, []uint64)

// print prints a line, after its count if that is wanted.
func (c *command) print(key []byte, counted bool, counts []uint64, i int) {
	if counted {
		c.out.WriteString(strconv.FormatUint(counts[i], 10))
		c.out.WriteByte('\t')
	}
	c.out.Write(key)
	c.out.WriteByte(c.end()) // errors are returned by Flush
}

// newLookup returns a lookup with counts if they are wanted or if the structure
// can only count. It returns nil if the structure cannot do this.
func newLookup(s structure, counted bool) lookup {
	var found []bool
	var counts []uint64
	if filter, ok := s.(container); ok && !counted {
		return func(digests []hashfam.Digest) ([]bool, []uint64) {
			found = filter.ContainsAll(found[:0], digests)
			return found, nil
		}
	}
	var count func([]hashfam.Digest)
	switch s := s.(type) {
	case counter:
		count = func(digests []hashfam.Digest) { counts = s.CountAll(counts[:0], digests) }
	case estimator:
		var estimates []countmin.Estimate
		count = func(digests []hashfam.Digest) {
			estimates = s.EstimateAll(estimates[:0], digests)
			counts = counts[:0]
			for _, e := range estimates {
				counts = append(counts, e.High)
			}
		}
	default:
		return nil
	}
	return func(digests []hashfam.Digest) ([]bool, []uint64) {
		count(digests)
		found = found[:0]
		for _, n := range counts {
			found = append(found, n > 0)
		}
		return found, counts
	}
}
