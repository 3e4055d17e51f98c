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
	trackers, err := checkShards(&heavyKind, shards, func(h *HeavyHitters) *tracker.Tracker { return &h.tracker })
	if err != nil {
		return nil, err
	}
	c := shards[0].Params()
	return &HeavyHitters{c.Family, tracker.Join(c.goal(), slices.Values(trackers))}, nil
}

// JoinTopK is [JoinHeavyHitters] for a [TopK].
func JoinTopK(shards []*TopK) (*TopK, error) {
	trackers, err := checkShards(&topKind, shards, func(k *TopK) *tracker.Tracker { return &k.tracker })
	if err != nil {
		return nil, err
	}
	c := shards[0].Params()
	return &TopK{c.Family, tracker.Join(c.goal(), slices.Values(trackers))}, nil
}

// checkShards returns the trackers of the shards. It returns an error unless
// there are shards, all of one Params, and each tracks keys of its own only.
func checkShards[S any, P comparable](
	kind *fault.Kind[S, P], shards []*S, trackerOf func(*S) *tracker.Tracker,
) ([]*tracker.Tracker, error) {
	if len(shards) == 0 {
		return nil, errs.Field(ErrParams, "number of shards", 0, "at least 1")
	}
	trackers := make([]*tracker.Tracker, len(shards))
	for i, s := range shards {
		place := placeOf(i)
		if err := kind.Whole(ErrParams, place, s); err != nil {
			return nil, err
		}
		if err := kind.Compatible(place, shards[0], s); err != nil {
			return nil, err
		}
		trackers[i] = trackerOf(s)
	}
	for i, t := range trackers {
		if t.Stray(i, len(shards)) {
			return nil, errs.Field(ErrIncompatible, placeOf(i), "one with a key of another shard",
				fmt.Sprintf("keys whose digests d have d.Shard(%d) = %d", len(shards), i))
		}
	}
	return trackers, nil
}

// placeOf names a shard in errors.
func placeOf(i int) string { return fmt.Sprintf("shards[%d]", i) }
