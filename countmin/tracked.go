package countmin

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// An Estimate contains bounds: a key's true count is never below Low and never
// above High. The bounds of a [Window] are for the part of the stream that it
// covers, which can be longer than its Keys or Span, so Low may be above the
// count in the last Keys keys or the last Span.
//
// If you need to show a single number, use High, since it is usually closer to
// the true count, and All sorts by it. But after merging structures without
// MemoryBytes, use Low. Under "Heavy hitters", docs/theory.md lists the errors
// of High and Low.
type Estimate struct{ Low, High uint64 }

// A tracked contains everything that HeavyHitters and Window have in common.
// Its scope is the part of the stream that it covers.
type tracked[S scope[S]] struct {
	scope  S
	family hashfam.Family
	panes  tracker.Panes // one for the whole stream, or those of a window
}

// A scope is whole, for HeavyHitters, or recent, for Window. A recent contains
// the window's configuration and position.
type scope[S any] interface {
	comparable

	// goal returns which keys to report: those that make up a fraction phi of
	// total, or the first k. One of phi and k is 0.
	goal(panes *tracker.Panes) (phi float64, k int, total uint64)

	encode(fam hashfam.Family, panes *tracker.Panes) (frame.Header, frame.Payload, error)
	decode(r *frame.Reader, fam hashfam.Family) (S, tracker.Panes, error)
}

// made returns t. It panics if t is zero: it has no panes.
func (t *tracked[S]) made() *tracked[S] {
	if t.panes.All == nil {
		panic(tracker.Zero)
	}
	return t
}

// Family returns the family that hashes the keys.
func (t *tracked[S]) Family() hashfam.Family { return t.family }

// Add counts key once. It runs in O(1) amortized time, usually with up to four
// cache misses unless keys are evicted. When the structure begins to track key,
// Add copies it. Add allocates only if memory grows, the counters are resized
// or keys are evicted.
func (t *tracked[S]) Add(key []byte) { tracker.Observe(&t.panes, t.family.Sum(key), key, 1) }

// AddString is like Add for a string key.
func (t *tracked[S]) AddString(key string) {
	tracker.Observe(&t.panes, t.family.SumString(key), key, 1)
}

// AddDigest is like Add for a key and its digest, which must be computed by the
// structure's family. With any other digest, different keys can be counted as
// one, and an encoding of the structure usually cannot be decoded.
func (t *tracked[S]) AddDigest(d hashfam.Digest, key []byte) { tracker.Observe(&t.panes, d, key, 1) }

// AddAll calls AddDigest for each key. digests[i] must be the digest of
// keys[i]. If the slices have different lengths, AddAll returns
// [hashfam.ErrParams] and counts nothing.
func (t *tracked[S]) AddAll(digests []hashfam.Digest, keys [][]byte) error {
	if len(digests) != len(keys) {
		return errs.Field(hashfam.ErrParams, "len(digests)", len(digests), fmt.Sprintf("%d, the number of keys", len(keys)))
	}
	panes := &t.made().panes
	for i, d := range digests {
		tracker.Observe(panes, d, keys[i], 1)
	}
	return nil
}

// AddN counts key n times, usually in the time of a single call of Add. The
// bounds of key may be tighter than after n calls. Counts stop at
// math.MaxUint64 and never wrap around.
func (t *tracked[S]) AddN(key []byte, n uint64) { t.made().panes.ObserveN(t.family.Sum(key), key, n) }

// Estimate returns the bounds of key's count, whether or not key is frequent.
func (t *tracked[S]) Estimate(key []byte) Estimate { return t.EstimateDigest(t.family.Sum(key)) }

// EstimateString is like Estimate for a string key.
func (t *tracked[S]) EstimateString(key string) Estimate {
	return t.EstimateDigest(t.family.SumString(key))
}

// EstimateDigest is like Estimate for a key's digest, which must be computed by
// the structure's family.
func (t *tracked[S]) EstimateDigest(d hashfam.Digest) Estimate {
	return Estimate(tracker.EstimateOf(t.made().panes.All, d))
}

// EstimateAll appends the result of EstimateDigest for each digest to dst and
// returns the extended slice. It allocates only if dst must grow.
func (t *tracked[S]) EstimateAll(dst []Estimate, digests []hashfam.Digest) []Estimate {
	panes := &t.made().panes
	dst = slices.Grow(dst, len(digests))
	for _, d := range digests {
		dst = append(dst, Estimate(tracker.EstimateOf(panes.All, d)))
	}
	return dst
}

// All yields the frequent keys and their estimated counts, sorted by descending
// High and then by ascending key. With Phi, these are the tracked keys whose
// High reaches Threshold. If a key's Low reaches Phi times Total, too, the key
// is certain to make up this fraction of what was counted. With K, these are
// the first K tracked keys in this order, or fewer if fewer keys have been
// counted or fit in MemoryBytes.
func (t *tracked[S]) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) {
		list, _ := t.list()
		for _, i := range list {
			if !yield(i.Key, Estimate(i.Estimate)) {
				return
			}
		}
	}
}

// list returns the keys that All yields, and the highest High of any other
// tracked key, or 0 if there is none.
func (t *tracked[S]) list() (list []tracker.Item, next uint64) {
	if _, k, _ := t.scope.goal(&t.panes); k > 0 {
		return tracker.Ranked(t.panes.All, 0, k)
	}
	return tracker.Ranked(t.panes.All, t.Threshold(), math.MaxInt)
}

// Threshold returns the lowest High with which All yields a key. It is never 0.
//
// With Phi, it is Phi times the total, rounded up. Threshold tolerates the
// rounding of a Phi such as 1/50, so a key that was counted 20 times out of
// 1,000 is a heavy hitter. In a [Window], which also covers older keys, this
// total includes only keys that are certain to be among the last Keys keys, or
// in the last Span.
//
// With K, it is the High of the last of the K keys, or 1 if fewer than K keys
// are tracked. If more keys have this High, All omits those that come later in
// its order. With K, Threshold must sort the tracked keys as All does.
func (t *tracked[S]) Threshold() uint64 {
	phi, k, total := t.scope.goal(&t.panes)
	if k == 0 {
		return threshold(phi, total)
	}
	list, _ := t.list()
	if len(list) < k {
		return 1
	}
	return list[k-1].High
}

// threshold returns phi times the total, rounded up, but never 0.
func threshold(phi float64, total uint64) uint64 {
	return max(1, uint64(math.Ceil(phi*float64(total)*(1-1e-15))))
}

// Complete reports whether the keys of All are certain to be the right ones.
//
// With Phi, it reports whether All yields every key whose count reaches the
// current Threshold. This is false while MemoryBytes is too small for the
// number and the length of the frequent keys, or for the noise of all others.
//
// With K, it reports whether no other key can have a higher count than one of
// the K. If another key has the same count as the last of the K keys, All may
// yield either. With K, Complete must sort the tracked keys as All does.
func (t *tracked[S]) Complete() bool {
	_, k, _ := t.scope.goal(&t.panes)
	if k == 0 {
		return t.MissBound() < t.Threshold()
	}
	list, omitted := t.list()
	omitted = max(omitted, t.MissBound())
	least := uint64(math.MaxUint64)
	for _, i := range list {
		least = min(least, i.Low)
	}
	return len(list) == k && least >= omitted || omitted == 0
}

// OmittedBound returns an upper bound on the count of any key that All does not
// yield. Such a key is either not tracked, or its High is too low for the list.
// OmittedBound must sort the tracked keys as All does.
func (t *tracked[S]) OmittedBound() uint64 {
	_, next := t.made().list()
	return max(next, t.MissBound())
}

// Total returns the sum of all counts, which stops at math.MaxUint64.
func (t *tracked[S]) Total() uint64 { return tracker.TotalOf(t.panes.All) }

// MissBound returns an upper bound on the count of any key that is not tracked.
// Since All can also omit tracked keys, with higher counts, MissBound is not a
// bound for all keys that All omits; use OmittedBound.
func (t *tracked[S]) MissBound() uint64 { return t.panes.MissBound() }

// clone returns a deep copy of t.
func (t *tracked[S]) clone() tracked[S] { return tracked[S]{t.scope, t.family, t.panes.Clone()} }

// equal reports whether t and other have the same scope, family and goals and
// have counted the same.
func (t *tracked[S]) equal(other *tracked[S]) bool {
	return t.scope == other.scope && t.family == other.family && t.panes.Equal(&other.panes)
}

// checkGoal returns an error for the given reason that names the invalid field
// of config, unless either phi or k is given and valid.
func checkGoal(config string, phi float64, k int, reason error) error {
	switch {
	case phi != 0 && !(phi > 0 && phi <= 1), phi == 0 && k == 0, phi == 0 && math.Signbit(phi):
		return errs.Field(reason, config+".Phi", phi, "above 0 and at most 1, or K")
	case phi != 0 && k != 0:
		return errs.Field(reason, config+".K", k, "0 if Phi is given")
	case phi == 0 && (k < 0 || k > tracker.MaxK):
		return errs.Field(reason, config+".K", k, fmt.Sprintf("1 to %d, or Phi", tracker.MaxK))
	}
	return nil
}

// checkMemory returns an error for the given reason that names the field if
// bytes is not 0 and not a valid budget.
func checkMemory(field string, bytes, least int, reason error) error {
	if bytes != 0 && (bytes < least || bytes > tracker.MaxMemory) {
		return errs.Field(reason, field, bytes, fmt.Sprintf("%d to %d, or 0", least, uint64(tracker.MaxMemory)))
	}
	return nil
}

// describe describes a structure that tracks keys.
func describe(name string, phi float64, k int, of string, bytes int, fam hashfam.Family) string {
	goal := fmt.Sprint("phi ", phi)
	if k > 0 {
		goal = fmt.Sprint("k ", k)
	}
	memory := "memory as needed"
	if bytes > 0 {
		memory = fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("countmin.%s(%s%s, %s, family %v)", name, goal, of, memory, fam)
}
