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
// others, no allocation. It returns the errors of Merge, and s is then
// unchanged.
func (s *Sketch) MergeAll(others ...*Sketch) error {
	if s == nil {
		return errs.Nil()
	}
	if err := fault.Each(errs, others, s.compatible); err != nil {
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
// [HeavyHitters.Merge], and bounds at least as close as one merge after the
// other does: keys for which memory does not suffice go once, at the end, when
// all counts are known. The order of others matters only if that of single
// merges does: see [HeavyHitters.Merge]. O(memory of all) time; it allocates.
// MergeAll returns the errors of Merge, and h is then unchanged.
func (h *HeavyHitters) MergeAll(others ...*HeavyHitters) error {
	if h == nil {
		return errs.Nil()
	}
	if err := fault.Each(errs, others, h.compatible); err != nil {
		return err
	}
	trackers := make([]*tracker.Tracker, len(others))
	for i, other := range others {
		trackers[i] = &other.tracker
	}
	h.tracker.Merge(trackers...)
	return nil
}

// compatible returns an error unless h and other can be merged.
func (h *HeavyHitters) compatible(other *HeavyHitters) error {
	if other == nil {
		return errs.Field(ErrIncompatible, "other", "nil", "heavy hitters")
	}
	return fault.Same(errs, "HeavyConfig", h.Params(), other.Params())
}

// MergeAll merges all others into k at once. Its bounds are at least as close
// as those of one [TopK.Merge] after the other. O(memory of all) time; it
// allocates. It returns the errors of Merge, and k is then unchanged.
func (k *TopK) MergeAll(others ...*TopK) error {
	if k == nil {
		return errs.Nil()
	}
	if err := fault.Each(errs, others, k.compatible); err != nil {
		return err
	}
	trackers := make([]*tracker.Tracker, len(others))
	for i, other := range others {
		trackers[i] = &other.tracker
	}
	k.tracker.Merge(trackers...)
	return nil
}

// compatible returns an error unless k and other can be merged.
func (k *TopK) compatible(other *TopK) error {
	if other == nil {
		return errs.Field(ErrIncompatible, "other", "nil", "a top k")
	}
	return fault.Same(errs, "TopKConfig", k.Params(), other.Params())
}
