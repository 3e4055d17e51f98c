package countmin

import (
	"fmt"
	"iter"
	"log/slog"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// A TopKConfig describes how many of the most frequent keys to find. Structures
// with equal TopKConfigs can be merged.
type TopKConfig struct {
	// K is the number of keys to report, from 1 to 2^28.
	K int

	// MemoryBytes limits the memory as in a [HeavyConfig]. It must be 1,024 or
	// more. If it is 0, memory grows up to about 610 bytes per reported key, or
	// up to 40 KB if that is more, plus the bytes of long keys.
	MemoryBytes int

	// Family hashes the keys, as in a [HeavyConfig].
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// goal returns the tracker's goal, or an error for the given reason that names
// the invalid field.
func (c TopKConfig) goal(reason error) (tracker.Goal, error) {
	if c.K < 1 || c.K > tracker.MaxK {
		return tracker.Goal{}, errs.Field(reason, "TopKConfig.K", c.K, fmt.Sprintf("1 to %d", tracker.MaxK))
	}
	g := tracker.Goal{K: c.K, Memory: uint64(c.MemoryBytes)}
	return g, checkMemory("TopKConfig.MemoryBytes", c.MemoryBytes, tracker.MinMemory, reason)
}

// TopK finds a stream's K most frequent keys. Unlike [HeavyHitters], it has no
// threshold that decides which keys must be reported, so it cannot guarantee a
// result in advance. But [TopK.Complete] reports whether the K keys are certain
// to be the most frequent, and all bounds always hold. Use [NewTopK] to create
// one. It must not be copied by value; use [TopK.Clone].
type TopK struct{ single }

// NewTopK returns an empty TopK. It returns an [ErrParams] error that names the
// field if the configuration is invalid.
func NewTopK(c TopKConfig) (*TopK, error) {
	g, err := c.goal(ErrParams)
	if err != nil {
		return nil, err
	}
	return &TopK{newSingle(c.Family, tracker.New(g))}, nil
}

// NewTopKReceiver returns an empty TopK for decoding data that was encoded with
// fam.
func NewTopKReceiver(fam hashfam.Family) *TopK { return &TopK{single{tracked{family: fam}}} }

// JoinTopK is like [JoinHeavyHitters] for a [TopK].
func JoinTopK(shards []*TopK) (*TopK, error) {
	t, err := join("TopKConfig", shards)
	if err != nil {
		return nil, err
	}
	return &TopK{newSingle(shards[0].family, t)}, nil
}

// Config returns the configuration of k.
func (k *TopK) Config() TopKConfig {
	g := k.goal()
	return TopKConfig{K: g.K, MemoryBytes: int(g.Memory), Family: k.family}
}

// All yields the K keys with the highest High, or fewer if fewer keys are
// tracked, and their estimated counts. They are sorted by descending High and
// then by ascending key.
func (k *TopK) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) { k.rank(0, k.goal().K, yield) }
}

// Complete reports whether the keys of All are currently certain to be the most
// frequent: no other key can have a higher count than one of these. If another
// key may have the same count as the last of these keys, either can be
// reported. Complete sorts the tracked keys as All does.
func (k *TopK) Complete() bool {
	wanted, least, outside := k.goal().K, uint64(math.MaxUint64), k.MissBound()
	top := tracker.Ranked(k.panes.All, 0, wanted+1)
	if len(top) > wanted {
		top, outside = top[:wanted], max(outside, top[wanted].High)
	}
	for _, i := range top {
		least = min(least, i.Low)
	}
	return len(top) == wanted && least >= outside || outside == 0
}

// Merge adds the counts of the other structures to k, in the same way as
// [HeavyHitters.Merge]; the same advice on the number and the order of merges
// applies. Merge can miss a key that is among the top K of the whole but not of
// any part. [TopK.Complete] then returns false. If the Config of another
// structure differs, Merge returns [ErrIncompatible] and leaves k unchanged.
func (k *TopK) Merge(others ...*TopK) error { return merge("TopKConfig", k, others) }

// Clone returns a deep copy of k.
func (k *TopK) Clone() *TopK { return &TopK{single{k.clone()}} }

// Equal reports whether k and other have the same Config and have counted the
// same: all keys and counters are equal.
func (k *TopK) Equal(other *TopK) bool { return k.equal(&other.tracked) }

// String describes k in one line.
func (k TopK) String() string {
	c := k.Config()
	return describe("TopK", fmt.Sprint("k ", c.K), c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (k TopK) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// LogValue returns the result of String for package log/slog.
func (k TopK) LogValue() slog.Value { return slog.StringValue(k.String()) }
