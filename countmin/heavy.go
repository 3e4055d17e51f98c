package countmin

import (
	"fmt"
	"log/slog"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/merge"
)

// HeavyHitters finds the frequent keys of a stream, whose length need not be
// known. With Phi, it reports every key whose count reaches Phi times the
// current total, and a few others, whose counts are usually just below. With K,
// it reports the K keys with the highest counts. [HeavyHitters.Complete]
// reports whether the keys are certain to be the right ones. With Phi, Complete
// returns true if there is enough memory.
//
// Use [NewHeavyHitters] to create a HeavyHitters. It must not be copied by
// value; use [HeavyHitters.Clone] instead.
type HeavyHitters struct{ tracked[whole] }

// usualBytes returns EstimatedBytes for a goal.
func usualBytes(g tracker.Goal) uint64 {
	const fewest, perKey, perHitter, most = 40_000, 640, 350, 1 << 62
	switch {
	case g.Memory > 0:
		return g.Memory
	case g.K > 0:
		return max(fewest, perKey*uint64(g.K))
	}
	return uint64(min(max(fewest, perHitter/g.Phi), most))
}

// NewHeavyHitters returns an empty HeavyHitters for c. It returns
// [hashfam.ErrParams], naming the field, if c is invalid.
func NewHeavyHitters(c HeavyConfig) (*HeavyHitters, error) {
	g, err := c.goal(hashfam.ErrParams)
	if err != nil {
		return nil, err
	}
	return onePane(c.Family, tracker.New(g)), nil
}

// onePane returns a HeavyHitters whose only pane, for the whole stream, is t.
func onePane(fam hashfam.Family, t tracker.Tracker) *HeavyHitters {
	return &HeavyHitters{tracked[whole]{family: fam, panes: tracker.NewPanes([]tracker.Tracker{t}, 0)}}
}

// NewHeavyReceiver returns an empty HeavyHitters for decoding data that was
// encoded with fam.
func NewHeavyReceiver(fam hashfam.Family) *HeavyHitters {
	return &HeavyHitters{tracked[whole]{family: fam}}
}

// JoinHeavyHitters returns the combined counts of a stream's shards. shards[i]
// must have counted all occurrences of the keys with digests d for which
// d.Shard(len(shards)) is i, and no other keys. Since no key is in two shards,
// the errors of the shards do not add up as they do in [HeavyHitters.Merge],
// and the result is as accurate as a single structure that counted everything.
// The shards remain unchanged.
//
// JoinHeavyHitters returns [hashfam.ErrParams] if there are no shards, and
// [hashfam.ErrIncompatible] if their Configs differ or if a shard tracks a key
// of another shard. It cannot detect untracked keys in the wrong shard, whose
// counts may then be too low.
func JoinHeavyHitters(shards []*HeavyHitters) (*HeavyHitters, error) {
	if len(shards) == 0 {
		return nil, errs.Field(hashfam.ErrParams, "number of shards", 0, "at least 1")
	}
	var trackers []*tracker.Tracker
	for i, s := range shards {
		place := fmt.Sprintf("shards[%d]", i)
		if s == nil {
			return nil, errs.Field(hashfam.ErrIncompatible, place, "nil", "a structure")
		}
		if err := merge.Same(errs, place, "HeavyConfig", shards[0].Config(), s.Config()); err != nil {
			return nil, err
		}
		t := s.made().panes.Last
		if t.Stray(i, len(shards)) {
			return nil, errs.Field(hashfam.ErrIncompatible, place, "a structure with a key of another shard",
				fmt.Sprintf("keys whose digests d have d.Shard(%d) = %d", len(shards), i))
		}
		trackers = append(trackers, t)
	}
	return onePane(shards[0].family, tracker.Join(trackers)), nil
}

// whole is the scope of HeavyHitters: the whole stream, in a single pane.
type whole struct{}

func (whole) goal(panes *tracker.Panes) (phi float64, k int, total uint64) {
	g := goalOf(panes)
	return g.Phi, g.K, tracker.TotalOf(panes.All)
}

// goalOf returns the goal of the last pane, or the zero Goal if there is none.
func goalOf(panes *tracker.Panes) tracker.Goal {
	if panes.Last == nil {
		return tracker.Goal{}
	}
	return panes.Last.Goal
}

// Config returns the configuration of h.
func (h *HeavyHitters) Config() HeavyConfig {
	g := goalOf(&h.panes)
	return HeavyConfig{Phi: g.Phi, K: g.K, MemoryBytes: int(g.Memory), Family: h.family}
}

// SizeBytes returns the memory that h holds, in bytes: the structure itself,
// counters, index and keys.
func (h *HeavyHitters) SizeBytes() uint64 { return h.panes.SizeBytes() }

// Reset removes all counts and keys.
func (h *HeavyHitters) Reset() { *h.made().panes.Last = tracker.New(goalOf(&h.panes)) }

// Merge adds the counts of the other structures to h. If the memory is large
// enough, h will then track every key that any of the structures tracked. The
// part of a key's count that was not tracked is estimated using the merged
// counters. All guarantees hold after a merge, but because the noise of the
// counters adds up, the result is less accurate than a single structure for the
// whole stream.
//
// Merge evicts keys only once, after all counts are known, unless the tracked
// keys of all structures need about 4 GiB or more. So one call with many
// structures usually gives tighter bounds than many calls, except for rare
// keys.
//
// Structures can be merged in any order. The order affects which rare keys
// remain if the merged structure cannot track all the keys that the parts
// track. With MemoryBytes, the order also affects all bounds that are not
// exact, because it decides when counters become wider, which halves their
// number.
//
// With K, Merge can miss a key that is among the top K of the whole stream but
// not of any part. [HeavyHitters.Complete] then returns false.
//
// If the Config of another structure differs, Merge returns
// [hashfam.ErrIncompatible] and leaves h unchanged. Merging h with itself
// doubles all counts.
func (h *HeavyHitters) Merge(others ...*HeavyHitters) error {
	t := h.made().panes.Last
	if err := merge.Mergeable(errs, "HeavyConfig", h.Config(), others, (*HeavyHitters).Config); err != nil {
		return err
	}
	var trackers []*tracker.Tracker
	for _, other := range others {
		trackers = append(trackers, other.made().panes.Last)
	}
	t.Merge(trackers...)
	return nil
}

// Clone returns a deep copy of h.
func (h *HeavyHitters) Clone() *HeavyHitters { return &HeavyHitters{h.clone()} }

// Equal reports whether h and other have the same Config and have counted the
// same: all keys and counters are equal.
func (h *HeavyHitters) Equal(other *HeavyHitters) bool {
	return other != nil && h.equal(&other.tracked)
}

// String describes h in one line.
func (h HeavyHitters) String() string {
	c := h.Config()
	return describe("HeavyHitters", c.Phi, c.K, "", c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (h HeavyHitters) Format(f fmt.State, _ rune) { fmt.Fprint(f, h.String()) }

// LogValue returns the result of String for package log/slog.
func (h HeavyHitters) LogValue() slog.Value { return slog.StringValue(h.String()) }
