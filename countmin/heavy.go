package countmin

import (
	"fmt"
	"iter"
	"log/slog"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// A HeavyConfig describes which heavy hitters to find. Structures with equal
// HeavyConfigs can be merged.
type HeavyConfig struct {
	// Phi is the fraction of the total that makes a key a heavy hitter: 0.001
	// is one in a thousand. It must be above 0 and must not exceed 1.
	Phi float64

	// MemoryBytes limits the memory for everything that the structure holds:
	// counters, index and keys. It must be 1,024 or more. The arrays grow with
	// the keys until they reach this limit. Go's allocator may round them up by
	// as much as an eighth, and while they grow, and while counters are widened
	// or make room for keys, up to twice as much memory is used for a moment.
	//
	// If it is 0, memory grows as the guarantee requires. The structure then
	// tracks up to about 7/Phi keys, whether or not they are heavy hitters. It
	// typically uses 80/Phi to 350/Phi bytes, but up to 40 KB if that is more,
	// plus the bytes of long keys. If untrusted parties choose the keys, you
	// should limit their length: with a Phi of 0.001, 6,700 keys of 10 KB use
	// 67 MB.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// goal returns the tracker's goal, or an error for the given reason that names
// the invalid field.
func (c HeavyConfig) goal(reason error) (tracker.Goal, error) {
	if !(c.Phi > 0 && c.Phi <= 1) {
		return tracker.Goal{}, errs.Field(reason, "HeavyConfig.Phi", c.Phi, "above 0 and at most 1")
	}
	g := tracker.Goal{Phi: c.Phi, Memory: uint64(c.MemoryBytes)}
	return g, checkMemory("HeavyConfig.MemoryBytes", c.MemoryBytes, tracker.MinMemory, reason)
}

// HeavyHitters finds the keys that make up a fraction Phi of a stream, or more.
// The length of the stream need not be known. At any moment, HeavyHitters
// reports every key whose count reaches Phi times the current total, and a few
// others with counts just below. [HeavyHitters.Complete] reports whether the
// memory is large enough for this guarantee. Use [NewHeavyHitters] to create
// one. It must not be copied by value; use [HeavyHitters.Clone].
type HeavyHitters struct{ single }

// NewHeavyHitters returns an empty HeavyHitters. It returns an [ErrParams]
// error that names the field if the configuration is invalid.
func NewHeavyHitters(c HeavyConfig) (*HeavyHitters, error) {
	g, err := c.goal(ErrParams)
	if err != nil {
		return nil, err
	}
	return &HeavyHitters{newSingle(c.Family, tracker.New(g))}, nil
}

// NewHeavyReceiver returns an empty HeavyHitters for decoding data that was
// encoded with fam.
func NewHeavyReceiver(fam hashfam.Family) *HeavyHitters {
	return &HeavyHitters{single{tracked{family: fam}}}
}

// JoinHeavyHitters returns the combined counts of a stream's shards. shards[i]
// must have counted all occurrences of the keys with digests d for which
// d.Shard(len(shards)) is i, and no other keys. Since no key is in two shards,
// their errors do not add up as they do in [HeavyHitters.Merge], and the result
// is as accurate as a single structure that counted everything. The shards
// remain unchanged.
//
// JoinHeavyHitters returns [ErrParams] if there are no shards, and
// [ErrIncompatible] if their Configs differ or if one tracks another's key. It
// cannot detect untracked keys in the wrong shard, whose counts may then be too
// low.
func JoinHeavyHitters(shards []*HeavyHitters) (*HeavyHitters, error) {
	t, err := join("HeavyConfig", shards)
	if err != nil {
		return nil, err
	}
	return &HeavyHitters{newSingle(shards[0].family, t)}, nil
}

// Config returns the configuration of h.
func (h *HeavyHitters) Config() HeavyConfig {
	g := h.goal()
	return HeavyConfig{Phi: g.Phi, MemoryBytes: int(g.Memory), Family: h.family}
}

// All yields the heavy hitters and their estimated counts, sorted by descending
// High and then by ascending key. These are the keys whose High reaches
// [HeavyHitters.Threshold]. If a key's Low reaches it, too, the key is certain
// to be a heavy hitter.
func (h *HeavyHitters) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) { h.rank(h.Threshold(), math.MaxInt, yield) }
}

// Threshold returns the lowest count that currently makes a key a heavy hitter:
// Phi times the total, rounded up, but never 0. It tolerates the rounding of a
// Phi such as 1/50: a key that was counted 20 times out of 1,000 is a heavy
// hitter.
func (h *HeavyHitters) Threshold() uint64 { return threshold(h.goal().Phi, h.Total()) }

// Complete reports whether All is certain to yield every current heavy hitter.
// It is false if MemoryBytes is too small for the number and the length of the
// frequent keys, or for the noise of all others. It may become true again.
func (h *HeavyHitters) Complete() bool { return h.MissBound() < h.Threshold() }

// Merge adds the counts of the other structures to h. If the memory is large
// enough, h will then track every key that any other structure tracks. The part
// of a key's count that was not tracked is estimated using the merged counters.
// All guarantees hold after a merge, but because the noise of the counters adds
// up, it is less accurate than a single structure for the whole stream.
//
// Merge evicts keys only once, after all counts are known, so a single call
// with many structures usually gives tighter bounds than many calls, except for
// rare keys. Structures can be merged in any order. Without MemoryBytes, the
// order does not matter as long as the merged structure tracks all the keys
// that the parts track and no estimate has reached 2^32-1. Otherwise the order
// decides which rare keys remain. With MemoryBytes, it also affects all bounds
// that are not exact, because the number of counters decreases when they are
// widened.
//
// If the Config of another structure differs, Merge returns [ErrIncompatible]
// and leaves h unchanged.
func (h *HeavyHitters) Merge(others ...*HeavyHitters) error { return merge("HeavyConfig", h, others) }

// Clone returns a deep copy of h.
func (h *HeavyHitters) Clone() *HeavyHitters { return &HeavyHitters{single{h.clone()}} }

// Equal reports whether h and other have the same Config and have counted the
// same: all keys and counters are equal.
func (h *HeavyHitters) Equal(other *HeavyHitters) bool { return h.equal(&other.tracked) }

// String describes h in one line.
func (h HeavyHitters) String() string {
	c := h.Config()
	return describe("HeavyHitters", fmt.Sprint("phi ", c.Phi), c.MemoryBytes, c.Family)
}

// Format prints the result of String for every verb.
func (h HeavyHitters) Format(f fmt.State, _ rune) { fmt.Fprint(f, h.String()) }

// LogValue returns the result of String for package log/slog.
func (h HeavyHitters) LogValue() slog.Value { return slog.StringValue(h.String()) }

// A single tracks the whole stream in a single pane, for HeavyHitters or TopK.
type single struct{ tracked }

func newSingle(fam hashfam.Family, t tracker.Tracker) single {
	return single{tracked{fam, tracker.NewPanes([]tracker.Tracker{t}, 0)}}
}

// goal returns the tracker's goal, or the zero Goal if s is zero.
func (s *single) goal() (g tracker.Goal) {
	if t := s.panes.Last; t != nil {
		g = t.Goal
	}
	return g
}

// SizeBytes returns the memory that the structure holds, in bytes: the
// structure itself, counters, index and keys.
func (s *single) SizeBytes() uint64 { return s.panes.SizeBytes() }

// Reset removes all counts and keys.
func (s *single) Reset() { *s.made().Last = tracker.New(s.goal()) }

// A singular structure is a *HeavyHitters or a *TopK with a configuration of
// type C.
type singular[C comparable] interface {
	made() *tracker.Panes
	Config() C
}

// merge merges others into s, either all or none. name is the name of C.
func merge[C comparable, S singular[C]](name string, s S, others []S) error {
	t := s.made().Last
	if err := fault.Mergeable(errs, name, s.Config(), others, S.Config); err != nil {
		return err
	}
	var trackers []*tracker.Tracker
	for _, other := range others {
		trackers = append(trackers, other.made().Last)
	}
	t.Merge(trackers...)
	return nil
}

// join returns a tracker with the combined counts of a stream's shards. It
// returns an error if there are no shards, if their configurations differ, or
// if one tracks another's key.
func join[C comparable, S singular[C]](name string, shards []S) (none tracker.Tracker, err error) {
	if len(shards) == 0 {
		return none, errs.Field(ErrParams, "number of shards", 0, "at least 1")
	}
	var trackers []*tracker.Tracker
	for i, s := range shards {
		place := fmt.Sprintf("shards[%d]", i)
		if err := fault.Same(errs, place, name, shards[0].Config(), s.Config()); err != nil {
			return none, err
		}
		trackers = append(trackers, s.made().Last)
		if trackers[i].Stray(i, len(shards)) {
			return none, errs.Field(ErrIncompatible, place, "a structure with a key of another shard",
				fmt.Sprintf("keys whose digests d have d.Shard(%d) = %d", len(shards), i))
		}
	}
	return tracker.Join(trackers), nil
}
