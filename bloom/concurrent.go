package bloom

import (
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
)

// A Concurrent is a Bloom filter whose methods may all run at the same time, in
// any mixture. Make one with [NewConcurrent] or [NewConcurrentFrom];
// [Concurrent.Snapshot] returns the plain filter, which can be encoded. A
// Concurrent must not be copied by value. A zero Concurrent contains every key,
// and adding to it changes nothing.
//
// It sets bits with atomic instructions and takes no lock, except in
// [Concurrent.ContainsOrAdd] for a key that is not found. Methods that only
// read never wait. A key whose Add has returned is found by every later
// Contains, in any goroutine; a key that is being added may be found or not.
//
// On one goroutine a lookup takes as long as in a plain filter, and an Add two
// to three times as long.
type Concurrent struct {
	filter Filter // all accesses to its words are atomic
	locks  *[stripes]stripe
}

// stripes is the number of locks of ContainsOrAdd.
const stripes = 64

// A stripe is a lock on the digests of a shard. It fills a cache line, so that
// locks do not slow down one another.
type stripe struct {
	sync.Mutex
	_ [56]byte
}

// NewConcurrent returns an empty filter for c, as [New] does, with its errors.
// O(m) time, one allocation of the bit array.
func NewConcurrent(c Config) (*Concurrent, error) {
	f, err := New(c)
	if err != nil {
		return nil, err
	}
	return newConcurrent(f), nil
}

// NewConcurrentFrom returns a concurrent filter with the Params and the bits of
// f. It shares no memory with f. It returns [ErrParams] if f is nil or the zero
// Filter. O(m) time, one allocation of the bit array.
func NewConcurrentFrom(f *Filter) (*Concurrent, error) {
	if f == nil {
		return nil, errs.Nil()
	}
	if err := f.params.check(ErrParams); err != nil {
		return nil, err
	}
	return newConcurrent(f.Clone()), nil
}

// newConcurrent returns a concurrent filter that keeps the words of f.
func newConcurrent(f *Filter) *Concurrent {
	return &Concurrent{filter: *f, locks: new([stripes]stripe)}
}

// Snapshot returns a plain filter with the Params and the bits of c. It has
// every key whose Add returned before the call. A key that is added meanwhile
// may be in it whole, in part or not at all; a part of a key does no harm, it
// only adds to the fill. O(m) time, one allocation of the bit array.
func (c *Concurrent) Snapshot() *Filter {
	f := c.filter
	f.words = make([]uint64, len(c.filter.words))
	for i := range f.words {
		f.words[i] = atomic.LoadUint64(&c.filter.words[i])
	}
	return &f
}

// Add records key. O(k) time, at most k cache misses (Blocked: one), no
// allocation. Add does not keep key.
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
	f := &c.filter
	switch k := f.params.Hashes; f.params.Layout {
	case Classic:
		shareClassic(f.words, f.span, k, d)
	case Partitioned:
		sharePartitioned(f.words, f.span, k, d)
	case Blocked:
		shareBlocked(f.words, f.span, k, d)
	}
}

// Contains reports whether key may have been added. False is certain if no Add
// of key has returned; true is wrong with the filter's false-positive rate.
// O(k) time, at most k cache misses (Blocked: one), no allocation. It never
// waits.
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
func (c *Concurrent) ContainsDigest(d hashfam.Digest) bool {
	f := &c.filter
	switch k := f.params.Hashes; f.params.Layout {
	case Classic:
		return seesClassic(f.words, f.span, k, d)
	case Partitioned:
		return seesPartitioned(f.words, f.span, k, d)
	default:
		if useAVX512 { // see seesBlocked
			return hasLineAVX512(f.words, d, k)
		}
		return seesBlocked(f.words, f.span, k, d)
	}
}

// ContainsOrAdd reports whether key may have been added before, and adds it. If
// several goroutines call it with the same key at the same time, only one of
// them gets false: use it to do something once for each key. O(k) time: a
// Contains plus, if key is not found, an Add under one of 64 locks. No
// allocation.
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
//
// Without a lock no order of the k bits can be exact: of two goroutines, each
// may find one bit that it is the first to set, or one may find that bit set by
// another key. So the calls for one digest take turns.
func (c *Concurrent) ContainsOrAddDigest(d hashfam.Digest) bool {
	if c.ContainsDigest(d) {
		return true
	}
	lock := &c.locks[d.Shard(stripes)]
	lock.Lock()
	defer lock.Unlock()
	if c.ContainsDigest(d) {
		return true
	}
	c.AddDigest(d)
	return false
}
