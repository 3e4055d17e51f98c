package countmin

import (
	"fmt"
	"iter"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// A TopKConfig says how many of the most frequent keys are wanted. It is also
// the Params of what it makes: structures with equal ones can be merged.
type TopKConfig struct {
	// K is how many keys are reported: 1 to 2^28.
	K int

	// MemoryBytes bounds everything that is held, as in a [HeavyConfig]. At
	// least 1,024. If it is 0, memory grows up to about 610 bytes for each of
	// the K keys, or up to 40 KB if that is more, and the bytes of long keys.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family if strangers choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// check returns an error for the given reason, which names the field, unless c
// is possible.
func (c TopKConfig) check(reason error) error {
	if c.K < 1 || c.K > tracker.MaxK {
		return errs.Field(reason, "TopKConfig.K", c.K, fmt.Sprintf("1 to %d", tracker.MaxK))
	}
	return checkMemory("TopKConfig.MemoryBytes", c.MemoryBytes, reason)
}

// goal returns what c asks of a tracker.
func (c TopKConfig) goal() tracker.Goal { return tracker.Goal{K: c.K, Memory: c.MemoryBytes} }

// TopK finds the K keys that occur most in a stream. Unlike [HeavyHitters] it
// has no threshold to compare a key with, so it gives no guarantee in advance;
// but [TopK.Complete] tells whether the K keys it reports are certain to be the
// most frequent, and every bound it reports holds. Make one with [NewTopK]. It
// must not be copied by value; use [TopK.Clone].
type TopK struct {
	family  hashfam.Family
	tracker tracker.Tracker
}

// NewTopK returns an empty TopK. O(MemoryBytes) time. It returns an [ErrParams]
// error that names the field if the configuration is impossible.
func NewTopK(c TopKConfig) (*TopK, error) {
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	return &TopK{c.Family, tracker.New(c.goal())}, nil
}

// Params returns the configuration of k. O(1) time.
func (k *TopK) Params() TopKConfig {
	return TopKConfig{K: k.tracker.K, MemoryBytes: k.tracker.Memory, Family: k.family}
}

// Add counts key once. O(1) time, amortized, and at most four cache misses
// apart from sweeps; it allocates only if memory grows. key is not kept, but
// copied when it is first tracked.
func (k *TopK) Add(key []byte) { tracker.Observe(&k.tracker, k.family.Sum(key), key, 1) }

// AddString is [TopK.Add] for a string.
func (k *TopK) AddString(key string) {
	tracker.Observe(&k.tracker, k.family.SumString(key), key, 1)
}

// AddDigest is [TopK.Add] for a key already hashed by the family of Params(). d
// must be the digest of key. Otherwise the counts of different keys are added
// up under one of them.
func (k *TopK) AddDigest(d hashfam.Digest, key []byte) { tracker.Observe(&k.tracker, d, key, 1) }

// AddN counts key n times at once. It is like [TopK.Add] in time and memory.
// Counts stop at the largest uint64 and never wrap.
func (k *TopK) AddN(key []byte, n uint64) {
	tracker.Observe(&k.tracker, k.family.Sum(key), key, n)
}

// AddNString is [TopK.AddN] for a string.
func (k *TopK) AddNString(key string, n uint64) {
	tracker.Observe(&k.tracker, k.family.SumString(key), key, n)
}

// AddAll counts every key once. It does the same as [TopK.Add] on each, in less
// time. O(1) time a key, amortized; no key is kept.
func (k *TopK) AddAll(keys [][]byte) { observeAll(&k.tracker, k.family, keys) }

// AddAllDigests is [TopK.AddAll] for keys already hashed by the family of
// Params(): digests[i] must be the digest of keys[i]. It returns [ErrParams],
// and counts nothing, if there are not as many digests as keys.
func (k *TopK) AddAllDigests(digests []hashfam.Digest, keys [][]byte) error {
	if k == nil {
		return errs.Nil()
	}
	return observeDigests(&k.tracker, digests, keys)
}

// AddAllStrings is [TopK.AddAll] for strings.
func (k *TopK) AddAllStrings(keys []string) { observeAll(&k.tracker, k.family, keys) }

// AddSeq counts every key of a sequence once. A key needs to be valid only
// until the sequence yields the next one. O(1) time a key, amortized.
func (k *TopK) AddSeq(keys iter.Seq[[]byte]) {
	for key := range keys {
		k.Add(key)
	}
}

// Estimate returns what is known of how often key was counted, whether it is
// among the top or not. O(1) time, no allocation.
func (k *TopK) Estimate(key []byte) Estimate {
	return Estimate(k.tracker.Estimate(k.family.Sum(key)))
}

// EstimateString is [TopK.Estimate] for a string.
func (k *TopK) EstimateString(key string) Estimate {
	return Estimate(k.tracker.Estimate(k.family.SumString(key)))
}

// EstimateDigest is [TopK.Estimate] for a key already hashed by the family of
// Params().
func (k *TopK) EstimateDigest(d hashfam.Digest) Estimate { return Estimate(k.tracker.Estimate(d)) }

// EstimateAll appends the answer of [TopK.Estimate] for each key to dst and
// returns the extended slice. O(1) time a key; it allocates only if dst has to
// grow.
func (k *TopK) EstimateAll(dst []Estimate, keys [][]byte) []Estimate {
	return estimateAll(&k.tracker, k.family, dst, keys)
}

// EstimateAllStrings is [TopK.EstimateAll] for strings.
func (k *TopK) EstimateAllStrings(dst []Estimate, keys []string) []Estimate {
	return estimateAll(&k.tracker, k.family, dst, keys)
}

// EstimateAllDigests is [TopK.EstimateAll] for keys already hashed by the
// family of Params().
func (k *TopK) EstimateAllDigests(dst []Estimate, digests []hashfam.Digest) []Estimate {
	return estimateBlock(&k.tracker, dst, digests)
}

// All yields the K keys of highest Count, or as many as there are, each with
// what is known of its count, in falling order of Count and, if that is equal,
// rising order of the key. O(r log r) time and O(r) memory for r tracked keys,
// at the time it is iterated; k must not be changed meanwhile.
func (k *TopK) All() iter.Seq2[string, Estimate] {
	return ranked(&k.tracker, func() (uint64, int) { return 0, k.tracker.K })
}

// Complete reports whether the keys of All are now certain to be the most
// frequent: none of them can count less than any other key may. If a key
// outside counts as much as the last one inside, either may be reported. O(r
// log r) time for r tracked keys, as All.
func (k *TopK) Complete() bool {
	rank, least, outside := 0, uint64(math.MaxUint64), k.MissBound()
	for _, e := range k.tracker.Ranked(0, math.MaxInt) {
		if rank++; rank <= k.tracker.K {
			least = min(least, e.Low)
			continue
		}
		outside = max(outside, e.High)
		break
	}
	if outside == math.MaxUint64 {
		return false // a zero TopK
	}
	return rank >= k.tracker.K && least >= outside || outside == 0 && rank <= k.tracker.K
}

// MissBound returns an upper bound on the count of any untracked key. O(1)
// time.
func (k *TopK) MissBound() uint64 { return k.tracker.MissBound() }

// Total returns how much has been counted. O(1) time.
func (k *TopK) Total() uint64 { return k.tracker.Total() }

// SizeBytes returns the memory that k holds, in bytes: itself, counters, index
// and keys. O(1) time.
func (k *TopK) SizeBytes() uint64 { return k.tracker.SizeBytes() }

// Merge adds the counts of other to k, as [HeavyHitters.Merge] does, with the
// same remark on the order of merges. A key may be among the top of the whole
// and of neither part, and be missed; [TopK.Complete] then returns false.
// O(memory of both) time; it allocates. Merge returns [ErrIncompatible] if the
// Params differ, or [ErrParams] if k is a zero TopK, and k is then unchanged.
func (k *TopK) Merge(other *TopK) error {
	if err := k.compatible("", other); err != nil {
		return err
	}
	k.tracker.Merge(&other.tracker)
	return nil
}

// Reset forgets everything. O(MemoryBytes) time; it allocates.
func (k *TopK) Reset() { k.tracker = k.tracker.Fresh() }

// Clone returns a copy that shares nothing with k. O(memory) time.
func (k *TopK) Clone() *TopK { return &TopK{k.family, k.tracker.Clone()} }

// Equal reports whether k and other have the same Params and have counted the
// same, key by key and counter by counter. O(memory) time.
func (k *TopK) Equal(other *TopK) bool {
	return other != nil && k.Params() == other.Params() && k.tracker.Equal(&other.tracker)
}
