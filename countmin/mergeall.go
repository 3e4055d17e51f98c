package countmin

import (
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/internal/fault"
)

// mergeBlock is how many counters MergeAll adds up at a time: those of one
// sketch fit into the smallest cache.
const mergeBlock = 2048

// MergeAll merges all others into s, as [Sketch.Merge] with each of them in
// turn does, in less time: s is read and written once. O(k w d) time for k
// others, no allocation. It returns the errors of Merge, with the place in
// others, and s is then unchanged.
func (s *Sketch) MergeAll(others ...*Sketch) error {
	if s == nil {
		return errs.Nil()
	}
	if err := fault.Each(others, s.compatible); err != nil {
		return err
	}
	for from := 0; from < len(s.narrow); from += mergeBlock {
		to := min(from+mergeBlock, len(s.narrow))
		for _, other := range others {
			addAll(s.narrow[from:to], other.narrow[from:to])
		}
	}
	for from := 0; from < len(s.wide); from += mergeBlock {
		to := min(from+mergeBlock, len(s.wide))
		for _, other := range others {
			addAll(s.wide[from:to], other.wide[from:to])
		}
	}
	for _, other := range others {
		s.total = addSat(s.total, other.total)
	}
	return nil
}

// MergeAll merges all others into h at once. It gives the guarantees of
// [HeavyHitters.Merge]. On the whole its bounds are closer than after one merge
// after the other, because keys for which memory does not suffice go once, at
// the end, when all counts are known; those of a rare key may be wider. The
// order of others matters only if that of single merges does: see
// [HeavyHitters.Merge]. O(memory of all) time; it allocates. MergeAll returns
// the errors of Merge, with the place in others, and h is then unchanged.
func (h *HeavyHitters) MergeAll(others ...*HeavyHitters) error {
	if h == nil {
		return errs.Nil()
	}
	if err := fault.Each(others, h.compatible); err != nil {
		return err
	}
	trackers := make([]*tracker.Tracker, len(others))
	for i, other := range others {
		trackers[i] = &other.tracker
	}
	h.tracker.Merge(trackers...)
	return nil
}

// compatible returns an error unless h and other can be merged. place is that
// of Sketch.compatible.
func (h *HeavyHitters) compatible(place string, other *HeavyHitters) error {
	switch {
	case h == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, fault.Other(place), "nil", "heavy hitters")
	case h.Params() == other.Params():
		return nil
	case h.tracker.Phi == 0:
		return errs.Zero(ErrParams, "receiver", "HeavyHitters", "NewHeavyHitters")
	case other.tracker.Phi == 0:
		return errs.Zero(ErrIncompatible, fault.Other(place), "HeavyHitters", "NewHeavyHitters")
	}
	return fault.Same(errs, place, "HeavyConfig", h.Params(), other.Params())
}

// MergeAll merges all others into k at once. On the whole its bounds are closer
// than after one [TopK.Merge] after the other; those of a rare key may be
// wider. O(memory of all) time; it allocates. It returns the errors of Merge,
// and k is then unchanged.
func (k *TopK) MergeAll(others ...*TopK) error {
	if k == nil {
		return errs.Nil()
	}
	if err := fault.Each(others, k.compatible); err != nil {
		return err
	}
	trackers := make([]*tracker.Tracker, len(others))
	for i, other := range others {
		trackers[i] = &other.tracker
	}
	k.tracker.Merge(trackers...)
	return nil
}

// compatible returns an error unless k and other can be merged. place is that
// of Sketch.compatible.
func (k *TopK) compatible(place string, other *TopK) error {
	switch {
	case k == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, fault.Other(place), "nil", "a top k")
	case k.Params() == other.Params():
		return nil
	case k.tracker.K == 0:
		return errs.Zero(ErrParams, "receiver", "TopK", "NewTopK")
	case other.tracker.K == 0:
		return errs.Zero(ErrIncompatible, fault.Other(place), "TopK", "NewTopK")
	}
	return fault.Same(errs, place, "TopKConfig", k.Params(), other.Params())
}
