package countmin

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// drawCopies draws a number of copies: a small one most often, or one that
// saturates counters.
func drawCopies(t *rapid.T) uint64 {
	large := []uint64{255, 65_536, 1 << 31, math.MaxUint32 - 1, math.MaxUint32, 1 << 32, 1 << 63, math.MaxUint64}
	return rapid.OneOf(rapid.Uint64Range(0, 99), rapid.SampledFrom(large)).Draw(t, "copies")
}

// addCopies adds several copies of a key at once.
func addCopies[S interface {
	conformance.Encoded[S]
	AddN([]byte, uint64)
}](m *conformance.Machine[S]) {
	key, n := conformance.DrawKey(m.T), drawCopies(m.T)
	m.F.AddN([]byte(key), n)
	m.Twin.AddN([]byte(key), n)
	if n > 0 {
		m.Count(key, n)
	}
}

// removeCopies removes several copies of a key at once, and fails to remove
// more than there are. A conservative sketch removes none.
func removeCopies(m *conformance.Machine[*Sketch]) {
	key := conformance.DrawKey(m.T)
	if m.F.params.Conservative {
		requireField(m, m.F.Remove([]byte(key), 0), ErrParams, "Params.Conservative")
		return
	}
	n := min(drawCopies(m.T), m.Counts[key], m.F.CountString(key))
	require.NoError(m, m.F.RemoveDigest(m.Family.SumString(key), n))
	require.NoError(m, m.Twin.Remove([]byte(key), n))
	m.Counts[key] -= n
	if count := m.F.CountString(key); count < most(m.F) {
		requireField(m, m.F.Remove([]byte(key), count+1), ErrParams, "n")
	}
}

// halve halves the counts, as single counters that stop at their maximum are. A
// plain sketch cannot be halved.
func halve(m *conformance.Machine[*Sketch]) {
	if !m.F.params.Conservative {
		requireField(m, m.F.Halve(), ErrParams, "Params.Conservative")
		return
	}
	total := m.F.Total()
	require.NoError(m, m.F.Halve())
	require.NoError(m, m.Twin.Halve())
	require.True(m, total == math.MaxUint64 || m.F.Total() == total/2, "the total was %d, and is %d", total, m.F.Total())
	for key, n := range m.Counts {
		m.Counts[key] = min(n, most(m.F)) / 2
	}
	m.Exact = false // rounding
}

// multiply checks that the inner product with other keys is at least the true
// one.
func multiply(m *conformance.Machine[*Sketch]) {
	other, product := mustNew(m, m.F.params), uint64(0)
	for _, key := range conformance.DrawKeys(m.T) {
		other.AddString(key)
		product = tracker.AddSat(product, m.Counts[key])
	}
	got, err := m.F.InnerProduct(other)
	if m.F.params.Conservative {
		requireField(m, err, ErrParams, "Params.Conservative")
		return
	}
	require.NoError(m, err)
	require.True(m, got >= product || !m.Exact, "%d, want at least %d", got, product)
}

// joinShards goes on with what shards have counted that share the keys among
// them.
func joinShards[S interface {
	conformance.Encoded[S]
	AddN([]byte, uint64)
	Clone() S
	Reset()
}](joined func([]S) (S, error)) func(*conformance.Machine[S]) {
	return func(m *conformance.Machine[S]) {
		shards := make([]S, rapid.IntRange(1, 4).Draw(m.T, "shards"))
		for i := range shards {
			shards[i] = m.F.Clone()
			shards[i].Reset()
		}
		for _, e := range m.Added {
			shards[m.Family.SumString(e.Key).Shard(len(shards))].AddN([]byte(e.Key), e.N)
		}
		var err error
		m.F, err = joined(shards)
		require.NoError(m, err)
		m.Resync()
	}
}

// most returns the count at which the counters of s stop.
func most(s *Sketch) uint64 {
	return math.MaxUint64 >> (64 - s.params.CounterBits)
}

// checkSketch checks that the total is exact, that no count is too low, and
// that none of a conservative sketch is above that of the plain sketch of the
// same keys. The sketch is no longer that of its keys after a counter may have
// saturated.
func checkSketch(m *conformance.Machine[*Sketch]) {
	total := totalIn(m.Counts)
	require.True(m, m.F.Total() == total || m.F.Total() > total && !m.Exact, "Total() = %d, want %d", m.F.Total(), total)
	if m.Exact && m.F.params.Conservative {
		p := m.F.params
		p.Conservative = false
		s := mustNew(m, p)
		for key, n := range m.Counts {
			s.AddN([]byte(key), n)
		}
		for key := range m.Counts {
			require.LessOrEqual(m, m.F.CountString(key), s.CountString(key), "copies of %q", key)
		}
	}
	m.Exact = m.Exact && total < most(m.F)
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
		require.False(t, reported[key], "reported twice: %q", key)
		require.True(t, e.High < last || e.High == last && lastKey < key || len(reported) == 0, "the report is not in order")
		require.Equal(t, h.EstimateString(key), e)
		require.LessOrEqual(t, e.Low, counts[key])
		reported[key], last, lastKey = true, e.High, key
	}
	for key, n := range counts {
		if e := h.EstimateString(key); n < e.Low || n > e.High {
			require.Fail(t, "wrong bounds", "%q was counted %d times, estimated as %+v", key, n, e)
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
			require.Fail(t, "missed", "%q, counted %d times, is not reported; threshold %d", key, n, least)
		}
	}
}

// checkHeavyHitters checks, besides, that the threshold is Phi times the total,
// rounded up.
func checkHeavyHitters(m *conformance.Machine[*HeavyHitters]) {
	checkHeavy(m, m.Counts, m.F)
	least, share := m.F.Threshold(), m.F.Config().Phi*float64(totalIn(m.Counts))
	require.True(m, least == 1 || float64(least-1) < share && float64(least) >= share*(1-1e-14), "threshold %d of %g", least, share)
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
			require.LessOrEqual(t, n, least, "%q, counted %d times, is not reported", key, n)
			require.Len(t, reported, k.Config().K)
		}
	}
}

// advance moves the time on, or back, which does nothing.
func advance(m *conformance.Machine[*Window]) {
	step := rapid.SampledFrom([]time.Duration{0, time.Nanosecond, time.Minute, 15 * time.Minute, 20 * time.Minute,
		time.Hour, 2 * time.Hour, -time.Hour}).Draw(m.T, "time")
	at := time.Unix(0, m.Now).Add(step)
	if m.F.config.Span > 0 {
		m.Advance(at.UnixNano())
	}
	m.F.Advance(at)
	m.Twin.Advance(at)
}

// covered returns the counts of the last panes of a window, the newest of which
// may be partly filled.
func covered(m *conformance.Machine[*Window], panes int) map[string]uint64 {
	c, in := m.F.config, map[string]uint64{}
	if c.Span > 0 {
		length := int64(c.Span) / int64(c.Panes)
		for _, e := range m.Added {
			if floor(m.Now, length)-floor(e.At, length) < int64(panes) {
				in[e.Key] = tracker.AddSat(in[e.Key], e.N)
			}
		}
		return in
	}
	// The last pane is full or not, the others are.
	size := m.F.time.Keys()
	last := uint64(0) // all that was counted, modulo size
	for _, e := range m.Added {
		last = (last + e.N%size) % size
	}
	if last == 0 {
		last = size
	}
	room := last + size*uint64(panes-1)
	for _, e := range slices.Backward(m.Added) {
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
func checkWindow(m *conformance.Machine[*Window]) {
	checkHeavy(m, m.Counts, m.F)
	exact, c := map[string]uint64{}, m.F.config
	room, total := c.Keys, uint64(0)
	for _, e := range slices.Backward(m.Added) {
		n := e.N
		if c.Keys > 0 {
			n = min(n, room)
			room -= n
		} else if e.At < m.Now-int64(c.Span) {
			break
		}
		exact[e.Key] = tracker.AddSat(exact[e.Key], n)
		total = tracker.AddSat(total, n)
	}
	reported := map[string]bool{}
	for key := range m.F.All() {
		reported[key] = true
	}
	least, complete := threshold(c.Phi, total), m.F.Complete()
	for key, n := range exact {
		require.True(m, n < least || reported[key] || !complete, "%q, counted %d times of %d, is not reported", key, n, total)
	}
}

// floor returns a/b, rounded down.
func floor(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
