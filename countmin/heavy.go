package countmin

import (
	"io"
	"iter"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A HeavyConfig says which heavy hitters are wanted. Structures with equal ones
// can be merged.
type HeavyConfig struct {
	// Phi is the share of the total from which on a key is reported: 0.001 is
	// one in a thousand. Above 0, at most 1.
	Phi float64

	// MemoryBytes bounds everything that is held: counters, index and the bytes
	// of keys. At least 1,024. Go's allocator may round these arrays up, by an
	// eighth at most. Up to twice as much is allocated for a moment when
	// counters make room for keys, which happens a few times at most, and in
	// the first Add after decoding or merging.
	//
	// If it is 0, memory grows as the guarantee needs. Up to about 7/Phi keys
	// are tracked then, whether or not they reach Phi, typically in 80 to 350
	// bytes/Phi, or up to 40 KB if that is more, and the bytes of long keys. If
	// untrusted parties choose the keys, bound their length: 6,700 keys of 10
	// KB take 67 MB at a Phi of 0.001.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family if untrusted parties choose keys.
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
type HeavyHitters struct{ single }

// NewHeavyHitters returns an empty HeavyHitters. O(MemoryBytes) time. It
// returns an [ErrParams] error that names the field if the configuration is
// impossible.
func NewHeavyHitters(c HeavyConfig) (*HeavyHitters, error) {
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	return &HeavyHitters{newSingle(c.Family, tracker.New(c.goal()))}, nil
}

// NewHeavyReceiver returns an empty HeavyHitters to decode into. It accepts
// encodings made under fam. O(1) time.
func NewHeavyReceiver(fam hashfam.Family) *HeavyHitters {
	return &HeavyHitters{single{tracked{family: fam}}}
}

// ReadHeavyConfig reads the header of encoded heavy hitters from r, and no
// more, and returns their configuration. The errors are those of
// [HeavyHitters.ReadFrom]. O(1) time and memory.
func ReadHeavyConfig(r io.Reader, fam hashfam.Family) (HeavyConfig, error) {
	g, err := singleFormat(frame.HeavyHitters).ReadHeader(r, fam)
	if err != nil {
		return HeavyConfig{}, err
	}
	return HeavyConfig{Phi: g.Phi, MemoryBytes: g.Memory, Family: fam}, nil
}

// JoinHeavyHitters returns what the shards of a stream have counted together.
// shards[i] has counted all occurrences of the keys whose digests d have
// d.Shard(len(shards)) equal to i, and no other keys. Since no key is in two
// shards, no error of one shard adds to that of another, and the result is as
// good as if one structure had counted the whole; [HeavyHitters.Merge] has to
// assume that a key may be in all of them. O(memory of all) time; it allocates.
// The shards stay as they are.
//
// It returns [ErrParams] if there are no shards, and [ErrIncompatible] if their
// Configs differ or if one tracks a key of another one. It cannot see keys that
// are not tracked: if those are in the wrong shard, counts may be too low.
func JoinHeavyHitters(shards []*HeavyHitters) (*HeavyHitters, error) {
	t, err := join("HeavyConfig", shards)
	if err != nil {
		return nil, err
	}
	return &HeavyHitters{newSingle(shards[0].family, t)}, nil
}

// Config returns the configuration of h. O(1) time.
func (h *HeavyHitters) Config() HeavyConfig {
	g := h.goal()
	return HeavyConfig{Phi: g.Phi, MemoryBytes: g.Memory, Family: h.family}
}

// All yields the heavy hitters, each with what is known of its count, in
// falling order of High and, if that is equal, rising order of the key. They
// are the keys whose High is at least [HeavyHitters.Threshold]; a key whose Low
// is at least the threshold is certain to be a heavy hitter. O(r log r) time
// and O(r) memory for r reported keys, at the time it is iterated; h must not
// be changed meanwhile.
func (h *HeavyHitters) All() iter.Seq2[string, Estimate] {
	return h.ranked(func() (uint64, int) { return h.Threshold(), math.MaxInt })
}

// Threshold returns the count from which on a key is now a heavy hitter: Phi
// times the total, rounded up; at least 1. Rounding of a Phi such as 1/50 is
// tolerated: 20 of 1,000 is a heavy hitter. O(1) time.
func (h *HeavyHitters) Threshold() uint64 { return threshold(h.goal().Phi, h.Total()) }

// threshold returns the share phi of a total, rounded up, and at least 1.
func threshold(phi float64, total uint64) uint64 {
	return max(1, uint64(math.Ceil(phi*float64(total)*(1-1e-15))))
}

// Complete reports whether every heavy hitter is certain to be among those of
// All now. It is false while memory does not suffice: MemoryBytes is too small
// for the number and the length of the keys that occur that often, or for the
// noise of all others. It may become true again. O(1) time.
func (h *HeavyHitters) Complete() bool { return h.MissBound() < h.Threshold() }

// Merge adds the counts of others to h. Keys that any of them tracks are
// tracked, as far as memory suffices; their counts before they were tracked are
// estimated from the merged counters. A merge is less exact than one structure
// over the whole stream: the counters' noise adds up. Every guarantee holds.
//
// Prefer one call with many others to many calls: keys for which memory does
// not suffice go once, at the end, when all counts are known, and on the whole
// the bounds are closer; those of a rare key may be wider.
//
// Shards may be merged in any order. Without MemoryBytes every order gives the
// same answer while the merged structure tracks all the keys that the shards do
// and no estimate has reached 2^32-1. Otherwise the order decides which rare
// keys stay; with MemoryBytes also how close all bounds are that are not exact,
// since counters that get wider become fewer.
//
// O(memory of all) time; it allocates. Merge returns [ErrIncompatible] if the
// Config of one of others differs, and h is then unchanged.
func (h *HeavyHitters) Merge(others ...*HeavyHitters) error { return merge("HeavyConfig", h, others) }

// Clone returns a copy that shares no memory with h. O(memory) time.
func (h *HeavyHitters) Clone() *HeavyHitters {
	return &HeavyHitters{single{tracked{h.family, h.panes.Clone()}}}
}

// Equal reports whether h and other have the same Config and have counted the
// same, key by key and counter by counter. O(memory) time.
func (h *HeavyHitters) Equal(other *HeavyHitters) bool {
	return h.Config() == other.Config() && h.panes.Equal(&other.panes)
}
