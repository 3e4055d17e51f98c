package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/memory"
)

// An absent contains the lines that a static filter must not find.
type absent struct {
	names   []string
	digests []hashfam.Digest // sorted
	sieve   *bloom.Filter    // finds all of these, and few others that must then be searched for
}

// readAbsent reads the lines that must not be found.
func (c *command) readAbsent(ctx context.Context, names []string, fam hashfam.Family) (*absent, error) {
	digests, err := c.digests(ctx, fam, names)
	if err != nil {
		return nil, err
	}
	slices.Sort(digests)
	config := bloom.Config{Capacity: max(uint64(len(digests)), 1), FPRate: 0.01, Layout: bloom.Blocked, Family: fam}
	made, err := allocated("--absent", config.Params, bloom.NewFromParams)
	if err != nil {
		return nil, err
	}
	sieve := made.(*bloom.Filter)
	sieve.AddAll(digests)
	return &absent{names, digests, sieve}, nil
}

// find returns the index of a digest that must not be found, or -1.
func (a *absent) find(digests []hashfam.Digest) int {
	for i, maybe := range a.sieve.ContainsAll(nil, digests) {
		if !maybe {
			continue
		}
		if _, found := slices.BinarySearch(a.digests, digests[i]); found {
			return i
		}
	}
	return -1
}

// digestsBeside returns the digests of all lines. It returns an error if one of
// them is also in a, which contains the lines that must not be found.
func (c *command) digestsBeside(ctx context.Context, a *absent, fam hashfam.Family, names []string) ([]hashfam.Digest, error) {
	var all collected
	for _, name := range orStdin(names) {
		err := c.eachOf(ctx, name, fam, func(b batch) error {
			if i := a.find(b.digests); i >= 0 {
				d := b.digests[i]
				return fmt.Errorf("%s: %q is also in %s, so it would have to be found and not to be found",
					c.place(ctx, []string{name}, fam, d), b.Lines[i], c.place(ctx, a.names, fam, d))
			}
			return all.add(b.digests, memory.Check)
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(all...), nil
}

// errFound ends the search for a line.
var errFound = errors.New("found")

// place returns the name of the first file that contains a key with digest d,
// with the number of its line. Standard input and pipes cannot be read again.
// If no regular file contains the key, place returns the name of the first of
// these inputs, without a number.
func (c *command) place(ctx context.Context, names []string, fam hashfam.Family, d hashfam.Digest) string {
	defer func(empty bool) { c.read.empty = empty }(c.read.empty)
	c.read.empty = true // they are counted
	unread := ""
	for _, name := range names {
		if !regular([]string{name}) {
			unread = cmp.Or(unread, name)
			continue
		}
		place := ""
		number := 0
		err := c.eachOf(ctx, name, fam, func(b batch) error {
			if i := slices.Index(b.digests, d); i >= 0 {
				place = fmt.Sprintf("%s:%d", name, number+i+1)
				return errFound
			}
			number += len(b.digests)
			return nil
		})
		if err != nil { // usually errFound
			return cmp.Or(place, name)
		}
	}
	if unread == "-" {
		return "standard input"
	}
	return cmp.Or(unread, names[0])
}
