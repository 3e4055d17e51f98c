package countmin

import (
	"fmt"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// A single tracks a whole stream in one pane: HeavyHitters or TopK.
type single struct{ tracked }

func newSingle(fam hashfam.Family, t tracker.Tracker) single {
	return single{tracked{fam, tracker.NewPanes([]tracker.Tracker{t}, 0)}}
}

// only returns the tracker, or nil if s is zero.
func (s *single) only() *tracker.Tracker { return s.panes.Last() }

// goal returns what is to be found; the zero Goal if s is zero.
func (s *single) goal() tracker.Goal {
	if s.only() == nil {
		return tracker.Goal{}
	}
	return s.only().Goal
}

// SizeBytes returns the memory that the structure holds, in bytes: itself,
// counters, index and keys. O(1) time.
func (s *single) SizeBytes() uint64 { return s.panes.SizeBytes() }

// Reset forgets everything. O(MemoryBytes) time; it allocates.
func (s *single) Reset() { *s.only() = tracker.New(s.goal()) }

// A singular structure is a *HeavyHitters or a *TopK, made from a C.
type singular[C comparable] interface {
	only() *tracker.Tracker
	Config() C
}

// merge merges others into s, all or none. name is that of C.
func merge[C comparable, S singular[C]](name string, s S, others []S) error {
	if err := fault.Mergeable(errs, name, s.Config(), others, S.Config); err != nil {
		return err
	}
	s.only().Merge(trackersOf(others)...)
	return nil
}

// join returns a tracker of what the shards of a stream have counted. It
// returns an error unless there are shards, all of one C, and each tracks keys
// of its own only.
func join[C comparable, S singular[C]](name string, shards []S) (tracker.Tracker, error) {
	if len(shards) == 0 {
		return tracker.Tracker{}, paramError("number of shards", 0, "at least 1")
	}
	for i, s := range shards {
		if err := fault.Same(errs, placeOf(i), name, shards[0].Config(), s.Config()); err != nil {
			return tracker.Tracker{}, err
		}
	}
	for i, s := range shards {
		if s.only().Stray(i, len(shards)) {
			return tracker.Tracker{}, errs.Field(ErrIncompatible, placeOf(i), "one with a key of another shard",
				fmt.Sprintf("keys whose digests d have d.Shard(%d) = %d", len(shards), i))
		}
	}
	return tracker.Join(trackersOf(shards)), nil
}

// placeOf names a shard in errors.
func placeOf(i int) string { return fmt.Sprintf("shards[%d]", i) }

func trackersOf[S interface{ only() *tracker.Tracker }](structures []S) []*tracker.Tracker {
	trackers := make([]*tracker.Tracker, len(structures))
	for i, s := range structures {
		trackers[i] = s.only()
	}
	return trackers
}
