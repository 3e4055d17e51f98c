package countmin

import (
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A TopKConfig says how many of the most frequent keys are wanted. Structures
// with equal ones can be merged.
type TopKConfig struct {
	// K is how many keys are reported: 1 to 2^28.
	K int

	// MemoryBytes bounds everything that is held, as in a [HeavyConfig]. At
	// least 1,024. If it is 0, memory grows up to about 610 bytes for each of
	// the K keys, or up to 40 KB if that is more, and the bytes of long keys.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family if untrusted parties choose keys.
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
type TopK struct{ single }

// NewTopK returns an empty TopK. O(MemoryBytes) time. It returns an [ErrParams]
// error that names the field if the configuration is impossible.
func NewTopK(c TopKConfig) (*TopK, error) {
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	return &TopK{newSingle(c.Family, tracker.New(c.goal()))}, nil
}

// NewTopKReceiver returns an empty TopK to decode into. It accepts encodings
// made under fam. O(1) time.
func NewTopKReceiver(fam hashfam.Family) *TopK { return &TopK{single{tracked{family: fam}}} }

// ReadTopKConfig is [ReadHeavyConfig] for a top k.
func ReadTopKConfig(r io.Reader, fam hashfam.Family) (TopKConfig, error) {
	g, err := singleFormat(frame.TopK).ReadHeader(r, fam)
	if err != nil {
		return TopKConfig{}, err
	}
	return TopKConfig{K: g.K, MemoryBytes: g.Memory, Family: fam}, nil
}

// JoinTopK is [JoinHeavyHitters] for a [TopK].
func JoinTopK(shards []*TopK) (*TopK, error) {
	t, err := join("TopKConfig", shards)
	if err != nil {
		return nil, err
	}
	return &TopK{newSingle(shards[0].family, t)}, nil
}

// Config returns the configuration of k. O(1) time.
func (k *TopK) Config() TopKConfig {
	g := k.goal()
	return TopKConfig{K: g.K, MemoryBytes: g.Memory, Family: k.family}
}

// All yields the K keys of highest High, or as many as there are, each with
// what is known of its count, in falling order of High and, if that is equal,
// rising order of the key. O(r log r) time and O(r) memory for r tracked keys,
// at the time it is iterated; k must not be changed meanwhile.
func (k *TopK) All() iter.Seq2[string, Estimate] {
	return k.ranked(func() (uint64, int) { return 0, k.goal().K })
}

// Complete reports whether the keys of All are now certain to be the most
// frequent: none of them can count less than any other key may. If a key
// outside counts as much as the last one inside, either may be reported. O(r
// log r) time for r tracked keys, as All.
func (k *TopK) Complete() bool {
	wanted := k.goal().K
	rank, least, outside := 0, uint64(math.MaxUint64), k.MissBound()
	for _, e := range tracker.Ranked(k.panes.All, 0, wanted+1) {
		if rank++; rank > wanted {
			outside = max(outside, e.High)
			break
		}
		least = min(least, e.Low)
	}
	return rank >= wanted && least >= outside || outside == 0
}

// Merge adds the counts of others to k, as [HeavyHitters.Merge] does, with the
// same remarks on the number and the order of merges. A key may be among the
// top of the whole and of no part, and be missed; [TopK.Complete] then returns
// false. O(memory of all) time; it allocates. Merge returns [ErrIncompatible]
// if the Config of one of others differs, and k is then unchanged.
func (k *TopK) Merge(others ...*TopK) error { return merge("TopKConfig", k, others) }

// Clone returns a copy that shares no memory with k. O(memory) time.
func (k *TopK) Clone() *TopK { return &TopK{single{tracked{k.family, k.panes.Clone()}}} }

// Equal reports whether k and other have the same Config and have counted the
// same, key by key and counter by counter. O(memory) time.
func (k *TopK) Equal(other *TopK) bool {
	return k.Config() == other.Config() && k.panes.Equal(&other.panes)
}
