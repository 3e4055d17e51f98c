package countmin

import (
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// ConcurrentHeavyHitters is [HeavyHitters] whose methods may all run at the
// same time, in any mixture. Make one with [NewConcurrentHeavyHitters] or
// [NewConcurrentHeavyHittersFrom]; [ConcurrentHeavyHitters.Snapshot] returns
// the plain structure, which can be encoded. It must not be copied by value.
//
// The keys are spread over shards by their digests, each with a lock. All
// counts of a key are in one shard, so its bounds are those of HeavyHitters;
// the total, and with it the threshold, is that of all shards. A key that is
// much more frequent than others makes its shard busier than others.
//
// It makes calls from many goroutines safe, but hardly faster: each Add moves a
// shard's memory to another core. For throughput give each goroutine a
// HeavyHitters of its own and use [HeavyHitters.MergeAll], or spread the keys
// by Digest.Shard and use [JoinHeavyHitters].
//
// An Add that returned is in every answer that is asked for later. Answers
// about the whole, such as All, Complete and Total, take all locks and are
// those of one moment.
type ConcurrentHeavyHitters struct {
	config HeavyConfig
	shards []heavyShard
}

// A heavyShard has whole cache lines to itself.
type heavyShard struct {
	mu      sync.Mutex
	tracker tracker.Tracker
	counted atomic.Uint64 // what the tracker has counted, or a little less
	renew   uint64        // the tracker's total at which to renew counted
	_       [32]byte
}

// spins is how often lock tries before it waits. A shard is locked for less
// than 100 ns most of the time, and an attempt takes 1 to 2 ns. The spinning of
// sync.Mutex itself comes in steps of 2,000 ns and more.
const spins = 200

// lock takes the shard's lock.
func (s *heavyShard) lock() {
	for range spins {
		if s.mu.TryLock() {
			return
		}
	}
	s.mu.Lock()
}

// The number of shards is a power of two. More shards let more goroutines work
// at the same time, fewer make batches cheaper.
const (
	shardsPerProcessor = 32
	maxShards          = 256
	leastShardMemory   = 4 << 10 // a budget is divided no further
)

// shardGoal returns the goal of each of n shards.
func (c HeavyConfig) shardGoal(n int) tracker.Goal {
	return tracker.Goal{Phi: c.Phi, Memory: c.MemoryBytes / n, Shards: n}
}

// shardsFor returns the number of shards for c.
func shardsFor(c HeavyConfig) int {
	n := 1
	for n < shardsPerProcessor*runtime.GOMAXPROCS(0) && n < maxShards {
		n *= 2
	}
	for c.MemoryBytes != 0 && n > 1 && c.MemoryBytes/n < leastShardMemory {
		n /= 2
	}
	return n
}

// NewConcurrentHeavyHitters returns an empty structure, as [NewHeavyHitters]
// does, with its errors. MemoryBytes bounds the whole; there are 32 shards a
// processor, and fewer if they would have less than 4 KiB each. Without a bound
// the memory grows like that of HeavyHitters. O(MemoryBytes) time.
func NewConcurrentHeavyHitters(c HeavyConfig) (*ConcurrentHeavyHitters, error) {
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	return newConcurrentHeavy(c, shardsFor(c)), nil
}

// newConcurrentHeavy returns an empty structure of n shards.
func newConcurrentHeavy(c HeavyConfig, n int) *ConcurrentHeavyHitters {
	shards := make([]tracker.Tracker, n)
	for i := range shards {
		shards[i] = tracker.New(c.shardGoal(n))
	}
	return concurrentOf(c, shards)
}

// NewConcurrentHeavyHittersFrom returns a concurrent structure that has counted
// what h has. It shares nothing with h. Tracked keys keep their counts, as far
// as memory suffices; the bounds of others may be wider than in h. It returns
// an [ErrParams] error if h is nil or the zero HeavyHitters. O(memory) time.
func NewConcurrentHeavyHittersFrom(h *HeavyHitters) (*ConcurrentHeavyHitters, error) {
	if h == nil {
		return nil, errs.Nil()
	}
	config := h.Params()
	if err := config.check(ErrParams); err != nil {
		return nil, err
	}
	return concurrentOf(config, h.tracker.Split(config.shardGoal(shardsFor(config)))), nil
}

func concurrentOf(config HeavyConfig, shards []tracker.Tracker) *ConcurrentHeavyHitters {
	c := &ConcurrentHeavyHitters{config: config, shards: make([]heavyShard, len(shards))}
	for i, t := range shards {
		c.shards[i].tracker = t
		c.shards[i].counted.Store(t.Total())
	}
	return c
}

// Snapshot returns the plain structure at one moment. Every shard keeps its
// keys and counts, as far as memory suffices; no error of one shard adds to
// that of another. The other methods wait while the shards are copied.
// O(memory) time; it allocates.
func (c *ConcurrentHeavyHitters) Snapshot() *HeavyHitters {
	if len(c.shards) == 0 {
		return &HeavyHitters{family: c.config.Family}
	}
	copies := make([]tracker.Tracker, len(c.shards))
	c.alone(func() {
		for i := range c.shards {
			copies[i] = c.shards[i].tracker.Clone()
		}
	})
	return &HeavyHitters{c.config.Family, tracker.Join(c.config.goal(), func(yield func(*tracker.Tracker) bool) {
		for i := range copies {
			if !yield(&copies[i]) {
				return
			}
		}
	})}
}

// alone calls f with all locks held. They are taken in one order, and no other
// method holds more than one.
func (c *ConcurrentHeavyHitters) alone(f func()) {
	for i := range c.shards {
		c.shards[i].mu.Lock()
	}
	defer func() {
		for i := range c.shards {
			c.shards[i].mu.Unlock()
		}
	}()
	f()
}

// trackers yields the trackers of all shards.
func (c *ConcurrentHeavyHitters) trackers(yield func(*tracker.Tracker) bool) {
	for i := range c.shards {
		if !yield(&c.shards[i].tracker) {
			return
		}
	}
}

// Params returns the configuration of c. O(1) time.
func (c *ConcurrentHeavyHitters) Params() HeavyConfig { return c.config }

// Add counts key once. It is like [HeavyHitters.Add] in time and memory, and
// takes one lock. key is not kept, but copied when it is first tracked.
func (c *ConcurrentHeavyHitters) Add(key []byte) { observe(c, c.config.Family.Sum(key), key, 1) }

// AddString is [ConcurrentHeavyHitters.Add] for a string.
func (c *ConcurrentHeavyHitters) AddString(key string) {
	observe(c, c.config.Family.SumString(key), key, 1)
}

// AddDigest is [ConcurrentHeavyHitters.Add] for a key already hashed by the
// family of Params(). d must be the digest of key.
func (c *ConcurrentHeavyHitters) AddDigest(d hashfam.Digest, key []byte) { observe(c, d, key, 1) }

// AddN counts key n times at once. It is like [ConcurrentHeavyHitters.Add] in
// time and memory. Counts stop at the largest uint64 and never wrap.
func (c *ConcurrentHeavyHitters) AddN(key []byte, n uint64) {
	observe(c, c.config.Family.Sum(key), key, n)
}

// AddNString is [ConcurrentHeavyHitters.AddN] for a string.
func (c *ConcurrentHeavyHitters) AddNString(key string, n uint64) {
	observe(c, c.config.Family.SumString(key), key, n)
}

// observe counts key n times.
func observe[K tracker.Key](c *ConcurrentHeavyHitters, d hashfam.Digest, key K, n uint64) {
	if len(c.shards) == 0 {
		return
	}
	s := &c.shards[d.Shard(len(c.shards))]
	s.lock()
	defer s.mu.Unlock()
	tracker.Observe(&s.tracker, d, key, n)
	c.inform(s)
}

// inform tells a shard, whose lock is held, how much the others have counted,
// and them how much it has, whenever it has counted a sixteenth more. Shards
// need not know the total exactly.
func (c *ConcurrentHeavyHitters) inform(s *heavyShard) {
	total := s.tracker.Total()
	if total < s.renew {
		return
	}
	s.counted.Store(total)
	s.renew = addSat(total, total/16+1)
	elsewhere := uint64(0)
	for i := range c.shards {
		if o := &c.shards[i]; o != s {
			elsewhere = addSat(elsewhere, o.counted.Load())
		}
	}
	s.tracker.Elsewhere(elsewhere)
}

// Estimate returns what is known of how often key was counted, whether it is a
// heavy hitter or not. It takes one lock. O(1) time, no allocation.
func (c *ConcurrentHeavyHitters) Estimate(key []byte) Estimate {
	return c.EstimateDigest(c.config.Family.Sum(key))
}

// EstimateString is [ConcurrentHeavyHitters.Estimate] for a string.
func (c *ConcurrentHeavyHitters) EstimateString(key string) Estimate {
	return c.EstimateDigest(c.config.Family.SumString(key))
}

// EstimateDigest is [ConcurrentHeavyHitters.Estimate] for a key already hashed
// by the family of Params().
func (c *ConcurrentHeavyHitters) EstimateDigest(d hashfam.Digest) Estimate {
	if len(c.shards) == 0 {
		return Estimate{Count: math.MaxUint64, High: math.MaxUint64}
	}
	s := &c.shards[d.Shard(len(c.shards))]
	s.lock()
	defer s.mu.Unlock()
	return Estimate(s.tracker.Estimate(d))
}

// All yields the heavy hitters, as [HeavyHitters.All] does: every key whose
// Count is at least the threshold of the whole, most first. They are those of
// the moment at which the iteration starts. They are copied then, with all
// locks held, so c may be changed meanwhile, by the body of the loop too. O(r
// log r) time and O(r) memory for r reported keys, and O(t) time for t tracked
// ones.
func (c *ConcurrentHeavyHitters) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) {
		var found iter.Seq2[string, tracker.Estimate]
		c.alone(func() {
			found = tracker.RankedOf(c.trackers, threshold(c.config.Phi, c.total()), math.MaxInt)
		})
		for key, e := range found {
			if !yield(key, Estimate(e)) {
				return
			}
		}
	}
}

// Threshold returns the count from which on a key is now a heavy hitter, as
// [HeavyHitters.Threshold] does: Phi times the total of all shards, rounded up.
// It takes all locks. O(1) time.
func (c *ConcurrentHeavyHitters) Threshold() uint64 { return threshold(c.config.Phi, c.Total()) }

// Complete reports whether every heavy hitter is certain to be among those of
// All now, as [HeavyHitters.Complete] does. It takes all locks. O(1) time.
func (c *ConcurrentHeavyHitters) Complete() (complete bool) {
	c.alone(func() { complete = c.missBound() < threshold(c.config.Phi, c.total()) })
	return complete
}

// MissBound returns an upper bound on the count of any untracked key. It takes
// all locks. O(1) time.
func (c *ConcurrentHeavyHitters) MissBound() (bound uint64) {
	c.alone(func() { bound = c.missBound() })
	return bound
}

// Total returns how much has been counted. It takes all locks. O(1) time.
func (c *ConcurrentHeavyHitters) Total() (total uint64) {
	c.alone(func() { total = c.total() })
	return total
}

// SizeBytes returns the memory that c holds, in bytes: itself, counters, index
// and keys. It takes all locks. O(1) time.
func (c *ConcurrentHeavyHitters) SizeBytes() (size uint64) {
	c.alone(func() {
		for t := range c.trackers {
			size += t.SizeBytes()
		}
	})
	return size
}

// missBound is MissBound with all locks held. No key is in two shards, so it is
// the largest of theirs.
func (c *ConcurrentHeavyHitters) missBound() uint64 {
	if len(c.shards) == 0 {
		return math.MaxUint64
	}
	bound := uint64(0)
	for t := range c.trackers {
		bound = max(bound, t.MissBound())
	}
	return bound
}

// total is Total with all locks held.
func (c *ConcurrentHeavyHitters) total() uint64 {
	sum := uint64(0)
	for t := range c.trackers {
		sum = addSat(sum, t.Total())
	}
	return sum
}

// Reset forgets everything. O(MemoryBytes) time; it allocates.
func (c *ConcurrentHeavyHitters) Reset() {
	c.alone(func() {
		for i := range c.shards {
			s := &c.shards[i]
			s.tracker = s.tracker.Fresh()
			s.counted.Store(0)
			s.renew = 0
		}
	})
}

// MarshalJSON returns the text form of a [ConcurrentHeavyHitters.Snapshot] as a
// JSON string, which a plain [HeavyHitters] reads. O(memory) time; it
// allocates.
func (c *ConcurrentHeavyHitters) MarshalJSON() ([]byte, error) {
	if c == nil {
		return nil, errs.Nil()
	}
	return c.Snapshot().MarshalJSON()
}
