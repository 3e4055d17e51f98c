package countmin

import (
	"iter"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// TopK finds the K keys that occur most in a stream. Unlike [HeavyHitters] it
// has no threshold to hold a key against, so it promises nothing beforehand;
// but [TopK.Complete] tells whether the K keys it reports are certain to be the
// most frequent, and every bound it reports holds. Make one with [NewTopK].
type TopK struct {
	config TopKConfig
	tracker
}

// NewTopK returns what finds the most frequent keys of a stream. An impossible
// configuration is an [ErrParams] that names the field.
func NewTopK(c TopKConfig) (*TopK, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &TopK{config: c, tracker: newTracker(c.plan())}, nil
}

// Add counts key once. O(1) time amortised, at most four cache misses but for
// the sweeps; it allocates only where memory grows. key is not kept, but copied
// when it is first tracked.
func (k *TopK) Add(key []byte) { observe(&k.tracker, k.config.Family.Sum(key), key, 1) }

// AddString is [TopK.Add] for a string.
func (k *TopK) AddString(key string) {
	observe(&k.tracker, k.config.Family.SumString(key), key, 1)
}

// AddN counts key n times at once, in the time of one [TopK.Add]. Counts stop
// at the largest uint64 and never wrap.
func (k *TopK) AddN(key []byte, n uint64) { observe(&k.tracker, k.config.Family.Sum(key), key, n) }

// AddNString is [TopK.AddN] for a string.
func (k *TopK) AddNString(key string, n uint64) {
	observe(&k.tracker, k.config.Family.SumString(key), key, n)
}

// AddAll counts every key once. It does the same as [TopK.Add] on each, in less
// time.
func (k *TopK) AddAll(keys [][]byte) { observeAll(&k.tracker, k.config.Family, keys) }

// Estimate returns what is known of how often key was counted, whether it is
// among the top or not. O(1) time, no allocation.
func (k *TopK) Estimate(key []byte) Estimate { return k.estimate(k.config.Family.Sum(key)) }

// EstimateString is [TopK.Estimate] for a string.
func (k *TopK) EstimateString(key string) Estimate {
	return k.estimate(k.config.Family.SumString(key))
}

// EstimateDigest is [TopK.Estimate] for a key already hashed by the family of
// Params().
func (k *TopK) EstimateDigest(d hashfam.Digest) Estimate { return k.estimate(d) }

// EstimateAll appends the answer of [TopK.Estimate] for each key to dst and
// returns the extended slice. It allocates only where dst has to grow.
func (k *TopK) EstimateAll(dst []Estimate, keys [][]byte) []Estimate {
	return estimateAll(&k.tracker, k.config.Family, dst, keys)
}

// All yields the K keys of highest Count, or as many as there are, each with
// what is known of its count, in falling order of Count and, where that is
// equal, rising order of the key. O(r log r) time and O(r) memory for r tracked
// keys, at the time it is iterated; k must not be changed meanwhile.
func (k *TopK) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) {
		k.ranked(0, k.config.K)(yield)
	}
}

// Complete reports whether the keys of All are now certain to be the most
// frequent: none of them can count less than any other key may. Where a key
// outside counts as much as the last one inside, either may be reported. It
// takes the time of All.
func (k *TopK) Complete() bool {
	rank, least, outside := 0, uint64(math.MaxUint64), k.missBound()
	for _, e := range k.ranked(0, math.MaxInt) {
		if rank++; rank <= k.config.K {
			least = min(least, e.Low)
			continue
		}
		outside = max(outside, e.High)
		break
	}
	if outside == math.MaxUint64 {
		return false // a zero TopK
	}
	return rank >= k.config.K && least >= outside || outside == 0 && rank <= k.config.K
}

// MissBound returns the most that any key may count that is not tracked.
func (k *TopK) MissBound() uint64 { return k.missBound() }

// Total returns how much has been counted.
func (k *TopK) Total() uint64 { return k.total }

// Params returns what k is.
func (k *TopK) Params() TopKConfig { return k.config }

// SizeBytes returns the memory that k holds, in bytes: itself, counters, index
// and keys.
func (k *TopK) SizeBytes() uint64 { return k.sizeBytes() }

// Merge adds the counts of other to k, as [HeavyHitters.Merge] does, with the
// same remark on the order of merges. A key may be among the top of the whole
// and of neither part, and be missed; [TopK.Complete] tells. O(memory of both)
// time; it allocates. Merge returns [ErrIncompatible] if the Params differ, and
// k is then unchanged.
func (k *TopK) Merge(other *TopK) error {
	if err := k.compatible(other); err != nil {
		return err
	}
	k.merge(&other.tracker)
	return nil
}

// Reset forgets everything.
func (k *TopK) Reset() { k.tracker = k.fresh() }

// Clone returns a copy that shares nothing with k.
func (k *TopK) Clone() *TopK { return &TopK{config: k.config, tracker: k.clone()} }

// Equal reports whether k and other have the same Params and have counted the
// same, key by key and counter by counter.
func (k *TopK) Equal(other *TopK) bool {
	return other != nil && k.config == other.config && k.equal(&other.tracker)
}
