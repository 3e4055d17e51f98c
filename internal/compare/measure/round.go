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

// The operations that are timed.
const (
	add = iota
	hit
	miss
	del
	operations
)

// A result holds the measurements of one round.
type result struct {
	queries, positive uint64              // absent keys queried, and found
	negative          uint64              // members queried or deleted, and not found
	given, refused    uint64              // keys given to Add, and those that a peer refused
	foreign, taken    uint64              // keys in neither list queried, and found
	ns                [operations]float64 // per key; 0 if the operation does not exist
}

// A round is one measurement of a cell under one hash family.
type round struct {
	*cell
	data    *Dataset
	plan    Plan
	number  int
	from    int // the first absent key to query
	repeats int // of short work, to be timed together

	filter   *Filter
	unplaced []int // members that the last build, the one that is queried, did not take
	result
}

// measure does one round and adds its result to c, or nothing if it fails.
func (c *cell) measure(ctx context.Context, d *Dataset, p Plan, number int) error {
	r := round{cell: c, data: d, plan: p, number: number, from: number * p.queries % d.Absent.Len(), repeats: p.repeats(d)}
	if d.Members.Len() >= timedOps/2 {
		runtime.GC() // so that none pays for a neighbor's garbage
	}
	// Salted comes last, when the memory of the filter can be taken again.
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
	for range r.repeats {
		var took time.Duration
		var err error
		if r.filter, err = r.Build(uint64(keys.Len()), r.rate, family); err == nil {
			took, r.unplaced, err = r.addAll(r.filter, keys)
		}
		if err != nil {
			return err
		}
		r.refused += uint64(len(r.unplaced))
		total += took
	}
	added := r.repeats * keys.Len()
	r.given = uint64(added)
	if r.Knows {
		added += r.repeats * r.absent.Len()
	}
	r.ns[add] = perKey(total, added)
	return nil
}

// queryMembers counts the members that are not found. One that was refused was
// not lost.
func (r *round) queryMembers() error {
	queries := r.repeats * r.data.Members.Len()
	hits, took := r.filter.count(&r.data.Members, 0, queries)
	r.ns[hit] = perKey(took, queries)
	r.negative = uint64(queries) - hits
	for _, i := range r.unplaced {
		if !r.filter.Contains(r.data.Members.At(i)) {
			r.negative -= uint64(r.repeats)
		}
	}
	return nil
}

// queryAbsent queries other absent keys in every round.
func (r *round) queryAbsent() error {
	var took time.Duration
	r.positive, took = r.filter.count(&r.data.Absent, r.from, r.plan.queries)
	r.ns[miss], r.queries = perKey(took, r.plan.queries), uint64(r.plan.queries)
	return nil
}

// queryForeign queries a filter that knows both lists for up to 10,000 keys in
// neither: absent keys with eight bytes before them.
func (r *round) queryForeign() error {
	if r.Knows {
		foreign := salted(&r.data.Absent, 0, min(r.data.Absent.Len(), 10_000), ^uint64(r.number))
		r.foreign = uint64(foreign.Len())
		r.taken, _ = r.filter.count(&foreign, 0, foreign.Len())
	}
	return nil
}

// salted counts false positives again, for a structure whose hash functions are
// fixed: every key gets the same eight bytes put before it, others in every
// round, which stands in for another hash family.
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
	absent := salted(&r.data.Absent, r.from, r.plan.queries, uint64(r.number)+1)
	r.positive, _ = f.count(&absent, 0, r.plan.queries)
	return nil
}

// salted returns n keys, starting at from and beginning again at the end of the
// list, each with a number before it.
func salted(keys *Keys, from, n int, salt uint64) Keys {
	var list Keys
	key := binary.LittleEndian.AppendUint64(nil, salt)
	for i := range n {
		list.add(append(key[:8], keys.At((from+i)%keys.Len())...))
	}
	return list
}

// deleteMembers deletes all keys as often as r repeats, and adds them again in
// between. It counts the keys that a delete does not find. It skips refused
// keys, because deleting them could only remove another key.
func (r *round) deleteMembers() error {
	if r.filter.Delete == nil {
		return nil
	}
	keys := &r.data.Members
	var total time.Duration
	for i := range r.repeats {
		if i > 0 {
			var err error
			if _, r.unplaced, err = r.addAll(r.filter, keys); err != nil {
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
	r.ns[del] = perKey(total, r.repeats*keys.Len())
	return nil
}

// addAll adds every key and builds the filter, if that is left to do. It
// returns how long that took and which keys were refused; only peers may refuse
// any.
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
// the list. It returns how many were found and how long that took.
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

func perKey(d time.Duration, keys int) float64 {
	return float64(d.Nanoseconds()) / float64(keys)
}
