package countmin

import (
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/internal/fault"
)

// JoinHeavyHitters returns what the shards of a stream have counted together.
// shards[i] has counted all occurrences of the keys whose digests d have
// d.Shard(len(shards)) equal to i, and no other keys. Since no key is in two
// shards, no error of one shard adds to that of another, and the result is as
// good as if one structure had counted the whole; [HeavyHitters.MergeAll] has
// to assume that a key may be in all of them. O(memory of all) time; it
// allocates. The shards stay as they are.
//
// It returns [ErrParams] if there are no shards, or if one is nil or zero, and
// [ErrIncompatible] if their Params differ or if one tracks a key of another
// one. It cannot see keys that are not tracked: if those are in the wrong
// shard, counts may be too low.
func JoinHeavyHitters(shards []*HeavyHitters) (*HeavyHitters, error) {
	trackers := make([]*tracker.Tracker, len(shards))
	for i, s := range shards {
		place := fmt.Sprintf("shards[%d]", i)
		switch {
		case s == nil:
			return nil, errs.Field(ErrParams, place, "nil", "heavy hitters")
		case s.tracker.Phi == 0:
			return nil, errs.Zero(ErrParams, place, "HeavyHitters", "NewHeavyHitters")
		}
		if err := fault.Same(errs, place, "HeavyConfig", shards[0].Params(), s.Params()); err != nil {
			return nil, err
		}
		trackers[i] = &s.tracker
	}
	if err := checkShards(trackers); err != nil {
		return nil, err
	}
	c := shards[0].Params()
	return &HeavyHitters{c.Family, tracker.Join(c.goal(), slices.Values(trackers))}, nil
}

// JoinTopK is [JoinHeavyHitters] for a [TopK].
func JoinTopK(shards []*TopK) (*TopK, error) {
	trackers := make([]*tracker.Tracker, len(shards))
	for i, s := range shards {
		place := fmt.Sprintf("shards[%d]", i)
		switch {
		case s == nil:
			return nil, errs.Field(ErrParams, place, "nil", "a top k")
		case s.tracker.K == 0:
			return nil, errs.Zero(ErrParams, place, "TopK", "NewTopK")
		}
		if err := fault.Same(errs, place, "TopKConfig", shards[0].Params(), s.Params()); err != nil {
			return nil, err
		}
		trackers[i] = &s.tracker
	}
	if err := checkShards(trackers); err != nil {
		return nil, err
	}
	c := shards[0].Params()
	return &TopK{c.Family, tracker.Join(c.goal(), slices.Values(trackers))}, nil
}

// checkShards returns an error unless there are shards, and each tracks keys of
// its own only.
func checkShards(shards []*tracker.Tracker) error {
	if len(shards) == 0 {
		return errs.Field(ErrParams, "number of shards", 0, "at least 1")
	}
	for i, s := range shards {
		if s.Stray(i, len(shards)) {
			return errs.Field(ErrIncompatible, fmt.Sprintf("shards[%d]", i), "one with a key of another shard",
				fmt.Sprintf("keys whose digests d have d.Shard(%d) = %d", len(shards), i))
		}
	}
	return nil
}
