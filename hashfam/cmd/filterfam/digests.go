package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/memory"
)

// digests returns the digests of all lines.
func (c *command) digests(ctx context.Context, fam hashfam.Family, names []string) ([]hashfam.Digest, error) {
	var all collected
	err := c.each(ctx, names, fam, func(b batch) error {
		return all.add(b.digests, memory.Check)
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(all...), nil
}

// Collected digests are in arrays that do not grow, so that no digest is held
// twice while lines are read.
type collected [][]hashfam.Digest

// perArray is the number of digests in an array, except that the last one can
// have fewer.
const perArray = 1 << 17

// add adds digests. Before it allocates another array, it calls check with a
// number of bytes: the total of all arrays, of the slice that will hold all
// digests, and of a static filter with 32 bits per digest. If check returns an
// error, add returns it.
func (all *collected) add(digests []hashfam.Digest, check func(bytes uint64) error) error {
	for len(digests) > 0 {
		last := len(*all) - 1
		if last < 0 || len((*all)[last]) == perArray {
			n := uint64(last+1) * perArray
			if err := check((8 + 8 + 4) * (n + perArray)); err != nil {
				return fmt.Errorf("more than %d lines: %w", n, err)
			}
			*all = append(*all, make([]hashfam.Digest, 0, perArray))
			last++
		}
		n := min(len(digests), perArray-len((*all)[last]))
		(*all)[last] = append((*all)[last], digests[:n]...)
		digests = digests[n:]
	}
	return nil
}
