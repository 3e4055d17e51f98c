package tracker

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// observe counts key n times in a single pane.
func observe[K Key](t *Tracker, d hashfam.Digest, key K, n uint64) {
	Observe(&Panes{Last: t}, d, key, n)
}

// add counts key n times.
func add(t *Tracker, key string, n uint64) { observe(t, hashfam.Family{}.SumString(key), key, n) }

// keys returns the tracked keys with a High of at least least.
func keys(t *Tracker, least uint64) map[string]Estimate {
	found := map[string]Estimate{}
	list, _ := Ranked([]Tracker{*t}, least, math.MaxInt)
	for _, i := range list {
		found[i.Key] = i.Estimate
	}
	return found
}

// When a pane is full, the oldest one is dropped.
func TestPanesDropTheOldest(t *testing.T) {
	p, d := Blank(Goal{Phi: 0.1}, 3, 4), hashfam.Family{}.SumString("key")
	for range 5 {
		p.ObserveN(d, []byte("key"), 3)
	}
	require.Equal(t, []uint64{4, 4, 3}, []uint64{p.All[0].total, p.All[1].total, p.Last.total})
	require.EqualValues(t, 11, TotalOf(p.All))
	require.Equal(t, known(11), EstimateOf(p.All, d))
	require.Zero(t, p.MissBound())
	c := p.Clone()
	require.True(t, c.Equal(&p))
	require.Equal(t, p.SizeBytes(), c.SizeBytes())
	p.Turn(2)
	require.False(t, c.Equal(&p))
	require.Equal(t, known(3), EstimateOf(p.All, d))
	require.Equal(t, known(11), EstimateOf(c.All, d))
	require.Panics(t, func() { new(Panes).ObserveN(d, nil, 1) })
	require.Panics(t, func() { Observe(new(Panes), d, "key", 1) })
}

// Without a budget, the log grows before a sweep would evict a heavy hitter,
// even if it already has as many records as it should: here, long ones.
func TestLogGrowsBeforeHeavyHittersAreEvicted(t *testing.T) {
	h := New(Goal{Phi: 1.0 / 300})
	long := strings.Repeat("x", 10_000)
	for i := range 1200 {
		add(&h, fmt.Sprint(long, i), 100)
	}
	for i := range 30_000 {
		add(&h, fmt.Sprint(i%300), 300)
		require.Less(t, float64(h.missed), max(1, float64(h.Total())/300))
	}
	require.Len(t, keys(&h, 30_000), 300)
}

// Without a budget, no heavy hitter is lost, whatever the lengths of the keys.
func TestWithoutABudgetAllHeavyHittersAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := New(Goal{Phi: rapid.SampledFrom([]float64{0.5, 0.1, 0.02}).Draw(t, "phi")})
		addMany(&h, 1, rapid.IntRange(250, 500).Draw(t, "short keys"), 1)
		for range rapid.IntRange(1, 40).Draw(t, "times") {
			length := rapid.SampledFrom([]int{10, 500, 3000, 20_000, 50_000}).Draw(t, "length")
			key := strings.Repeat("x", length) + rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
			add(&h, key, rapid.SampledFrom([]uint64{1, 10, 100}).Draw(t, "n"))
			require.Less(t, float64(h.missed), max(1, h.Phi*float64(h.total)))
		}
	})
}

// Anyone can choose digests of the public family, but not which of them share a
// chain. With a random odd multiplier, 20,000 successive digests have a chain
// longer than 2,000 with probability below 1e-6: the multiplier must be within
// 1e-7/q of a fraction with a denominator q below ten.
func TestChosenDigestsDoNotShareAChain(t *testing.T) {
	h := New(Goal{Phi: 1e-5})
	for i := range 20_000 {
		observe(&h, hashfam.Digest(i), "key", 1)
	}
	longest := 0
	for _, head := range h.index.heads {
		n := 0
		for r := head; r != none; r = h.log.next(r) {
			n++
		}
		longest = max(longest, n)
	}
	require.LessOrEqual(t, longest, 2000)
}

func TestEqualComparesAllThatIsCounted(t *testing.T) {
	h := New(Goal{Phi: 0.1, Memory: 2048})
	for i := range 500 {
		add(&h, fmt.Sprint(i%90), uint64(i%90)+1)
	}
	for what, change := range map[string]func(*Tracker){
		"goal":           func(g *Tracker) { g.Phi /= 2 },
		"total":          func(g *Tracker) { g.total++ },
		"floor":          func(g *Tracker) { g.floor++ },
		"missed":         func(g *Tracker) { g.missed++ },
		"a counter":      func(g *Tracker) { g.tail.words[3] ^= 1 << 20 },
		"their width":    func(g *Tracker) { g.tail.shift++ },
		"a count":        func(g *Tracker) { g.log[linkBytes]++ },
		"an estimate":    func(g *Tracker) { g.log[linkBytes+8]++ },
		"a key":          func(g *Tracker) { g.log[linkBytes+headBytes] ^= 1 },
		"one key's time": func(g *Tracker) { add(g, "89", 1) },
	} {
		g := h.clone()
		require.True(t, g.equal(&h) && h.equal(&g))
		change(&g)
		require.False(t, g.equal(&h), what)
		require.False(t, h.equal(&g), what)
	}
}

// addMany adds keys of 7 bytes, whose records have 4 words.
func addMany(t *Tracker, first, last int, count uint64) {
	for i := first; i <= last; i++ {
		add(t, fmt.Sprintf("%07d", i), count)
	}
}

// The size is 256 bytes for the structure, 8 per allocated word of the tail, 4
// per head of the index, and 1 per byte of the log's array.
func TestSizeBytesIsExact(t *testing.T) {
	bytes := func(tail, heads, log uint64) uint64 { return 256 + 8*tail + 4*heads + log }

	// When the log's array is full, it becomes four times as large, up to the
	// room. It has a head for 40 bytes. All records have 39 bytes.
	for _, c := range []struct {
		budget     uint64
		records    int
		heads, log uint64
	}{
		{0, 0, 1, 0}, {0, 1, 1, 39}, {0, 2, 3, 156}, {0, 4, 3, 156}, {0, 5, 15, 624}, {0, 17, 62, 2496}, {0, 64, 62, 2496},
		{0, 65, 102, 4096}, {0, 106, 204, 8192}, {0, 211, 409, 16384}, {0, 256, 409, 16384},
		{1024, 0, 1, 0}, {1024, 4, 3, 156},
		{16 << 10, 0, 1, 0}, {16 << 10, 64, 62, 2496}, {16 << 10, 65, 179, 7168}, {16 << 10, 180, 179, 7168},
	} {
		h := New(Goal{Phi: 1, Memory: c.budget})
		addMany(&h, 1, c.records, 1)
		require.Equal(t, c.records, h.live)
		require.Zero(t, h.missed)
		require.Equal(t, bytes(0, c.heads, c.log), h.sizeBytes(), "%d bytes, %d records", c.budget, c.records)
	}

	// The tail is allocated when it is needed, usually in the first sweep.
	for budget, size := range map[uint64]uint64{
		1024:     bytes(64, 3, 156),
		16 << 10: bytes(1024, 179, 7168),
	} {
		h := New(Goal{Phi: 1, Memory: budget})
		addMany(&h, 1, 1000, 1)
		require.Equal(t, size, h.sizeBytes())
	}
}

// A decoded tracker has the memory for its counters and records only. It
// allocates more when another key is counted, as the original did.
func TestDecodedTrackerAllocatesWhenNeeded(t *testing.T) {
	for records, size := range map[int]int{0: 4, 1: 4 + 39, 10: 4*(390/40) + 390} {
		h := New(Goal{Phi: 1, Memory: 16 << 10})
		addMany(&h, 1, records, 1)
		g, err := recode(&h)
		require.NoError(t, err)
		require.EqualValues(t, 256+size, g.sizeBytes(), "%d records", records)
		add(&g, "another", 1)
		require.Equal(t, records+1, g.live)
		require.EqualValues(t, max(39, 4*39*records), cap(g.log), "%d records", records)
	}
}
