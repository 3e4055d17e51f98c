package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	timedOps  = 20_000 // the fewest operations to time together, if rounds are few
	blockKeys = 1 << 16
)

// A round is one measurement of a cell under one hash family.
type round struct {
	*cell
	ctx     context.Context
	data    *dataset
	plan    plan
	number  int
	repeats int // of short work, to be timed together

	filter             filter
	refused            []int // keys that the last build, the one that is queried, did not take
	positive, negative uint64
	refusals           uint64
	adding, hitting    time.Duration
	missing, deleting  time.Duration
	foreign, taken     uint64
}

// measure does one round and adds its results to c, or nothing if it fails.
func (c *cell) measure(ctx context.Context, d *dataset, p plan, number int) error {
	n := d.members.len()
	// The median over many rounds makes up for the shortness of each.
	r := round{cell: c, ctx: ctx, data: d, plan: p, number: number, repeats: max(1, timedOps*minRounds/(n*p.rounds))}
	if n >= timedOps/2 {
		runtime.GC() // so that none pays for a neighbor's garbage
	}
	// Salted comes last, when the memory of the filter can be taken again.
	for _, step := range []func() error{r.build, r.queryMembers, r.queryAbsent, r.queryForeign, r.deleteMembers, r.salted} {
		if err := step(); err != nil {
			return err
		}
	}
	r.record()
	return nil
}

func (r *round) record() {
	c, members := r.cell, r.repeats*r.data.members.len()
	c.rounds++
	c.queries += uint64(r.plan.queries)
	c.positive += r.positive
	c.foreign += r.foreign
	c.taken += r.taken
	c.negative += r.negative
	c.given += uint64(members)
	c.refused += r.refusals
	built := members
	if c.knows {
		built += r.repeats * c.absent.len()
	}
	c.add = append(c.add, perKey(r.adding, built))
	c.hit = append(c.hit, perKey(r.hitting, members))
	c.miss = append(c.miss, perKey(r.missing, r.plan.queries))
	if _, ok := r.filter.(deletable); ok {
		c.del = append(c.del, perKey(r.deleting, members))
	}
}

func (r *round) build() error {
	family := hashfam.Family{}.Derive(fmt.Sprintf("compare round %d", r.number))
	for range r.repeats {
		f, err := r.cell.build(uint64(r.data.members.len()), r.rate, family)
		if err != nil {
			return err
		}
		took, refused, err := r.addAll(r.ctx, f, &r.data.members)
		if err != nil {
			return err
		}
		r.filter, r.refused = f, refused
		r.adding += took
		r.refusals += uint64(len(refused))
	}
	return nil
}

// queryMembers counts the members that are not found. One that was refused was
// not lost.
func (r *round) queryMembers() error {
	queries := r.repeats * r.data.members.len()
	hits, took, err := count(r.ctx, r.filter, &r.data.members, 0, queries)
	if err != nil {
		return err
	}
	r.hitting = took
	r.negative = uint64(queries) - hits
	for _, i := range r.refused {
		if !r.filter.Contains(r.data.members.at(i)) {
			r.negative -= uint64(r.repeats)
		}
	}
	return nil
}

func (r *round) queryAbsent() (err error) {
	r.positive, r.missing, err = count(r.ctx, r.filter, &r.data.absent, r.from(), r.plan.queries)
	return err
}

// from is the first absent key to query: every round queries others.
func (r *round) from() int { return r.number * r.plan.queries % r.data.absent.len() }

// mostForeign is how many keys in neither list a round queries.
const mostForeign = 10_000

// queryForeign asks a filter that knows both lists for keys in neither: absent
// ones with eight bytes before them.
func (r *round) queryForeign() error {
	if !r.knows {
		return nil
	}
	key := binary.LittleEndian.AppendUint64(nil, ^uint64(r.number))
	for i := range min(r.data.absent.len(), mostForeign) {
		key = append(key[:8], r.data.absent.at(i)...)
		r.foreign++
		if r.filter.Contains(key) {
			r.taken++
		}
	}
	return nil
}

// salted counts false positives again, for a structure whose hash functions are
// fixed: every key gets the same eight bytes put before it, others in every
// round, which stands in for another hash family.
func (r *round) salted() error {
	if !r.unkeyed {
		return nil
	}
	f, err := r.cell.build(uint64(r.data.members.len()), r.rate, hashfam.Family{})
	if err != nil {
		return err
	}
	key := binary.LittleEndian.AppendUint64(nil, uint64(r.number)+1)
	for i := range r.data.members.len() {
		if i%blockKeys == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		key = append(key[:8], r.data.members.at(i)...)
		if err := f.Add(key); err != nil && !r.peer {
			return err
		}
	}
	r.positive = 0
	for i := range r.plan.queries {
		if i%blockKeys == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		key = append(key[:8], r.data.absent.at((r.from()+i)%r.data.absent.len())...)
		if f.Contains(key) {
			r.positive++
		}
	}
	return nil
}

// deleteMembers deletes every key, as often as r repeats, with all of them
// added again in between, and counts the keys that a delete does not find.
func (r *round) deleteMembers() error {
	f, ok := r.filter.(deletable)
	if !ok {
		return nil
	}
	for i := range r.repeats {
		if i > 0 {
			var err error
			if _, r.refused, err = r.addAll(r.ctx, f, &r.data.members); err != nil {
				return err
			}
		}
		if err := r.deleteAll(f); err != nil {
			return err
		}
	}
	return nil
}

// deleteAll deletes every key except the refused ones: that could only remove
// another key.
func (r *round) deleteAll(f deletable) error {
	keys := &r.data.members
	skip := append(slices.Clone(r.refused), keys.len()) // in ascending order
	start := time.Now()
	for i := 0; i < keys.len(); {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		for stop := min(i+blockKeys, keys.len()); i < stop; i++ {
			if i == skip[0] {
				skip = skip[1:]
			} else if !f.Delete(keys.at(i)) {
				r.negative++
			}
		}
	}
	r.deleting += time.Since(start)
	return nil
}

// addAll adds every key. It returns how long that took and which keys were
// refused; only peers may refuse any.
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
	if err := c.finish(f); err != nil {
		return 0, nil, err
	}
	return time.Since(start), refused, nil
}

// finish builds a static filter of the keys it was given.
func (c *cell) finish(f filter) error {
	if f, ok := f.(knowing); ok {
		for i := range c.absent.len() {
			f.AddAbsent(c.absent.at(i))
		}
	}
	if f, ok := f.(staticFilter); ok {
		return f.Build()
	}
	return nil
}

// count queries total keys, starting at from and beginning again at the end of
// the list. It returns how many answers were yes and how long they took.
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

func perKey(d time.Duration, keys int) float64 {
	return float64(d.Nanoseconds()) / float64(keys)
}
