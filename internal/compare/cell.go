package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A cell collects the measurements of one structure at one rate.
type cell struct {
	structure
	rate              float64
	beside            bool     // has the fixed rate of a peer, to stand beside it
	absent            *keyList // told to a knowing filter; else nil
	skipped           int      // rounds left out after each one measured: see tell
	bytes             uint64
	rounds            int
	queries, positive uint64 // absent keys queried, and answered with yes
	negative          uint64 // members queried or to be deleted, and answered with no
	given, refused    uint64 // keys given to Add, and those that a peer did not take
	foreign, taken    uint64 // keys in neither list queried, and answered with yes
	failure           string // why it could not be built or measured; else empty
	add, hit, miss    []float64
	del               []float64 // empty if nothing can be deleted
}

// newCells returns the cells to measure: first the exact structures, then those
// with a configurable rate, rate by rate, then those with a fixed rate, each
// after the structure of ours that it is compared with, if that is static too.
func newCells(chosen []structure, rates []float64) []*cell {
	var cells []*cell
	for _, s := range chosen {
		if s.exact {
			cells = append(cells, &cell{structure: s})
		}
	}
	for _, rate := range rates {
		for _, s := range chosen {
			if !s.exact && s.fixed == 0 {
				cells = append(cells, &cell{structure: s, rate: rate})
			}
		}
	}
	for _, s := range chosen {
		if s.fixed > 0 {
			cells = append(besides(cells, chosen, s), &cell{structure: s, rate: s.fixed})
		}
	}
	return cells
}

// besides appends the cell of ours that has the fixed rate of a static peer,
// unless it is there already.
func besides(cells []*cell, chosen []structure, peer structure) []*cell {
	for _, s := range chosen {
		there := slices.ContainsFunc(cells, func(c *cell) bool { return c.name == s.name && c.rate == peer.fixed })
		if s.name == peer.against && s.static && !there {
			s.against = "" // nothing of ours has a rate near this one
			cells = append(cells, &cell{structure: s, rate: peer.fixed, beside: true})
		}
	}
	return cells
}

// mostTold is how many absent keys a knowing filter is told in all rounds, if
// five rounds do not need more.
const mostTold = 5_000_000

// tell lets a knowing filter know the absent keys. Many of them for few members
// would take most of the time of a run: then it is measured in fewer rounds,
// which does no harm, as its rate is 0.
func (c *cell) tell(absent *keyList, rounds int) {
	c.absent = absent
	c.skipped = max(0, min(rounds/minRounds, int(int64(rounds)*int64(absent.len())/mostTold))-1)
}

// size returns the bytes that c takes for the keys.
func (c *cell) size(ctx context.Context, keys *keyList) (uint64, error) {
	if c.heap {
		return heapBytes(ctx, c, keys)
	}
	f, err := c.build(uint64(keys.len()), c.rate, hashfam.Family{})
	if err != nil {
		return 0, err
	}
	if c.static || c.over > 0 { // it has its size once it has its keys
		if _, _, err := c.addAll(ctx, f, keys); err != nil {
			return 0, err
		}
	}
	return f.SizeBytes(), nil
}

// attempt does what may go wrong in a third party's code. An error or a panic
// of a peer ends the measuring of its cell only; its failure is kept to show.
func (c *cell) attempt(ctx context.Context, do func() error) (err error) {
	if c.failure != "" {
		return nil
	}
	if !c.peer {
		return do()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil && ctx.Err() == nil {
			c.failure, err = err.Error(), nil
		}
	}()
	return do()
}

// heapBytes returns by how much the heap grows when a structure takes the keys,
// including their bytes if it keeps them.
func heapBytes(ctx context.Context, c *cell, keys *keyList) (uint64, error) {
	return heapGrowth(func() (any, error) {
		f, err := c.build(uint64(keys.len()), c.rate, hashfam.Family{})
		if err == nil {
			_, _, err = c.addAll(ctx, f, keys)
		}
		return f, err
	})
}

// The heap of few keys is built several times: what else the program or a
// library allocates meanwhile, once, could be much more.
const (
	smallHeap   = 1 << 20
	smallBuilds = 5
)

// heapGrowth returns by how much the heap grows with what build returns.
func heapGrowth(build func() (any, error)) (least uint64, err error) {
	for range smallBuilds {
		grown, err := heapGrowthOnce(build)
		if err != nil || grown >= smallHeap {
			return grown, err
		}
		if least == 0 || grown > 0 && grown < least {
			least = grown
		}
	}
	return least, nil
}

func heapGrowthOnce(build func() (any, error)) (uint64, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // the second frees what pools dropped in the first
	runtime.ReadMemStats(&before)
	built, err := build()
	if err != nil {
		return 0, err
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(built)
	if after.HeapAlloc < before.HeapAlloc {
		return 0, nil
	}
	return after.HeapAlloc - before.HeapAlloc, nil
}
