package countmin

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// A Window finds the keys that make up at least a share Phi of the recent part
// of a stream: of its last W keys, or of what came in the last T. Make one with
// [NewWindow]. It must not be copied by value; use [Window.Clone].
//
// A Window is a ring of panes, each of which has counted a W/Panes or T/Panes
// of the stream as [HeavyHitters] does. When a pane is full, or its time is
// over, the oldest one is dropped. So the window always covers the last W keys,
// or the last T, and up to one pane more. If W is not a multiple of Panes, a
// pane has W/Panes keys, rounded up, and the window covers fewer than Panes
// keys more. Estimates and [Window.Total] are about what it covers.
// [Window.Threshold] is low enough that [Window.All] reports every key with a
// share of Phi of exactly the last W keys or T.
//
// Time is what the caller says it is: see [Window.Advance]. A Window has no
// clock and no goroutine. Two Windows cannot be merged.
type Window struct {
	config WindowConfig
	panes  []tracker.Tracker // the oldest first, Panes+1 of them; zero until it counts
	timed  bool              // whether the time is known
	pane   int64             // the number of the last pane, counted from 1970
}

// NewWindow returns an empty window. O(Panes) time; a pane is allocated when it
// first counts. It returns an [ErrParams] error that names the field if the
// configuration is impossible.
func NewWindow(c WindowConfig) (*Window, error) {
	c = c.complete()
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	return newWindow(c), nil
}

func newWindow(c WindowConfig) *Window {
	return &Window{config: c, panes: make([]tracker.Tracker, c.Panes+1)}
}

// Params returns the configuration of w, with the number of panes that was
// chosen for 0. O(1) time.
func (w *Window) Params() WindowConfig { return w.config }

// Advance moves a window of a Span on so that it ends at now, and forgets what
// is too old. A time before the latest one changes nothing: the window never
// moves back, and keys count as of the latest time. Keys that were counted
// before any time was known count as of the first. In a window of Keys time has
// no meaning. All times before the year 1678 count as one, and so do those
// after 2262. O(Panes) time, no allocation.
func (w *Window) Advance(now time.Time) {
	if w.config.Span == 0 {
		return
	}
	at, length := nanoseconds(now), int64(w.config.Span)/int64(w.config.Panes)
	pane := at / length
	if at%length < 0 {
		pane-- // round down, not towards 0
	}
	switch {
	case !w.timed:
		w.timed, w.pane = true, pane
	case pane > w.pane:
		w.drop(uint64(pane) - uint64(w.pane))
		w.pane = pane
	}
}

// mostNanoseconds is the last time since 1970 that a window tells from later
// ones, and its negative the first: whole seconds that fit into an int64.
const mostNanoseconds = (math.MaxInt64/int64(time.Second) - 1) * int64(time.Second)

// nanoseconds returns the time since 1970, or the nearest that is possible.
func nanoseconds(t time.Time) int64 {
	switch s := t.Unix(); {
	case s >= mostNanoseconds/int64(time.Second):
		return mostNanoseconds
	case s < -mostNanoseconds/int64(time.Second):
		return -mostNanoseconds
	}
	return t.UnixNano()
}

// drop drops the n oldest panes and starts as many.
func (w *Window) drop(n uint64) {
	k := int(min(n, uint64(len(w.panes))))
	copy(w.panes, w.panes[k:])
	clear(w.panes[len(w.panes)-k:])
}

// last returns the pane that counts.
func (w *Window) last() *tracker.Tracker { return &w.panes[len(w.panes)-1] }

// Add counts key once, as of the latest time. It is like [HeavyHitters.Add] in
// time and memory, except when a pane is started, which takes the time and
// memory of [NewHeavyHitters]. key is not kept, but copied when it is first
// tracked.
func (w *Window) Add(key []byte) { observeIn(w, w.config.Family.Sum(key), key, 1) }

// AddString is [Window.Add] for a string.
func (w *Window) AddString(key string) { observeIn(w, w.config.Family.SumString(key), key, 1) }

// AddDigest is [Window.Add] for a key already hashed by the family of Params().
// d must be the digest of key.
func (w *Window) AddDigest(d hashfam.Digest, key []byte) { observeIn(w, d, key, 1) }

// AddAt is [Window.Advance] to t and then [Window.Add].
func (w *Window) AddAt(key []byte, t time.Time) {
	w.Advance(t)
	w.Add(key)
}

// AddStringAt is [Window.AddAt] for a string.
func (w *Window) AddStringAt(key string, t time.Time) {
	w.Advance(t)
	w.AddString(key)
}

// AddDigestAt is [Window.AddAt] for a key already hashed by the family of
// Params(). d must be the digest of key.
func (w *Window) AddDigestAt(d hashfam.Digest, key []byte, t time.Time) {
	w.Advance(t)
	w.AddDigest(d, key)
}

// AddN counts key n times, as n calls of [Window.Add] do. It starts at most
// Panes+1 panes, in O(Panes) time each and that of [NewHeavyHitters]. The
// bounds of key may be closer than after n calls.
func (w *Window) AddN(key []byte, n uint64) { observeIn(w, w.config.Family.Sum(key), key, n) }

// AddNString is [Window.AddN] for a string.
func (w *Window) AddNString(key string, n uint64) {
	observeIn(w, w.config.Family.SumString(key), key, n)
}

// observeIn counts key n times: in the last pane, and when that is full in new
// ones.
func observeIn[K tracker.Key](w *Window, d hashfam.Digest, key K, n uint64) {
	if w.config.Keys == 0 {
		observePane(w, d, key, n)
		return
	}
	size := w.config.paneKeys()
	for n > 0 {
		room := size - w.last().Total()
		if room == 0 {
			w.drop(1)
			room = size
			n -= (n/size - min(n/size, uint64(len(w.panes)))) * size // dropped by the rest
		}
		part := min(n, room)
		observePane(w, d, key, part)
		n -= part
	}
}

// observePane counts key n times in the last pane, and makes the pane if it has
// counted nothing yet.
func observePane[K tracker.Key](w *Window, d hashfam.Digest, key K, n uint64) {
	if n == 0 || len(w.panes) == 0 {
		return
	}
	if w.last().Total() == 0 {
		*w.last() = tracker.New(w.config.goal())
	}
	tracker.Observe(w.last(), d, key, n)
}

// Estimate returns what is known of how often key was counted in what the
// window covers, whether it is a heavy hitter or not. O(Panes) time, no
// allocation.
func (w *Window) Estimate(key []byte) Estimate {
	return w.EstimateDigest(w.config.Family.Sum(key))
}

// EstimateString is [Window.Estimate] for a string.
func (w *Window) EstimateString(key string) Estimate {
	return w.EstimateDigest(w.config.Family.SumString(key))
}

// EstimateDigest is [Window.Estimate] for a key already hashed by the family of
// Params().
func (w *Window) EstimateDigest(d hashfam.Digest) Estimate {
	if len(w.panes) == 0 {
		return Estimate{Count: math.MaxUint64, High: math.MaxUint64}
	}
	return Estimate(tracker.EstimateSum(w.panes, d))
}

// All yields the heavy hitters of the window, each with what is known of its
// count, in falling order of Count and, if that is equal, rising order of the
// key. They are the keys whose Count is at least [Window.Threshold]. Among them
// is every key with a share of Phi of exactly the last Keys keys, or Span; a
// key is certain to have that share of all that the window covers if its Low is
// at least Phi times [Window.Total]. O(t Panes + r log r) time and O(r) memory
// for t tracked keys of all panes and r reported ones, at the time it is
// iterated; w must not be changed meanwhile.
func (w *Window) All() iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) {
		for key, e := range tracker.RankedSum(w.panes, w.Threshold()) {
			if !yield(key, Estimate(e)) {
				return
			}
		}
	}
}

// Threshold returns the count from which on a key is now reported: Phi times
// the least that the last Keys keys or the last Span can contain, rounded
// up; at least 1. That is Keys, or [Window.Total] if it is less. For a Span
// it is what all panes but the oldest have counted: the oldest began before the
// Span, and it is not known which of its keys came since. O(Panes) time.
func (w *Window) Threshold() uint64 {
	if w.config.Keys > 0 {
		return threshold(w.config.Phi, min(w.Total(), w.config.Keys))
	}
	return threshold(w.config.Phi, totalOfPanes(w.panes[min(1, len(w.panes)):]))
}

// Complete reports whether every key that counts at least [Window.Threshold] is
// certain to be among those of All now. It is false while memory does not
// suffice, and, in a window of a Span, if the oldest pane holds almost all
// that was counted. O(Panes) time.
func (w *Window) Complete() bool { return w.MissBound() < w.Threshold() }

// MissBound returns an upper bound on the count of any key that no pane tracks.
// All includes every key that counts more, if that reaches the threshold.
// O(Panes) time.
func (w *Window) MissBound() uint64 {
	if len(w.panes) == 0 {
		return math.MaxUint64
	}
	sum := uint64(0)
	for i := range w.panes {
		if t := &w.panes[i]; t.Total() > 0 {
			sum = addSat(sum, t.MissBound())
		}
	}
	return sum
}

// Total returns how much the window covers: Keys and up to a pane more, at most
// Panes+1 panes of Keys/Panes keys, rounded up; or the keys of the last Span
// and up to a pane more; less if less has been counted. O(Panes) time.
func (w *Window) Total() uint64 { return totalOfPanes(w.panes) }

// totalOfPanes returns how much panes have counted.
func totalOfPanes(panes []tracker.Tracker) uint64 {
	sum := uint64(0)
	for i := range panes {
		sum = addSat(sum, panes[i].Total())
	}
	return sum
}

// SizeBytes returns the memory that w holds, in bytes: itself, counters, index
// and keys. O(Panes) time.
func (w *Window) SizeBytes() uint64 {
	size := uint64(windowBytes)
	for i := range w.panes {
		size += w.panes[i].SizeBytes()
	}
	return size
}

// Reset forgets everything, the time included. O(Panes) time, no allocation.
func (w *Window) Reset() {
	clear(w.panes)
	w.timed, w.pane = false, 0
}

// Clone returns a copy that shares nothing with w. O(memory) time.
func (w *Window) Clone() *Window {
	c := *w
	c.panes = slices.Clone(w.panes)
	for i := range c.panes {
		c.panes[i] = w.panes[i].Clone()
	}
	return &c
}

// Equal reports whether w and other have the same Params, are at the same time
// and have counted the same, pane by pane. O(memory) time.
func (w *Window) Equal(other *Window) bool {
	return other != nil && w.config == other.config && w.timed == other.timed && w.pane == other.pane &&
		slices.EqualFunc(w.panes, other.panes, func(a, b tracker.Tracker) bool { return a.Equal(&b) })
}

// AddAll counts every key once, as of the latest time. It does the same as
// [Window.Add] on each, in less time. O(1) time a key, amortized; no key is
// kept.
func (w *Window) AddAll(keys [][]byte) { addAllWindow(w, keys) }

// AddAllStrings is [Window.AddAll] for strings.
func (w *Window) AddAllStrings(keys []string) { addAllWindow(w, keys) }

// addAllWindow is [Window.AddAll] for keys of any form.
func addAllWindow[K tracker.Key](w *Window, keys []K) {
	for _, key := range batch.Few(&keys) {
		observeIn(w, batch.Sum(w.config.Family, key), key, 1)
	}
	for len(keys) > 0 {
		var b batch.Buffer
		block := keys
		for i, d := range batch.Take(&b, w.config.Family, &keys) {
			observeIn(w, d, block[i], 1)
		}
	}
}

// AddAllDigests is [Window.AddAll] for keys already hashed by the family of
// Params(): digests[i] must be the digest of keys[i]. It returns [ErrParams],
// and counts nothing, if there are not as many digests as keys.
func (w *Window) AddAllDigests(digests []hashfam.Digest, keys [][]byte) error {
	if w == nil {
		return errs.Nil()
	}
	if len(digests) != len(keys) {
		return paramError("len(digests)", len(digests), fmt.Sprintf("%d, the number of keys", len(keys)))
	}
	for i, d := range digests {
		observeIn(w, d, keys[i], 1)
	}
	return nil
}

// AddSeq counts every key of a sequence once. A key needs to be valid only
// until the sequence yields the next one. O(1) time a key, amortized.
func (w *Window) AddSeq(keys iter.Seq[[]byte]) {
	for key := range keys {
		w.Add(key)
	}
}

// EstimateAll appends the answer of [Window.Estimate] for each key to dst and
// returns the extended slice. O(Panes) time a key; it allocates only if dst has
// to grow.
func (w *Window) EstimateAll(dst []Estimate, keys [][]byte) []Estimate {
	return estimateAllWindow(w, dst, keys)
}

// EstimateAllStrings is [Window.EstimateAll] for strings.
func (w *Window) EstimateAllStrings(dst []Estimate, keys []string) []Estimate {
	return estimateAllWindow(w, dst, keys)
}

// estimateAllWindow is [Window.EstimateAll] for keys of any form.
func estimateAllWindow[K tracker.Key](w *Window, dst []Estimate, keys []K) []Estimate {
	for _, key := range batch.Few(&keys) {
		dst = append(dst, w.EstimateDigest(batch.Sum(w.config.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = w.EstimateAllDigests(dst, batch.Take(&b, w.config.Family, &keys))
	}
	return dst
}

// EstimateAllDigests is [Window.EstimateAll] for keys already hashed by the
// family of Params().
func (w *Window) EstimateAllDigests(dst []Estimate, digests []hashfam.Digest) []Estimate {
	dst = slices.Grow(dst, len(digests))
	for _, d := range digests {
		dst = append(dst, w.EstimateDigest(d))
	}
	return dst
}
