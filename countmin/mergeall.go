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

// heavyKind says how errors about merges and joins name a HeavyHitters.
var heavyKind = fault.Kind[HeavyHitters, HeavyConfig]{
	Errs: errs, Name: "HeavyHitters", One: "heavy hitters", Constructor: "NewHeavyHitters", Params: "HeavyConfig",
	Of: func(h *HeavyHitters) (HeavyConfig, bool) { return h.Params(), h.tracker.Phi == 0 },
}

// compatible is Sketch.compatible for a HeavyHitters.
func (h *HeavyHitters) compatible(place string, other *HeavyHitters) error {
	return heavyKind.Compatible(place, h, other)
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

// topKind says how errors about merges and joins name a TopK.
var topKind = fault.Kind[TopK, TopKConfig]{
	Errs: errs, Name: "TopK", One: "a top k", Constructor: "NewTopK", Params: "TopKConfig",
	Of: func(k *TopK) (TopKConfig, bool) { return k.Params(), k.tracker.K == 0 },
}

// compatible is Sketch.compatible for a TopK.
func (k *TopK) compatible(place string, other *TopK) error {
	return topKind.Compatible(place, k, other)
}
