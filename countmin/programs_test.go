package countmin

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance/old"
)

// What random programs do besides what every structure does, and what is true
// after each operation.

// weights are numbers of copies, some of which saturate counters.
var weights = []uint64{0, 1, 2, 7, 255, 65_536, 1 << 31, math.MaxUint32 - 1, math.MaxUint32, 1 << 32, 1 << 63, math.MaxUint64}

// weight reads one of the weights, most often a small one.
func weight[T old.Structure[T]](r *old.Run[T]) uint64 {
	if r.Bool() {
		return uint64(r.Intn(100))
	}
	return weights[r.Intn(len(weights))]
}

// addN adds several copies of a key at once.
func addN[T interface {
	old.Structure[T]
	AddN([]byte, uint64)
}](r *old.Run[T]) {
	key, n := r.Key(), weight(r)
	r.Note("add %x %d times", key, n)
	r.F.AddN(key, n)
	r.Twin.AddN(key, n)
	if n > 0 {
		r.Count(key, n)
	}
}

// removeN removes several copies of a key at once, or more than there are,
// which fails.
func removeN(r *old.Run[*Sketch]) {
	key := r.Key()
	n := min(weight(r), r.Counts[string(key)], r.F.Count(key))
	r.Note("remove %x %d times", key, n)
	require.NoError(r, r.F.RemoveDigest(r.Family.Sum(key), n))
	require.NoError(r, r.Twin.Remove(key, n))
	r.Counts[string(key)] -= n
	if count := r.F.Count(key); count < most(r.F) {
		require.ErrorIs(r, r.F.Remove(key, count+1), ErrParams)
	}
}

// halve halves the counts, as single counters that stop at their maximum are.
func halve(r *old.Run[*Sketch]) {
	r.Note("halve")
	require.NoError(r, r.F.Halve())
	require.NoError(r, r.Twin.Halve())
	for key, n := range r.Counts {
		r.Counts[key] = min(n, most(r.F)) / 2
	}
	r.Exact = false // rounding
}

// multiply checks that the inner product is at least the true one.
func multiply(r *old.Run[*Sketch]) {
	other, product := must(NewFromParams(r.F.params)), uint64(0)
	for _, key := range r.Keys() {
		other.Add(key)
		product = tracker.AddSat(product, r.Counts[string(key)])
	}
	r.Note("inner product")
	got, err := r.F.InnerProduct(other)
	require.NoError(r, err)
	if r.Exact {
		require.GreaterOrEqual(r, got, product)
	}
}

// most returns the count at which the counters of s stop.
func most(s *Sketch) uint64 {
	return math.MaxUint64 >> (64 - s.params.CounterBits)
}

// checkSketch checks that the total is exact and that no count is too low. The
// sketch is no longer that of its keys after a counter may have saturated.
func checkSketch(r *old.Run[*Sketch]) {
	total := totalIn(r.Counts)
	if !r.Exact {
		require.GreaterOrEqual(r, r.F.Total(), total)
	} else {
		require.Equal(r, total, r.F.Total())
	}
	if total >= most(r.F) {
		r.Exact = false
	}
	for key, n := range r.Counts {
		require.GreaterOrEqual(r, r.F.CountString(key), min(n, most(r.F)), "copies of %x", key)
	}
}

// checkConservative checks, besides, that no count is above that of the plain
// sketch of the same keys, before the first Halve.
func checkConservative(r *old.Run[*Sketch]) {
	checkSketch(r)
	if !r.Exact {
		return
	}
	p := r.F.params
	p.Conservative = false
	s := mustNew(r, p)
	for key, n := range r.Counts {
		s.AddN([]byte(key), n)
	}
	for key := range r.Counts {
		require.LessOrEqual(r, r.F.CountString(key), s.CountString(key), "copies of %x", key)
	}
}

func totalIn(counts map[string]uint64) uint64 {
	total := uint64(0)
	for _, n := range counts {
		total = tracker.AddSat(total, n)
	}
	return total
}

// A tracking structure tracks the frequent keys.
type tracking interface {
	AddDigest(hashfam.Digest, []byte)
	Family() hashfam.Family
	Total() uint64
	MissBound() uint64
	Complete() bool
	SizeBytes() uint64
	EstimateString(string) Estimate
	All() iter.Seq2[string, Estimate]
	budget() int
}

func (h *HeavyHitters) budget() int { return h.Config().MemoryBytes }
func (k *TopK) budget() int         { return k.Config().MemoryBytes }
func (w *Window) budget() int       { return w.Config().MemoryBytes }

// feed adds part i of n of a stream to h, or all of it as part 0 of 1.
func feed(h tracking, s *stream, i, n int) {
	digests := s.digests(h.Family())
	for _, id := range s.IDs[i*len(s.IDs)/n : (i+1)*len(s.IDs)/n] {
		h.AddDigest(digests[id], s.Keys[id])
	}
}

// checkTracked checks that all bounds of all keys contain the truth, that the
// report is in order and says what Estimate says, and that the budget is kept.
func checkTracked(t require.TestingT, counts map[string]uint64, h tracking) {
	require.Equal(t, totalIn(counts), h.Total())
	require.True(t, h.budget() == 0 || h.SizeBytes() <= uint64(h.budget()), "%d bytes of %d", h.SizeBytes(), h.budget())
	reported := map[string]bool{}
	last, lastKey := uint64(math.MaxUint64), ""
	for key, e := range h.All() {
		require.False(t, reported[key], "reported twice: %x", key)
		require.True(t, e.High < last || e.High == last && lastKey < key || len(reported) == 0, "the report is not in order")
		require.Equal(t, h.EstimateString(key), e)
		require.LessOrEqual(t, e.Low, counts[key])
		reported[key], last, lastKey = true, e.High, key
	}
	for key, n := range counts {
		if e := h.EstimateString(key); n < e.Low || n > e.High {
			require.Fail(t, "wrong bounds", "%x was counted %d times, estimated as %+v", key, n, e)
		}
	}
}

// checkHeavy checks that every heavy hitter is reported, or the answer is not
// called complete.
func checkHeavy(t require.TestingT, counts map[string]uint64, h interface {
	tracking
	Threshold() uint64
}) {
	reported := map[string]bool{}
	for key, e := range h.All() {
		reported[key] = true
		require.GreaterOrEqual(t, e.High, h.Threshold())
	}
	least, miss := h.Threshold(), h.MissBound()
	require.Equal(t, miss < least, h.Complete())
	for key, n := range counts {
		if n >= least && n > miss && !reported[key] {
			require.Fail(t, "missed", "%x, counted %d times, is not reported; threshold %d", key, n, least)
		}
	}
}

// checkTop checks that there are k keys in the report, and that they are the
// most frequent ones, or the answer is not called complete.
func checkTop(t require.TestingT, counts map[string]uint64, k *TopK) {
	reported, least := map[string]bool{}, uint64(math.MaxUint64)
	for key := range k.All() {
		reported[key] = true
		least = min(least, counts[key])
	}
	require.LessOrEqual(t, len(reported), k.Config().K)
	if !k.Complete() {
		return
	}
	for key, n := range counts {
		if n > 0 && !reported[key] {
			require.LessOrEqual(t, n, least, "%x, counted %d times, is not reported", key, n)
			require.Len(t, reported, k.Config().K)
		}
	}
}

// advance moves the time on, or back, which does nothing.
func advance(r *old.Run[*Window]) {
	steps := []time.Duration{0, time.Nanosecond, time.Minute, 15 * time.Minute, 20 * time.Minute, time.Hour, 2 * time.Hour, -time.Hour}
	at := time.Unix(0, r.Now).Add(steps[r.Intn(len(steps))])
	r.Note("at %v", at)
	if r.F.config.Span > 0 {
		r.Advance(at.UnixNano())
	}
	r.F.Advance(at)
	r.Twin.Advance(at)
}

// covered returns the counts of the last panes of a window, the newest of which
// may be partly filled.
func covered(r *old.Run[*Window], panes int) map[string]uint64 {
	c, in := r.F.config, map[string]uint64{}
	if c.Span > 0 {
		length := int64(c.Span) / int64(c.Panes)
		for _, e := range r.Log {
			if floor(r.Now, length)-floor(e.At, length) < int64(panes) {
				in[e.Key] = tracker.AddSat(in[e.Key], e.N)
			}
		}
		return in
	}
	// The last pane is full or not, the others are.
	size := r.F.time.Keys()
	last := uint64(0) // all that was counted, modulo size
	for _, e := range r.Log {
		last = (last + e.N%size) % size
	}
	if last == 0 {
		last = size
	}
	room := last + size*uint64(panes-1)
	for _, e := range slices.Backward(r.Log) {
		n := min(e.N, room)
		if n > 0 {
			in[e.Key] += n
		}
		room -= n
	}
	return in
}

// checkWindow checks the answers about what the window covers, and that every
// key with a share of Phi of exactly the last Keys or Span is reported.
func checkWindow(r *old.Run[*Window]) {
	checkTracked(r, r.Counts, r.F)
	checkHeavy(r, r.Counts, r.F)
	exact, c := map[string]uint64{}, r.F.config
	room, total := c.Keys, uint64(0)
	for _, e := range slices.Backward(r.Log) {
		n := e.N
		if c.Keys > 0 {
			n = min(n, room)
			room -= n
		} else if e.At < r.Now-int64(c.Span) {
			break
		}
		exact[e.Key] = tracker.AddSat(exact[e.Key], n)
		total = tracker.AddSat(total, n)
	}
	reported := map[string]bool{}
	for key := range r.F.All() {
		reported[key] = true
	}
	least, complete := threshold(c.Phi, total), r.F.Complete()
	for key, n := range exact {
		require.True(r, n < least || reported[key] || !complete, "%x, counted %d times of %d, is not reported", key, n, total)
	}
}

// floor returns a/b, rounded down.
func floor(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
