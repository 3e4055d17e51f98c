package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A cell collects the measurements of one structure at one rate.
type cell struct {
	Structure
	rate    float64
	beside  bool  // has the fixed rate of a peer, to stand beside it
	absent  *Keys // told to a filter that wants to know them; else nil
	skipped int   // rounds left out after each one measured: see tell
	bytes   uint64
	failure string // why it could not be built or measured; else empty
	done    []result
}

// newCells returns the cells to measure: first the exact structures, then those
// with a configurable rate, rate by rate, then those with a fixed rate, each
// after the structure of ours that it is compared with, if that is static too.
func newCells(chosen []Structure, rates []float64) []*cell {
	var cells, fixed []*cell
	for _, s := range chosen {
		switch {
		case s.Exact:
			cells = append(cells, &cell{Structure: s})
		case s.Fixed > 0:
			fixed = append(append(fixed, besides(fixed, chosen, s, rates)...), &cell{Structure: s, rate: s.Fixed})
		}
	}
	for _, rate := range rates {
		for _, s := range chosen {
			if !s.Exact && s.Fixed == 0 {
				cells = append(cells, &cell{Structure: s, rate: rate})
			}
		}
	}
	return append(cells, fixed...)
}

// besides returns the cell of ours that has the fixed rate of a static peer,
// unless it is there already.
func besides(there []*cell, chosen []Structure, peer Structure, rates []float64) []*cell {
	i := slices.IndexFunc(chosen, func(s Structure) bool { return s.Name == peer.Against && s.Static })
	if i < 0 || slices.Contains(rates, peer.Fixed) ||
		slices.ContainsFunc(there, func(c *cell) bool { return c.beside && c.rate == peer.Fixed }) {
		return nil
	}
	ours := chosen[i]
	ours.Against = "" // nothing of ours has a rate near this one
	return []*cell{{Structure: ours, rate: peer.Fixed, beside: true}}
}

// mostTold is how many absent keys a filter is told in all rounds, if five
// rounds do not need more.
const mostTold = 5_000_000

// tell lets a filter know the absent keys. Many of them for few members would
// take most of the time of a run: then it is measured in fewer rounds, which
// does no harm, as its rate is 0.
func (c *cell) tell(absent *Keys, rounds int) {
	c.absent = absent
	c.skipped = max(0, min(rounds/minRounds, int(int64(rounds)*int64(absent.Len())/mostTold))-1)
}

// size returns the bytes that c uses for the keys. A heap includes the bytes of
// the keys if the structure stores them.
func (c *cell) size(keys *Keys) (uint64, error) {
	if c.Heap {
		return heapGrowth(func() (any, error) { return c.build(keys, true) })
	}
	f, err := c.build(keys, c.Static || c.Over > 0) // others have their size before they are filled
	if err != nil {
		return 0, err
	}
	return f.SizeBytes(), nil
}

// build returns a filter for the keys. It adds them if fill is set.
func (c *cell) build(keys *Keys, fill bool) (*Filter, error) {
	f, err := c.Build(uint64(keys.Len()), c.rate, hashfam.Family{})
	if err == nil && fill {
		_, _, err = c.addAll(f, keys)
	}
	return f, err
}

// attempt does what may go wrong in a third party's code. An error or a panic
// of a peer ends the measuring of its cell only; its failure is kept to show.
func (c *cell) attempt(do func() error) (err error) {
	if c.failure != "" {
		return nil
	}
	if !c.Peer {
		return do()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			c.failure, err = err.Error(), nil
		}
	}()
	return do()
}

const (
	smallHeap   = 1 << 20
	smallBuilds = 5
)

// heapGrowth returns how much the heap grows when build is called. It calls
// build several times if the growth is small, and returns the least growth,
// because the program or a library may allocate something else meanwhile.
func heapGrowth(build func() (any, error)) (least uint64, err error) {
	for range smallBuilds {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // the second call frees what pools dropped in the first
		runtime.ReadMemStats(&before)
		built, err := build()
		if err != nil {
			return 0, err
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(built)
		if grown := max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc; least == 0 || grown > 0 && grown < least {
			least = grown
		}
		if least >= smallHeap {
			break
		}
	}
	return least, nil
}
