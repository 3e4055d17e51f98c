package countmin

import (
	"iter"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// A HeavyConfig says which heavy hitters are wanted. It is also the Params of
// what it makes: structures with equal ones can be merged.
type HeavyConfig struct {
	// Phi is the share of the total from which on a key is reported: 0.001 is
	// one in a thousand. Above 0, at most 1.
	Phi float64

	// MemoryBytes bounds everything that is held: counters, index and the bytes
	// of keys. At least 1,024. Up to twice as much is allocated for a moment
	// when counters make room for keys, which happens a few times at most, and
	// in the first Add after decoding or merging.
	//
	// If it is 0, memory grows as the guarantee needs. Up to about 7/Phi keys
	// are tracked then, whether or not they reach Phi, typically in 80 to 350
	// bytes/Phi, or up to 40 KB if that is more, and the bytes of long keys. If
	// others choose the keys, bound their length: 6,700 keys of 10 KB take 67
	// MB at a Phi of 0.001.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family if strangers choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// check returns an error for the given reason, which names the field, unless c
// is possible.
func (c HeavyConfig) check(reason error) error {
	if !(c.Phi > 0 && c.Phi <= 1) {
		return errs.Field(reason, "HeavyConfig.Phi", c.Phi, "above 0 and at most 1")
	}
	return checkMemory("HeavyConfig.MemoryBytes", c.MemoryBytes, reason)
}

// goal returns what c asks of a tracker.
func (c HeavyConfig) goal() tracker.Goal { return tracker.Goal{Phi: c.Phi, Memory: c.MemoryBytes} }

// HeavyHitters finds the keys that make up at least a share Phi of a stream
// whose length need not be known. At any moment it reports every key whose
// count is at least Phi times the total, and few others, whose counts are just
// below; [HeavyHitters.Complete] says whether memory suffices for that. Make
// one with [NewHeavyHitters]. It must not be copied by value; use
// [HeavyHitters.Clone].
type HeavyHitters struct {
	family  hashfam.Family
	tracker tracker.Tracker
}

// NewHeavyHitters returns an empty HeavyHitters. O(MemoryBytes) time. It
// returns an [ErrParams] error that names the field if the configuration is
// impossible.
func NewHeavyHitters(c HeavyConfig) (*HeavyHitters, error) {
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	return &HeavyHitters{c.Family, tracker.New(c.goal())}, nil
}

// Params returns the configuration of h. O(1) time.
func (h *HeavyHitters) Params() HeavyConfig {
	return HeavyConfig{Phi: h.tracker.Phi, MemoryBytes: h.tracker.Memory, Family: h.family}
}

// Add counts key once. O(1) time, amortized, and at most four cache misses
// apart from sweeps; it allocates only if memory grows. key is not kept, but
// copied when it is first tracked.
func (h *HeavyHitters) Add(key []byte) { tracker.Observe(&h.tracker, h.family.Sum(key), key, 1) }

// AddString is [HeavyHitters.Add] for a string.
func (h *HeavyHitters) AddString(key string) {
	tracker.Observe(&h.tracker, h.family.SumString(key), key, 1)
}

// AddDigest is [HeavyHitters.Add] for a key already hashed by the family of
// Params(). d must be the digest of key. Otherwise the counts of different keys
// are added up under one of them.
func (h *HeavyHitters) AddDigest(d hashfam.Digest, key []byte) {
	tracker.Observe(&h.tracker, d, key, 1)
}

// AddN counts key n times at once. It is like [HeavyHitters.Add] in time and
// memory. Counts stop at the largest uint64 and never wrap.
func (h *HeavyHitters) AddN(key []byte, n uint64) {
	tracker.Observe(&h.tracker, h.family.Sum(key), key, n)
}

// AddNString is [HeavyHitters.AddN] for a string.
func (h *HeavyHitters) AddNString(key string, n uint64) {
	tracker.Observe(&h.tracker, h.family.SumString(key), key, n)
}

// AddAll counts every key once. It does the same as [HeavyHitters.Add] on each,
// in less time if there are eight keys or more. O(1) time a key, amortized; no
// key is kept.
func (h *HeavyHitters) AddAll(keys [][]byte) { observeAll(&h.tracker, h.family, keys) }

// AddAllDigests is [HeavyHitters.AddAll] for keys already hashed by the family
// of Params(): digests[i] must be the digest of keys[i]. It returns
// [ErrParams], and counts nothing, if there are not as many digests as keys.
func (h *HeavyHitters) AddAllDigests(digests []hashfam.Digest, keys [][]byte) error {
	if h == nil {
		return errs.Nil()
	}
	return observeDigests(&h.tracker, digests, keys)
}

// AddAllStrings is [HeavyHitters.AddAll] for strings.
func (h *HeavyHitters) AddAllStrings(keys []string) { observeAll(&h.tracker, h.family, keys) }

// AddSeq counts every key of a sequence once. A key needs to be valid only
// until the sequence yields the next one. O(1) time a key, amortized.
func (h *HeavyHitters) AddSeq(keys iter.Seq[[]byte]) {
	for key := range keys {
		h.Add(key)
	}
}

// Estimate returns what is known of how often key was counted, whether it is a
// heavy hitter or not. O(1) time, no allocation.
func (h *HeavyHitters) Estimate(key []byte) Estimate {
	return Estimate(h.tracker.Estimate(h.family.Sum(key)))
}

// EstimateString is [HeavyHitters.Estimate] for a string.
func (h *HeavyHitters) EstimateString(key string) Estimate {
	return Estimate(h.tracker.Estimate(h.family.SumString(key)))
}

// EstimateDigest is [HeavyHitters.Estimate] for a key already hashed by the
// family of Params().
func (h *HeavyHitters) EstimateDigest(d hashfam.Digest) Estimate {
	return Estimate(h.tracker.Estimate(d))
}

// EstimateAll appends the answer of [HeavyHitters.Estimate] for each key to dst
// and returns the extended slice. O(1) time a key; it allocates only if dst has
// to grow.
func (h *HeavyHitters) EstimateAll(dst []Estimate, keys [][]byte) []Estimate {
	return estimateAll(&h.tracker, h.family, dst, keys)
}

// EstimateAllStrings is [HeavyHitters.EstimateAll] for strings.
func (h *HeavyHitters) EstimateAllStrings(dst []Estimate, keys []string) []Estimate {
	return estimateAll(&h.tracker, h.family, dst, keys)
}

// EstimateAllDigests is [HeavyHitters.EstimateAll] for keys already hashed by
// the family of Params().
func (h *HeavyHitters) EstimateAllDigests(dst []Estimate, digests []hashfam.Digest) []Estimate {
	return estimateBlock(&h.tracker, dst, digests)
}

// All yields the heavy hitters, each with what is known of its count, in
// falling order of Count and, if that is equal, rising order of the key. They
// are the keys whose Count is at least [HeavyHitters.Threshold]; a key whose
// Low is at least the threshold is certain to be a heavy hitter. O(r log r)
// time and O(r) memory for r reported keys, at the time it is iterated; h must
// not be changed meanwhile.
func (h *HeavyHitters) All() iter.Seq2[string, Estimate] {
	return ranked(&h.tracker, func() (uint64, int) { return h.Threshold(), math.MaxInt })
}

// Threshold returns the count from which on a key is now a heavy hitter: Phi
// times the total, rounded up; at least 1. Rounding of a Phi such as 1/50 is
// tolerated: 20 of 1,000 is a heavy hitter. O(1) time.
func (h *HeavyHitters) Threshold() uint64 { return threshold(h.tracker.Phi, h.tracker.Total()) }

// threshold returns the share phi of a total, rounded up, and at least 1.
func threshold(phi float64, total uint64) uint64 {
	return max(1, uint64(math.Ceil(phi*float64(total)*(1-1e-15))))
}

// Complete reports whether every heavy hitter is certain to be among those of
// All now. It is false while memory does not suffice: MemoryBytes is too small
// for the number and the length of the keys that occur that often, or for the
// noise of all others. It may become true again. O(1) time.
func (h *HeavyHitters) Complete() bool { return h.MissBound() < h.Threshold() }

// MissBound returns an upper bound on the count of any untracked key. All
// includes every key that counts more, if that reaches the threshold. O(1)
// time.
func (h *HeavyHitters) MissBound() uint64 { return h.tracker.MissBound() }

// Total returns how much has been counted. O(1) time.
func (h *HeavyHitters) Total() uint64 { return h.tracker.Total() }

// SizeBytes returns the memory that h holds, in bytes: itself, counters, index
// and keys. O(1) time.
func (h *HeavyHitters) SizeBytes() uint64 { return h.tracker.SizeBytes() }

// Merge adds the counts of other to h. Keys that either tracks are tracked, as
// far as memory suffices; their counts before they were tracked are estimated
// from the merged counters. A merge is less exact than one structure over the
// whole stream: the counters' noise adds up. Every guarantee holds.
//
// Shards may be merged in any order. Without MemoryBytes every order gives the
// same answer while the merged structure tracks all the keys that the shards do
// and no estimate has reached 2^32-1. If keys have to go, as after an Add, the
// order decides which of the rare ones stay, and so how close the bounds of a
// rare key are. With MemoryBytes it also decides how close all bounds are that
// are not exact, since counters that get wider become fewer.
//
// O(memory of both) time; it allocates. Merge returns [ErrIncompatible] if the
// Params differ, or [ErrParams] if h is a zero HeavyHitters, and h is then
// unchanged.
func (h *HeavyHitters) Merge(other *HeavyHitters) error {
	if err := h.compatible("", other); err != nil {
		return err
	}
	h.tracker.Merge(&other.tracker)
	return nil
}

// Reset forgets everything. O(MemoryBytes) time; it allocates.
func (h *HeavyHitters) Reset() { h.tracker = h.tracker.Fresh() }

// Clone returns a copy that shares nothing with h. O(memory) time.
func (h *HeavyHitters) Clone() *HeavyHitters { return &HeavyHitters{h.family, h.tracker.Clone()} }

// Equal reports whether h and other have the same Params and have counted the
// same, key by key and counter by counter. O(memory) time.
func (h *HeavyHitters) Equal(other *HeavyHitters) bool {
	return other != nil && h.Params() == other.Params() && h.tracker.Equal(&other.tracker)
}
