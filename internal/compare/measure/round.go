package measure

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/filterfam/filterfam/hashfam"
)

// The timed operations, and their number.
const (
	add = iota
	hit
	miss
	del
	operations
)

// A result contains the measurements from a round.
type result struct {
	queries, positive uint64              // absent keys queried and found
	negative          uint64              // members not found by a query or a delete
	given, refused    uint64              // keys passed to Add and refused by it
	foreign, taken    uint64              // keys in neither list, queried and found
	ns                [operations]float64 // per key; 0 if the operation does not exist
}

// A round measures a cell, using its own hash family.
type round struct {
	*cell
	data   *Dataset
	effort Effort
	number int
	from   int // the first absent key to query

	filter   *Filter
	unplaced []int // members that the last build refused
	result
}

// measure runs a round and adds its result to c if it succeeds.
func (c *cell) measure(ctx context.Context, d *Dataset, e Effort, number int) error {
	r := round{cell: c, data: d, effort: e, number: number, from: number * e.queries % d.Absent.Len()}
	if d.Members.Len() >= timedOps/2 {
		runtime.GC() // a neighbor's garbage should not slow it down
	}
	// r.salted comes last because it can reuse the filter's memory.
	for _, step := range []func() error{r.add, r.queryMembers, r.queryAbsent, r.queryForeign, r.deleteMembers, r.salted} {
		if err := step(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	c.done = append(c.done, r.result)
	return nil
}

func (r *round) add() error {
	family := hashfam.Family{}.Derive(fmt.Sprintf("compare round %d", r.number))
	keys := &r.data.Members
	var total time.Duration
	for range r.effort.repeats {
		var took time.Duration
		var err error
		r.filter, err = r.Build(uint64(keys.Len()), r.rate, family)
		if err == nil {
			took, r.unplaced, err = r.addAll(r.filter, keys)
		}
		if err != nil {
			return err
		}
		r.refused += uint64(len(r.unplaced))
		total += took
	}
	added := r.effort.repeats * keys.Len()
	r.given = uint64(added)
	if r.Knows {
		added += r.effort.repeats * r.absent.Len()
	}
	r.ns[add] = perKey(total, added)
	return nil
}

// queryMembers counts members that are not found, except refused ones.
func (r *round) queryMembers() error {
	queries := r.effort.repeats * r.data.Members.Len()
	hits, took := r.filter.count(&r.data.Members, 0, queries)
	r.ns[hit] = perKey(took, queries)
	r.negative = uint64(queries) - hits
	for _, i := range r.unplaced {
		if !r.filter.Contains(r.data.Members.At(i)) {
			r.negative -= uint64(r.effort.repeats)
		}
	}
	return nil
}

// queryAbsent queries different absent keys in each round.
func (r *round) queryAbsent() error {
	var took time.Duration
	r.positive, took = r.filter.count(&r.data.Absent, r.from, r.effort.queries)
	r.ns[miss], r.queries = perKey(took, r.effort.queries), uint64(r.effort.queries)
	return nil
}

// queryForeign measures filters that were built from both lists. It queries up
// to 10,000 keys that are in neither list: absent keys with an 8-byte prefix.
func (r *round) queryForeign() error {
	if r.Knows {
		foreign := salted(&r.data.Absent, 0, min(r.data.Absent.Len(), 10_000), ^uint64(r.number))
		r.foreign = uint64(foreign.Len())
		r.taken, _ = r.filter.count(&foreign, 0, foreign.Len())
	}
	return nil
}

// salted counts false positives again if the structure's hash functions are
// fixed. Since the rounds cannot use different hash families then, each round
// puts a different 8-byte prefix before all keys.
func (r *round) salted() error {
	if !r.Unkeyed {
		return nil
	}
	r.filter = nil
	members := salted(&r.data.Members, 0, r.data.Members.Len(), uint64(r.number)+1)
	f, err := r.build(&members, true)
	if err != nil {
		return err
	}
	absent := salted(&r.data.Absent, r.from, r.effort.queries, uint64(r.number)+1)
	r.positive, _ = f.count(&absent, 0, r.effort.queries)
	return nil
}

// salted returns n keys with a number as their prefix, starting at from and
// wrapping around at the end of the list.
func salted(keys *Keys, from, n int, salt uint64) Keys {
	var list Keys
	key := binary.LittleEndian.AppendUint64(nil, salt)
	for i := range n {
		list.add(append(key[:8], keys.At((from+i)%keys.Len())...))
	}
	return list
}

// deleteMembers deletes all members and counts those that were not found. It
// skips refused keys, since deleting them could only remove other keys. If the
// operations of a round are repeated, it adds the members again in between.
func (r *round) deleteMembers() error {
	if r.filter.Delete == nil {
		return nil
	}
	keys := &r.data.Members
	var total time.Duration
	for i := range r.effort.repeats {
		if i > 0 {
			var err error
			_, r.unplaced, err = r.addAll(r.filter, keys)
			if err != nil {
				return err
			}
		}
		skip := append(slices.Clone(r.unplaced), keys.Len()) // in ascending order
		start := time.Now()
		for i := range keys.Len() {
			if i == skip[0] {
				skip = skip[1:]
			} else if !r.filter.Delete(keys.At(i)) {
				r.negative++
			}
		}
		total += time.Since(start)
	}
	r.ns[del] = perKey(total, r.effort.repeats*keys.Len())
	return nil
}

// addAll adds all keys, also the absent ones if the filter needs them, and
// builds the filter if necessary. It returns the time and the indexes of the
// refused keys. Only peers may refuse keys.
func (c *cell) addAll(f *Filter, keys *Keys) (took time.Duration, refused []int, err error) {
	start := time.Now()
	for i := range keys.Len() {
		switch err := f.Add(keys.At(i)); {
		case err != nil && c.Peer:
			refused = append(refused, i)
		case err != nil:
			return 0, nil, fmt.Errorf("adding key %s of %s: %w", Thousands(i+1), Thousands(keys.Len()), err)
		}
	}
	for i := 0; f.AddAbsent != nil && i < c.absent.Len(); i++ {
		f.AddAbsent(c.absent.At(i))
	}
	if f.Build != nil {
		err = f.Build()
	}
	return time.Since(start), refused, err
}

// count queries total keys, starting at from and wrapping around at the end of
// the list. It returns the number of keys found and the time.
func (f *Filter) count(keys *Keys, from, total int) (found uint64, took time.Duration) {
	start := time.Now()
	for i := from; total > 0; i = 0 {
		stop := min(i+total, keys.Len())
		total -= stop - i
		for ; i < stop; i++ {
			if f.Contains(keys.At(i)) {
				found++
			}
		}
	}
	return found, time.Since(start)
}

func perKey(d time.Duration, keys int) float64 { return float64(d.Nanoseconds()) / float64(keys) }
