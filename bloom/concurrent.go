package bloom

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/prefetch"
)

// A Concurrent is a Bloom filter whose methods may all run at the same time, in
// any mixture. Make one with [NewConcurrent] or [NewConcurrentFrom];
// [Concurrent.Snapshot] returns the plain filter, which can be encoded. A
// Concurrent must not be copied by value.
//
// It sets bits with atomic instructions and takes no lock, except in
// [Concurrent.ContainsOrAdd] for a key that is not found. A key whose Add has
// returned is found by every later Contains, in any goroutine; a key that is
// being added may be found or not.
//
// On one goroutine a lookup takes as long as in a plain filter, and an Add two
// to three times as long.
type Concurrent struct {
	shape
	words []uint64 // all accesses are atomic
	locks *[stripes]stripe
}

// stripes is the number of locks of ContainsOrAdd.
const stripes = 64

// A stripe is a lock on the digests of a shard. It fills a cache line.
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
// f. It shares no memory with f. O(m) time, one allocation of the bit array.
func NewConcurrentFrom(f *Filter) *Concurrent { return newConcurrent(f.Clone()) }

// newConcurrent returns a concurrent filter that keeps the words of f.
func newConcurrent(f *Filter) *Concurrent {
	return &Concurrent{f.shape, f.words, new([stripes]stripe)}
}

// zeroConcurrent is like zeroFilter for a Concurrent.
func zeroConcurrent() { errs.Zero("Concurrent", "NewConcurrent") }

// used returns c, or panics if it has no bits.
func (c *Concurrent) used() *Concurrent {
	if c.kind == 0 {
		zeroConcurrent()
	}
	return c
}

// Snapshot returns a plain filter with the Params and the bits of c. It has
// every key whose Add returned before the call. A key that is added meanwhile
// may be in it whole, in part, which only adds to the fill, or not at all. O(m)
// time, one allocation of the bit array.
func (c *Concurrent) Snapshot() *Filter {
	words := make([]uint64, len(c.words))
	for i := range words {
		words[i] = atomic.LoadUint64(&c.words[i])
	}
	return newFilter(c.params, words)
}

// Add is [Filter.Add].
func (c *Concurrent) Add(key []byte) { c.AddDigest(c.hash.Sum(key)) }

// AddString is [Concurrent.Add] for a string.
func (c *Concurrent) AddString(key string) { c.AddDigest(c.hash.SumString(key)) }

// AddDigest is [Concurrent.Add] for a digest under its family.
func (c *Concurrent) AddDigest(d hashfam.Digest) {
	switch k := c.params.Hashes; c.kind {
	case classic:
		shareBits(c.words, c.span, 0, k, d.Probe())
	case partitioned:
		shareBits(c.words, c.span, c.span, k, d.Probe())
	case blocked:
		shareBlocked(c.words, c.span, k, d)
	default:
		zeroConcurrent()
	}
}

// Contains is like Contains of a [Filter], at its cost. False is certain if no
// Add of key has returned. It never waits.
func (c *Concurrent) Contains(key []byte) bool { return c.ContainsDigest(c.hash.Sum(key)) }

// ContainsString is [Concurrent.Contains] for a string.
func (c *Concurrent) ContainsString(key string) bool {
	return c.ContainsDigest(c.hash.SumString(key))
}

// ContainsDigest is [Concurrent.Contains] for a digest under its family.
func (c *Concurrent) ContainsDigest(d hashfam.Digest) bool {
	switch k := c.params.Hashes; c.kind {
	case classic:
		return seesBits(c.words, c.span, 0, k, d.Probe())
	case partitioned:
		return seesBits(c.words, c.span, c.span, k, d.Probe())
	case blocked:
		if useAVX512 { // see hasBlock
			return hasLineAVX512(c.words, d, k)
		}
		return seesBits(lineOf(c.words, c.span, d)[:], lineBits, 0, k, d.Probe().Next())
	default:
		zeroConcurrent()
		return true
	}
}

// ContainsOrAdd reports whether key may have been added before, and adds it if
// not. If several goroutines call it with the same key at the same time, only
// one of them gets false: use it to do something once for each key. O(k) time:
// a Contains plus, if key is not found, an Add under one of 64 locks. No
// allocation.
func (c *Concurrent) ContainsOrAdd(key []byte) bool {
	return c.ContainsOrAddDigest(c.hash.Sum(key))
}

// ContainsOrAddString is [Concurrent.ContainsOrAdd] for a string.
func (c *Concurrent) ContainsOrAddString(key string) bool {
	return c.ContainsOrAddDigest(c.hash.SumString(key))
}

// ContainsOrAddDigest is [Concurrent.ContainsOrAdd] for a digest of its family.
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

// AddAll adds every key, given by its digest under the filter's family. It
// takes less time than [Concurrent.AddDigest] on each, above all if the filter
// is larger than the cache.
func (c *Concurrent) AddAll(digests []hashfam.Digest) {
	var room [prefetch.Block]bool
	c.used()
	for block := range slices.Chunk(digests, prefetch.Block) {
		// The loads of different digests overlap, while an atomic instruction
		// waits for every load before it.
		for i, found := range c.hasBlock(room[:0], block) {
			if !found {
				c.AddDigest(block[i])
			}
		}
	}
}

// ContainsAll appends the answer of [Concurrent.ContainsDigest] for each digest
// to dst, like ContainsAll of a [Filter], and returns the extended slice.
func (c *Concurrent) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	c.used()
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, prefetch.Block) {
		dst = c.hasBlock(dst, block)
	}
	return dst
}

// hasBlock appends the result for each digest in a block to dst, which must have
// enough capacity.
//
// The AVX-512 code does not load words atomically, but this is correct as well:
// every bit that it loads, even from a torn word, has a value from before or
// after a change that is made at the same time, and a value from after every
// change that was completed. Since the race detector cannot know this, builds
// with it do not use AVX-512.
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

// Merge adds every key of the plain filters to c. Meanwhile a key of theirs may
// be found or not; when Merge has returned, all of them are. It returns the
// errors of [Filter.Merge] and leaves c unchanged then. O(m) time for each of
// them, no allocation.
func (c *Concurrent) Merge(others ...*Filter) error {
	if err := c.used().compatible(others...); err != nil {
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

// Reset removes every key that was added before the call. A key that is added
// meanwhile may be lost, even after its Add has returned; so add none. O(m)
// time, no allocation.
func (c *Concurrent) Reset() {
	c.used()
	for i := range c.words {
		atomic.StoreUint64(&c.words[i], 0)
	}
}

// FillRatio is [Filter.FillRatio]. O(m) time.
func (c *Concurrent) FillRatio() float64 { return float64(c.ones()) / float64(c.params.Bits) }

// EstimatedLen is [Filter.EstimatedLen]. O(m) time.
func (c *Concurrent) EstimatedLen() float64 { return c.params.estimate(c.ones()) }

// FalsePositiveRate is [Filter.FalsePositiveRate]. O(m) time and memory: it
// takes a [Concurrent.Snapshot].
func (c *Concurrent) FalsePositiveRate() float64 { return c.Snapshot().FalsePositiveRate() }

// ones counts the bits that are set.
func (c *Concurrent) ones() uint64 {
	n := uint64(0)
	for i := range c.words {
		n += uint64(bits.OnesCount64(atomic.LoadUint64(&c.words[i])))
	}
	return n
}

// MarshalText returns the text form of a [Concurrent.Snapshot], which a plain
// [Filter] reads. O(m) time and memory.
func (c Concurrent) MarshalText() ([]byte, error) { return c.Snapshot().MarshalText() }

// The functions below are like the ones in bloom.go and blocked.go, but access
// the words atomically. In those that are not only for Blocked filters, the i-th
// value of the probe sequence p selects one of span bits, the first of which is
// bit i*step.

// share sets a bit of w. In a filter in use, most bits are already set. Testing
// the bit first takes a tenth of the time of an atomic instruction, and lets
// other processors keep the cache line.
func share(w *uint64, bit uint64) {
	if atomic.LoadUint64(w)&bit == 0 {
		atomic.OrUint64(w, bit)
	}
}

func shareBits(words []uint64, span, step uint64, k int, p hashfam.Probe) {
	for base := uint64(0); k > 0; k, p = k-1, p.Next() {
		i := base + p.In(span)
		share(&words[i>>6], 1<<(i&63))
		base += step
	}
}

func shareBlocked(words []uint64, lines uint64, k int, d hashfam.Digest) {
	line := lineOf(words, lines, d)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		share(&line[p>>61], 1<<(p>>55&63))
	}
}

func seesBits(words []uint64, span, step uint64, k int, p hashfam.Probe) bool {
	base, missing := uint64(0), uint64(0)
	for ; k > 0; k, p = k-1, p.Next() {
		i := base + p.In(span)
		missing |= unset(atomic.LoadUint64(&words[i>>6]), i)
		base += step
	}
	return missing == 0
}
