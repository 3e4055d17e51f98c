package countmin

import (
	"iter"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// An Estimate is what is known of how often a key was counted.
type Estimate struct {
	Count uint64 // the estimate: never below the truth
	Low   uint64 // the truth is this at least
	High  uint64 // and this at most
}

// HeavyHitters finds the keys that make up at least a share Phi of a stream
// whose length need not be known. At any moment every key is reported whose
// count is at least Phi times the total, and few others, whose counts are just
// below; [HeavyHitters.Complete] says whether memory suffices for that. Make
// one with [NewHeavyHitters].
type HeavyHitters struct {
	config HeavyConfig
	tracker
}

// NewHeavyHitters returns what finds the heavy hitters of a stream. An
// impossible configuration is an [ErrParams] that names the field.
func NewHeavyHitters(c HeavyConfig) (*HeavyHitters, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &HeavyHitters{config: c, tracker: newTracker(c.plan())}, nil
}

// Add counts key once. O(1) time amortised, at most four cache misses but for
// the sweeps; it allocates only where memory grows. key is not kept, but copied
// when it is first tracked.
func (h *HeavyHitters) Add(key []byte) { observe(&h.tracker, h.config.Family.Sum(key), key, 1) }

// AddString is [HeavyHitters.Add] for a string.
func (h *HeavyHitters) AddString(key string) {
	observe(&h.tracker, h.config.Family.SumString(key), key, 1)
}

// AddN counts key n times at once, in the time of one [HeavyHitters.Add].
// Counts stop at the largest uint64 and never wrap.
func (h *HeavyHitters) AddN(key []byte, n uint64) {
	observe(&h.tracker, h.config.Family.Sum(key), key, n)
}

// AddNString is [HeavyHitters.AddN] for a string.
func (h *HeavyHitters) AddNString(key string, n uint64) {
	observe(&h.tracker, h.config.Family.SumString(key), key, n)
}

// AddAll counts every key once. It does the same as [HeavyHitters.Add] on each,
// in less time.
func (h *HeavyHitters) AddAll(keys [][]byte) { observeAll(&h.tracker, h.config.Family, keys) }

// Estimate returns what is known of how often key was counted, whether it is a
// heavy hitter or not. O(1) time, no allocation.
func (h *HeavyHitters) Estimate(key []byte) Estimate {
	return h.estimate(h.config.Family.Sum(key))
}

// EstimateString is [HeavyHitters.Estimate] for a string.
func (h *HeavyHitters) EstimateString(key string) Estimate {
	return h.estimate(h.config.Family.SumString(key))
}

// EstimateDigest is [HeavyHitters.Estimate] for a key already hashed by the
// family of Params().
func (h *HeavyHitters) EstimateDigest(d hashfam.Digest) Estimate { return h.estimate(d) }

// EstimateAll appends the answer of [HeavyHitters.Estimate] for each key to dst
// and returns the extended slice. It allocates only where dst has to grow.
func (h *HeavyHitters) EstimateAll(dst []Estimate, keys [][]byte) []Estimate {
	return estimateAll(&h.tracker, h.config.Family, dst, keys)
}

// All yields the heavy hitters, each with what is known of its count, in
// falling order of Count and, where that is equal, rising order of the key. A
// key is there whose Count is at least [HeavyHitters.Threshold]; it is certain
// to be a heavy hitter if its Low is too. O(r log r) time and O(r) memory for r
// reported keys, at the time it is iterated; h must not be changed meanwhile.
func (h *HeavyHitters) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) {
		h.ranked(h.Threshold(), math.MaxInt)(yield)
	}
}

// Threshold returns the count from which on a key is now a heavy hitter: Phi
// times the total, rounded up; at least 1. What rounding can do to a Phi such
// as 1/50 is made good: 20 of 1,000 is a heavy hitter.
func (h *HeavyHitters) Threshold() uint64 {
	return max(1, uint64(math.Ceil(h.config.Phi*float64(h.total)*(1-1e-15))))
}

// Complete reports whether every heavy hitter is certain to be among those of
// All now. It is false while memory does not suffice: MemoryBytes is too small
// for the number and the length of the keys that occur that often, or for the
// noise of all others. It may become true again.
func (h *HeavyHitters) Complete() bool { return h.missBound() < h.Threshold() }

// MissBound returns the most that any key may count that is not tracked. Every
// key that counts more is among those of All if that reaches the threshold.
func (h *HeavyHitters) MissBound() uint64 { return h.missBound() }

// Total returns how much has been counted.
func (h *HeavyHitters) Total() uint64 { return h.total }

// Params returns what h is.
func (h *HeavyHitters) Params() HeavyConfig { return h.config }

// SizeBytes returns the memory that h holds, in bytes: itself, counters, index
// and keys.
func (h *HeavyHitters) SizeBytes() uint64 { return h.sizeBytes() }

// Merge adds the counts of other to h. Keys that either tracks are tracked, as
// far as memory suffices; the merged counters are asked for what they counted
// before. A merge is less exact than one structure over the whole stream: the
// counters' noise adds up. Every guarantee holds.
//
// Shards may be merged in any order. Every order gives the same answer while
// the merged structure tracks all the keys that the shards do and no estimate
// has reached 2^32-1. Where keys have to go, as after an Add, the order decides
// which of the rare ones stay, and so how close the bounds of a rare key are.
//
// O(memory of both) time; it allocates. Merge returns [ErrIncompatible] if the
// Params differ, and h is then unchanged.
func (h *HeavyHitters) Merge(other *HeavyHitters) error {
	if err := h.compatible(other); err != nil {
		return err
	}
	h.merge(&other.tracker)
	return nil
}

// Reset forgets everything.
func (h *HeavyHitters) Reset() { h.tracker = h.tracker.fresh() }

// Clone returns a copy that shares nothing with h.
func (h *HeavyHitters) Clone() *HeavyHitters {
	return &HeavyHitters{config: h.config, tracker: h.clone()}
}

// Equal reports whether h and other have the same Params and have counted the
// same, key by key and counter by counter.
func (h *HeavyHitters) Equal(other *HeavyHitters) bool {
	return other != nil && h.config == other.config && h.equal(&other.tracker)
}
