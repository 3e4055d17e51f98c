package counting

import (
	"math/bits"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
)

// A Concurrent is a counting Bloom filter in the [Blocked] layout whose methods
// may all run at the same time, in any mixture. Make one with [NewConcurrent]
// or [NewConcurrentFrom]; [Concurrent.Snapshot] returns the plain filter, which
// can be encoded. A Concurrent must not be copied by value. A zero Concurrent
// behaves like a zero Filter.
//
// All counters of a key are in one block. A method that changes them holds one
// of at most 64 locks, each of which serves a part of the blocks. So an Add or
// a Delete changes all counters of a key or none. Methods that only read never
// wait. A count is never below the copies whose Add has returned, less those
// whose Delete has begun.
type Concurrent struct {
	filter Filter // a writer holds the lock of a block; all stores are atomic
	locks  []stripe
}

// maxStripes is the largest number of locks. There are as many as blocks, in
// powers of two, if these are fewer.
const maxStripes = 64

// A stripe is a lock. It fills a cache line, so that locks do not slow down one
// another.
type stripe struct {
	sync.Mutex
	_ [56]byte
}

// NewConcurrent returns an empty filter for c, as [New] does, with its errors.
// It returns [ErrParams] if the Layout is not Blocked: a key of another layout
// has its counters all over the array, and a Delete would have to hold every
// lock. O(m) time, one allocation of the counters.
func NewConcurrent(c Config) (*Concurrent, error) {
	if c.Layout != Blocked {
		return nil, paramError("Config.Layout", c.Layout, "blocked")
	}
	f, err := New(c)
	if err != nil {
		return nil, err
	}
	return newConcurrent(f), nil
}

// NewConcurrentFrom returns a concurrent filter with the Params and the
// counters of f. It shares no memory with f. It returns [ErrParams] if f is nil
// or the zero Filter, or if its Layout is not Blocked. O(m) time, one
// allocation of the counters.
func NewConcurrentFrom(f *Filter) (*Concurrent, error) {
	if f == nil {
		return nil, errs.Nil()
	}
	if err := f.params.check(ErrParams); err != nil {
		return nil, err
	}
	if f.params.Layout != Blocked {
		return nil, paramError("Params.Layout", f.params.Layout, "blocked")
	}
	return newConcurrent(f.Clone()), nil
}

// newConcurrent returns a concurrent filter that keeps the counters of f.
func newConcurrent(f *Filter) *Concurrent {
	n := 1 << (bits.Len64(min(f.span, maxStripes)) - 1)
	return &Concurrent{filter: *f, locks: make([]stripe, n)}
}

// Add adds one copy of key. A counter that reaches 15 is stuck there. O(k)
// time, at most four cache misses, no allocation. Add does not keep key.
func (c *Concurrent) Add(key []byte) { c.AddDigest(c.filter.params.Family.Sum(key)) }

// AddString is [Concurrent.Add] for a string.
func (c *Concurrent) AddString(key string) { c.AddDigest(c.filter.params.Family.SumString(key)) }

// AddUint64 is [Concurrent.Add] for an integer: the key is its eight
// little-endian bytes.
func (c *Concurrent) AddUint64(key uint64) { c.AddDigest(c.filter.params.Family.SumUint64(key)) }

// AddDigest is [Concurrent.Add] for a key already hashed by the filter's
// family, Params().Family. A digest made by another family stands for another
// key.
func (c *Concurrent) AddDigest(d hashfam.Digest) {
	if len(c.locks) > 0 {
		lock := &c.locks[c.stripeOf(d)]
		lock.Lock()
		c.add(d)
		lock.Unlock()
	}
}

// Contains reports whether key may be in the filter. False is certain, if only
// keys were deleted that had been added; true is wrong with the filter's
// false-positive rate. O(k) time, at most four cache misses, no allocation. It
// never waits.
func (c *Concurrent) Contains(key []byte) bool {
	return c.ContainsDigest(c.filter.params.Family.Sum(key))
}

// ContainsString is [Concurrent.Contains] for a string.
func (c *Concurrent) ContainsString(key string) bool {
	return c.ContainsDigest(c.filter.params.Family.SumString(key))
}

// ContainsUint64 is [Concurrent.Contains] for an integer.
func (c *Concurrent) ContainsUint64(key uint64) bool {
	return c.ContainsDigest(c.filter.params.Family.SumUint64(key))
}

// ContainsDigest is [Concurrent.Contains] for a key already hashed by the
// filter's family.
func (c *Concurrent) ContainsDigest(d hashfam.Digest) bool { return c.CountDigest(d) > 0 }

// ContainsOrAdd reports whether key may be in the filter, and adds it if it is
// not. If several goroutines call it with the same key at the same time, only
// one of them gets false. If it returns true it has added nothing, so do not
// call [Concurrent.Delete] for such a call. O(k) time, no allocation.
func (c *Concurrent) ContainsOrAdd(key []byte) bool {
	return c.ContainsOrAddDigest(c.filter.params.Family.Sum(key))
}

// ContainsOrAddString is [Concurrent.ContainsOrAdd] for a string.
func (c *Concurrent) ContainsOrAddString(key string) bool {
	return c.ContainsOrAddDigest(c.filter.params.Family.SumString(key))
}

// ContainsOrAddUint64 is [Concurrent.ContainsOrAdd] for an integer.
func (c *Concurrent) ContainsOrAddUint64(key uint64) bool {
	return c.ContainsOrAddDigest(c.filter.params.Family.SumUint64(key))
}

// ContainsOrAddDigest is [Concurrent.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (c *Concurrent) ContainsOrAddDigest(d hashfam.Digest) bool {
	if c.ContainsDigest(d) {
		return true
	}
	lock := &c.locks[c.stripeOf(d)]
	lock.Lock()
	defer lock.Unlock()
	if c.ContainsDigest(d) {
		return true
	}
	c.add(d)
	return false
}

// Count returns an upper bound on the number of copies of key, like
// [Filter.Count]. O(k) time, at most four cache misses, no allocation. It never
// waits.
func (c *Concurrent) Count(key []byte) uint64 {
	return c.CountDigest(c.filter.params.Family.Sum(key))
}

// CountString is [Concurrent.Count] for a string.
func (c *Concurrent) CountString(key string) uint64 {
	return c.CountDigest(c.filter.params.Family.SumString(key))
}

// CountUint64 is [Concurrent.Count] for an integer.
func (c *Concurrent) CountUint64(key uint64) uint64 {
	return c.CountDigest(c.filter.params.Family.SumUint64(key))
}

// CountDigest is [Concurrent.Count] for a key already hashed by the filter's
// family.
func (c *Concurrent) CountDigest(d hashfam.Digest) uint64 {
	if len(c.locks) == 0 {
		return stuck
	}
	b, least := blockOf(c.filter.counters, c.filter.span, d), uint64(stuck)
	for k, p := c.filter.params.Hashes, d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		least = min(least, b.load(uint64(p)>>55))
	}
	return least
}

// Delete removes one copy of key and reports whether it did, like
// [Filter.Delete]: delete only keys that were added. A Delete that returns
// false has changed nothing at any time. O(k) time, at most four cache misses,
// no allocation.
func (c *Concurrent) Delete(key []byte) bool { return c.DeleteDigest(c.filter.params.Family.Sum(key)) }

// DeleteString is [Concurrent.Delete] for a string.
func (c *Concurrent) DeleteString(key string) bool {
	return c.DeleteDigest(c.filter.params.Family.SumString(key))
}

// DeleteUint64 is [Concurrent.Delete] for an integer.
func (c *Concurrent) DeleteUint64(key uint64) bool {
	return c.DeleteDigest(c.filter.params.Family.SumUint64(key))
}

// DeleteDigest is [Concurrent.Delete] for a key already hashed by the filter's
// family.
func (c *Concurrent) DeleteDigest(d hashfam.Digest) bool {
	if len(c.locks) == 0 {
		return c.filter.DeleteDigest(d)
	}
	lock := &c.locks[c.stripeOf(d)]
	lock.Lock()
	defer lock.Unlock()
	return c.remove(d)
}

// stripeOf returns the number of the lock of the block of d. There is at least
// one lock.
func (c *Concurrent) stripeOf(d hashfam.Digest) int {
	return int(d.Probe().In(c.filter.span) & uint64(len(c.locks)-1))
}

// add adds one copy of d. The caller holds the lock.
func (c *Concurrent) add(d hashfam.Digest) {
	b := blockOf(c.filter.counters, c.filter.span, d)
	for k, p := c.filter.params.Hashes, d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		b.incShared(uint64(p) >> 55)
	}
}

// remove removes one copy of d. The caller holds the lock. It works on a copy
// of the block: to decrement the counters in place and to restore them at the
// first zero would let a reader see counters of other keys below their counts.
func (c *Concurrent) remove(d hashfam.Digest) bool {
	b := blockOf(c.filter.counters, c.filter.span, d)
	var left [blockWords]uint64
	copy(left[:], b)
	if !removeBlocked(left[:], 1, c.filter.params.Hashes, d) {
		return false
	}
	b.store(left[:])
	return true
}
