package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

const (
	queryGoal = 1_000_000 // absent keys asked for per row, at least: rates down to 1e-5 then show
	minRounds = 5
	timedOps  = 20_000 // the fewest operations to time together, where rounds are few
	blockKeys = 1 << 16
)

// A cell gathers what is measured of one structure at one rate.
type cell struct {
	structure
	rate              float64
	bytes             uint64
	rounds            int
	queries, positive uint64 // absent keys asked for, and answered with yes
	negative          uint64 // members asked for, or to be deleted, and answered with no
	given, refused    uint64 // keys given to Add, and those that a peer did not take
	failure           string // why it could not be built or measured; else empty
	add, hit, miss    []float64
	del               []float64 // empty where nothing can be deleted
}

// A plan says how often everything is built and how many absent keys each
// build is asked for. The false positives of one build are not independent of
// each other: a build that happens to be fuller has more of them. Asking each
// build for no more absent keys than it has members keeps that effect below
// the sampling error, so that the intervals, pooled over all builds, hold.
type plan struct{ rounds, queries int }

func newPlan(d *dataset) plan {
	q := min(d.absent.len(), max(d.members.len(), 100), queryGoal)
	return plan{rounds: max(minRounds, (queryGoal+q-1)/q), queries: q}
}

// newCells returns the rows to measure: first the structures that never err,
// then those with a rate to choose, rate by rate, then those with their own.
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
			cells = append(cells, &cell{structure: s, rate: s.fixed})
		}
	}
	return cells
}

// prepare finds out the size of every cell, and so whether it can be built. A
// rate that a structure cannot have is noted, and an error only if no other
// structure can.
func prepare(ctx context.Context, cells []*cell, d *dataset) error {
	var impossible error
	possible := len(cells) == 0
	for _, c := range cells {
		err := c.attempt(ctx, func() (err error) {
			c.bytes, err = c.size(ctx, &d.members)
			return err
		})
		if err != nil {
			err = fmt.Errorf("%s at -fpr %g: %w", c.name, c.rate, err)
		}
		switch {
		case errors.Is(err, bloom.ErrParams):
			c.failure = err.Error()
			if impossible == nil {
				impossible = err
			}
		case err != nil:
			return err
		default:
			possible = possible || !c.exact
		}
	}
	if !possible {
		return impossible
	}
	return nil
}

func (c *cell) size(ctx context.Context, keys *keyList) (uint64, error) {
	if c.exact || c.heap {
		return heapBytes(ctx, c, keys)
	}
	f, err := c.build(uint64(keys.len()), c.rate, hashfam.Family{})
	if err != nil {
		return 0, err
	}
	if c.static { // it has its size once it has its keys
		if _, _, err := c.addAll(ctx, f, keys); err != nil {
			return 0, err
		}
	}
	return f.SizeBytes(), nil
}

// attempt does what may go wrong in somebody else's code. An error or a panic
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

// measure runs the rounds of the plan. Each builds every cell anew, under
// another hash family, and times it; that interleaves the structures, so that
// a disturbance of the machine falls on all alike. When ctx ends, measure
// returns its error, and the cells hold the rounds finished until then.
func measure(ctx context.Context, cells []*cell, d *dataset, p plan, done func()) error {
	for round := range p.rounds {
		for i := range cells {
			c := cells[(i+round)%len(cells)] // nobody always follows the same neighbour
			if err := c.attempt(ctx, func() error { return c.measure(ctx, d, p, round) }); err != nil {
				if ctx.Err() != nil {
					return err
				}
				return fmt.Errorf("%s at %g: %w", c.name, c.rate, err)
			}
			done()
		}
	}
	return nil
}

func (c *cell) measure(ctx context.Context, d *dataset, p plan, round int) error {
	n := d.members.len()
	family := hashfam.Family{}.Derive(fmt.Sprintf("compare round %d", round))
	// The median over many rounds makes up for the shortness of each.
	repeats := max(1, timedOps*minRounds/(n*p.rounds))
	if n >= timedOps/2 {
		runtime.GC() // so that nobody pays for a neighbour's garbage
	}

	var f filter
	var adding time.Duration
	var refused []int // of the last build, which is the one that is asked
	var refusals uint64
	for range repeats {
		var err error
		if f, err = c.build(uint64(n), c.rate, family); err != nil {
			return err
		}
		var took time.Duration
		if took, refused, err = c.addAll(ctx, f, &d.members); err != nil {
			return err
		}
		adding += took
		refusals += uint64(len(refused))
	}
	hits, hitting, err := count(ctx, f, &d.members, 0, repeats*n)
	if err != nil {
		return err
	}
	// A key that was refused and is not found was not lost.
	negative := uint64(repeats*n) - hits
	for _, i := range refused {
		if !f.Contains(d.members.at(i)) {
			negative -= uint64(repeats)
		}
	}
	from := round * p.queries % d.absent.len()
	positive, missing, err := count(ctx, f, &d.absent, from, p.queries)
	if err != nil {
		return err
	}
	var del []float64
	if f, ok := f.(deletable); ok {
		kept, deleting, err := c.deleteAll(ctx, f, &d.members, refused, repeats)
		if err != nil {
			return err
		}
		negative += kept
		del = append(del, perKey(deleting, repeats*n))
	}
	if c.unkeyed { // last, when the memory of f can be taken again
		if positive, err = c.salted(ctx, d, from, p.queries, uint64(round)); err != nil {
			return err
		}
	}

	c.rounds++
	c.queries += uint64(p.queries)
	c.positive += positive
	c.negative += negative
	c.given += uint64(repeats * n)
	c.refused += refusals
	c.del = append(c.del, del...)
	c.add = append(c.add, perKey(adding, repeats*n))
	c.hit = append(c.hit, perKey(hitting, repeats*n))
	c.miss = append(c.miss, perKey(missing, p.queries))
	return nil
}

// salted counts false positives as measure does, for a structure whose hash
// functions are fixed: every key gets the same eight bytes put before it,
// others in every round, which stands in for another hash family.
func (c *cell) salted(ctx context.Context, d *dataset, from, queries int, round uint64) (uint64, error) {
	f, err := c.build(uint64(d.members.len()), c.rate, hashfam.Family{})
	if err != nil {
		return 0, err
	}
	key := binary.LittleEndian.AppendUint64(nil, round+1)
	var positive uint64
	for i := range d.members.len() {
		if i%blockKeys == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		key = append(key[:8], d.members.at(i)...)
		if err := f.Add(key); err != nil && !c.peer {
			return 0, err
		}
	}
	for i := range queries {
		if i%blockKeys == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		key = append(key[:8], d.absent.at((from+i)%d.absent.len())...)
		if f.Contains(key) {
			positive++
		}
	}
	return positive, nil
}

// addAll adds every key and says how long that took and which keys were
// refused. Only peers may refuse any.
func (c *cell) addAll(ctx context.Context, f filter, keys *keyList) (took time.Duration, refused []int, err error) {
	start := time.Now()
	for i := 0; i < keys.len(); {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		for stop := min(i+blockKeys, keys.len()); i < stop; i++ {
			if err := f.Add(keys.at(i)); err != nil {
				if !c.peer {
					return 0, nil, fmt.Errorf("adding key %s of %s: %w", thousands(i+1), thousands(keys.len()), err)
				}
				refused = append(refused, i)
			}
		}
	}
	if f, ok := f.(staticFilter); ok {
		if err := f.Build(); err != nil {
			return 0, nil, err
		}
	}
	return time.Since(start), refused, nil
}

// count asks for total keys, starting at from and beginning again at the end
// of the list, and returns how many answers were yes and how long they took.
func count(ctx context.Context, f filter, keys *keyList, from, total int) (uint64, time.Duration, error) {
	var yes uint64
	start := time.Now()
	for i := from; total > 0; {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		if i == keys.len() {
			i = 0
		}
		stop := min(i+blockKeys, i+total, keys.len())
		total -= stop - i
		for ; i < stop; i++ {
			if f.Contains(keys.at(i)) {
				yes++
			}
		}
	}
	return yes, time.Since(start), nil
}

// deleteAll deletes every key, repeats times with all of them added again in
// between, and returns how many deletes said that there was no such key and how
// long they took. A key that was refused is not deleted: that could only remove
// another one.
func (c *cell) deleteAll(ctx context.Context, f deletable, keys *keyList, refused []int, repeats int) (uint64, time.Duration, error) {
	var kept uint64
	var took time.Duration
	for round := range repeats {
		if round > 0 {
			var err error
			if _, refused, err = c.addAll(ctx, f, keys); err != nil {
				return 0, 0, err
			}
		}
		skip := append(slices.Clone(refused), keys.len()) // in ascending order
		start := time.Now()
		for i := 0; i < keys.len(); {
			if err := ctx.Err(); err != nil {
				return 0, 0, err
			}
			for stop := min(i+blockKeys, keys.len()); i < stop; i++ {
				if i == skip[0] {
					skip = skip[1:]
				} else if !f.Delete(keys.at(i)) {
					kept++
				}
			}
		}
		took += time.Since(start)
	}
	return kept, took, nil
}

func perKey(d time.Duration, keys int) float64 {
	return float64(d.Nanoseconds()) / float64(keys)
}
