package bloom

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// A Concurrent is a Bloom filter that goroutines can share: all methods can be
// called concurrently. Use [NewConcurrent] or [NewConcurrentFrom] to create
// one, and [Concurrent.Snapshot] to get a plain filter, which can be encoded. A
// Concurrent must not be copied by value.
//
// Once an Add has returned, its key will be found in any goroutine. During the
// Add, Contains may return true or false.
//
// Lookups are as fast as in a plain filter, but Adds are slower because bits
// are set using atomic instructions. Only [Concurrent.ContainsOrAdd] uses
// locks, and only if the key is not found. SizeBytes does not include these
// locks, which need 4 KiB.
type Concurrent struct {
	setup
	words []uint64 // must be accessed atomically
	locks *[stripes]stripe
}

// stripes is the number of locks used by ContainsOrAdd.
const stripes = 64

// A stripe is a lock for a shard's digests, padded to fill a cache line.
type stripe struct {
	sync.Mutex
	_ [56]byte
}

// NewConcurrent returns an empty filter for c, or the errors of [New].
func NewConcurrent(c Config) (*Concurrent, error) {
	f, err := New(c)
	if err != nil {
		return nil, err
	}
	return newConcurrent(f), nil
}

// NewConcurrentFrom returns a concurrent filter with a copy of the bits of f.
func NewConcurrentFrom(f *Filter) *Concurrent { return newConcurrent(f.Clone()) }

// newConcurrent returns a concurrent filter that uses the words of f.
func newConcurrent(f *Filter) *Concurrent {
	return &Concurrent{f.setup, f.words, new([stripes]stripe)}
}

// Snapshot returns a plain filter with the Params and bits of c. It contains
// every key whose Add returned before the call. A key that is added during the
// call may be in the snapshot or not. If only some of its bits are in the
// snapshot, the only effect is a slightly higher fill ratio and rate. Each
// snapshot is a copy of the whole array.
func (c *Concurrent) Snapshot() *Filter {
	words := make([]uint64, len(c.words))
	for i := range words {
		words[i] = atomic.LoadUint64(&c.words[i])
	}
	return newFilter(c.params, words)
}

// Add is like [Filter.Add].
func (c *Concurrent) Add(key []byte) { c.AddDigest(c.hash.Sum(key)) }

// AddString is like [Concurrent.Add] for a string key.
func (c *Concurrent) AddString(key string) { c.AddDigest(c.hash.SumString(key)) }

// AddDigest is like [Concurrent.Add] for a key's digest.
func (c *Concurrent) AddDigest(d hashfam.Digest) {
	switch k := c.params.Hashes; {
	case c.params.Layout == Blocked:
		setBlockedAtomic(c.words, c.span, k, d)
	case c.params.Layout == Partitioned:
		setBitsAtomic(c.words, c.span, c.span, k, d.Probe())
	case c.span != 0:
		setBitsAtomic(c.words, c.span, 0, k, d.Probe())
	default:
		panic(zero)
	}
}

// Contains reports whether key may have been added, and never blocks. If it
// returns false, no Add of key had returned before the call.
func (c *Concurrent) Contains(key []byte) bool { return c.ContainsDigest(c.hash.Sum(key)) }

// ContainsString is like [Concurrent.Contains] for a string key.
func (c *Concurrent) ContainsString(key string) bool {
	return c.ContainsDigest(c.hash.SumString(key))
}

// ContainsDigest is like [Concurrent.Contains] for a key's digest.
func (c *Concurrent) ContainsDigest(d hashfam.Digest) bool {
	switch k := c.params.Hashes; {
	case c.params.Layout == Blocked:
		if useAVX512 { // see hasBlock
			return hasLineAVX512(c.words, d, k)
		}
		return hasBlockedAtomic(c.words, c.span, k, d)
	case c.params.Layout == Partitioned:
		return hasBitsAtomic(c.words, c.span, c.span, k, d.Probe())
	case c.span != 0:
		return hasBitsAtomic(c.words, c.span, 0, k, d.Probe())
	default:
		panic(zero)
	}
}

// ContainsOrAdd reports whether key may have been added before, and adds it
// otherwise. When several goroutines call it with the same key, only a single
// call can return false, so it can be used to do something once per key. If key
// is not found, ContainsOrAdd uses one of 64 locks.
func (c *Concurrent) ContainsOrAdd(key []byte) bool {
	return c.ContainsOrAddDigest(c.hash.Sum(key))
}

// ContainsOrAddString is like [Concurrent.ContainsOrAdd] for a string key.
func (c *Concurrent) ContainsOrAddString(key string) bool {
	return c.ContainsOrAddDigest(c.hash.SumString(key))
}

// ContainsOrAddDigest is like [Concurrent.ContainsOrAdd] for a key's digest.
//
// Calls with equal digests share a lock, because the k bits alone cannot decide
// which call is the first. If each call that sets a bit returned false, two
// calls could set one bit each, and both return false. If only a certain bit
// counted, another key could set this bit in the meantime, and no call would
// return false.
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

// AddAll adds the keys with the given digests. Use Family().SumAll to compute
// the digests. AddAll is faster than single calls, above all when the filter is
// larger than the cache.
func (c *Concurrent) AddAll(digests []hashfam.Digest) {
	var room [batch.Block]bool
	c.made()
	for block := range slices.Chunk(digests, batch.Block) {
		// Query the whole block first: the CPU can overlap the loads of
		// different digests, whereas an atomic instruction waits for all
		// earlier loads.
		for i, found := range c.hasBlock(room[:0], block) {
			if !found {
				c.AddDigest(block[i])
			}
		}
	}
}

// ContainsAll is like [Filter.ContainsAll].
func (c *Concurrent) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	c.made()
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Block) {
		dst = c.hasBlock(dst, block)
	}
	return dst
}

// hasBlock appends the result for each digest in a block to dst, which must
// have room for the results.
//
// The AVX-512 code does not load words atomically, but it is correct as well.
// Even in a torn word, every bit has its value from before or after a
// concurrent change, so the bits of an Add that has returned are set. Since the
// race detector cannot know this, builds with it do not use AVX-512.
func (c *Concurrent) hasBlock(dst []bool, digests []hashfam.Digest) []bool {
	words, span, k := c.words, c.span, c.params.Hashes
	if c.params.Layout == Blocked {
		if useAVX512 {
			return hasLines(dst, words, span, k, digests)
		}
	} else if a := c.lanes(words); a.Ready(len(digests)) {
		return a.Has(dst, digests)
	}
	for _, d := range digests {
		dst = append(dst, c.ContainsDigest(d))
	}
	return dst
}

// Merge adds every key of the plain filters to c. During the call, their keys
// may be found or not. When Merge has returned, they will all be found. Merge
// returns the errors of [Filter.Merge]. After an error, c is unchanged.
func (c *Concurrent) Merge(others ...*Filter) error {
	if err := c.made().compatible(others...); err != nil {
		return err
	}
	for _, other := range others {
		for i, w := range other.words {
			if at := &c.words[i]; w&^atomic.LoadUint64(at) != 0 {
				atomic.OrUint64(at, w)
			}
		}
	}
	return nil
}

// Reset removes all keys that were added before the call. Do not call Add
// during Reset, because the new key may be lost even though Add has returned.
func (c *Concurrent) Reset() {
	c.made()
	for i := range c.words {
		atomic.StoreUint64(&c.words[i], 0)
	}
}

// FillRatio is like [Filter.FillRatio]. It runs in O(m) time.
func (c *Concurrent) FillRatio() float64 { return float64(c.ones()) / float64(c.params.Bits) }

// EstimatedLen is like [Filter.EstimatedLen]. It runs in O(m) time.
func (c *Concurrent) EstimatedLen() float64 { return c.params.estimate(c.ones()) }

// FalsePositiveRate is like [Filter.FalsePositiveRate]. It needs O(m) time and
// memory for a [Concurrent.Snapshot].
func (c *Concurrent) FalsePositiveRate() float64 { return c.Snapshot().FalsePositiveRate() }

func (c *Concurrent) ones() uint64 {
	n := uint64(0)
	for i := range c.words {
		n += uint64(bits.OnesCount64(atomic.LoadUint64(&c.words[i])))
	}
	return n
}

// MarshalText returns a snapshot's text form, for decoding into a [Filter].
func (c Concurrent) MarshalText() ([]byte, error) { return c.Snapshot().MarshalText() }

// The functions below are like the ones in bloom.go, but access the words
// atomically. setBitsAtomic and hasBitsAtomic are for Partitioned filters,
// where step is span, and for Classic filters, where step is 0: value i of the
// probe sequence p selects one of the span bits that begin at bit i*step.

// setAtomic sets a bit of w. It tests the bit first, because many bits are
// already set. A test is much faster than an atomic instruction, which also
// removes the line from the caches of other cores.
func setAtomic(w *uint64, bit uint64) {
	if atomic.LoadUint64(w)&bit == 0 {
		atomic.OrUint64(w, bit)
	}
}

func setBitsAtomic(words []uint64, span, step uint64, k int, p hashfam.Probe) {
	for base := uint64(0); k > 0; k, p = k-1, p.Next() {
		i := base + p.In(span)
		setAtomic(&words[i>>6], 1<<(i&63))
		base += step
	}
}

func setBlockedAtomic(words []uint64, lines uint64, k int, d hashfam.Digest) {
	line := lineOf(words, lines, d)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		setAtomic(&line[p>>61], 1<<(p>>55&63))
	}
}

func hasBitsAtomic(words []uint64, span, step uint64, k int, p hashfam.Probe) bool {
	base, missing := uint64(0), uint64(0)
	for ; k > 0; k, p = k-1, p.Next() {
		i := base + p.In(span)
		missing |= unset(atomic.LoadUint64(&words[i>>6]), i)
		base += step
	}
	return missing == 0
}

func hasBlockedAtomic(words []uint64, lines uint64, k int, d hashfam.Digest) bool {
	line := lineOf(words, lines, d)
	missing := uint64(0)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		missing |= unset(atomic.LoadUint64(&line[p>>61]), uint64(p)>>55)
	}
	return missing == 0
}
