package tracker

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// observe counts key n times in the only pane.
func observe[K Key](t *Tracker, d hashfam.Digest, key K, n uint64) {
	Observe(&Panes{last: t}, d, key, n)
}

// add counts key n times.
func add(t *Tracker, key string, n uint64) { observe(t, hashfam.Family{}.SumString(key), key, n) }

// keys returns the keys that count at least so much.
func keys(t *Tracker, least uint64) map[string]Estimate {
	return maps.Collect(Ranked([]Tracker{*t}, least, math.MaxInt))
}

// Without a budget the guarantee holds even if the log has been filled by keys
// that do not matter: it grows before one that does is swept out.
func TestMemoryGrowsUnderPressure(t *testing.T) {
	h := New(Goal{Phi: 1.0 / 300})
	h.want = 0 // so that nothing but pressure makes it grow
	for i := range 3000 {
		add(&h, fmt.Sprint(i%300), 1)
		require.Less(t, float64(h.missed), max(1, float64(h.Total())/300))
	}
	require.Len(t, keys(&h, 10), 300)
}

// A key that is too long for its count is refused without a walk over the log,
// except the first time after a sweep.
func TestKeysThatAreTooLongAreRefusedAtOnce(t *testing.T) {
	h := New(Goal{Phi: 0.001, Memory: 64 << 10})
	for i := range uint64(5000) {
		add(&h, fmt.Sprint(i), 1<<20+i*7919%5000<<28)
	}
	require.NotZero(t, h.floor)
	for _, length := range []int{3000, 12_000, 1 << 20} { // a share is 1.5 KB, the room 25 KB
		key := strings.Repeat("x", length)
		d := hashfam.Family{}.SumString(key)
		add(&h, key, h.floor-h.estimate(d).High+1)
		walks := h.walks
		for range 1000 {
			add(&h, key, 1)
		}
		require.Equal(t, walks, h.walks, "a key of %d bytes", length)
		require.NotContains(t, keys(&h, 0), key)
		require.GreaterOrEqual(t, h.missed, h.estimate(d).High)
	}
	key := strings.Repeat("x", 3000) // and admitted once it counts enough
	add(&h, key, 1<<50)
	require.Contains(t, keys(&h, 0), key)
}

// Anyone who chooses keys chooses their digests under the public family, but
// not which of them share a chain. A random odd multiplier leaves 20,000
// successive digests with a chain of more than 2,000 with probability below
// 1e-6: it would have to be within 1e-7/q of a fraction with a denominator q
// below ten.
func TestChosenDigestsDoNotShareAChain(t *testing.T) {
	h := New(Goal{Phi: 1e-5})
	for i := range 20_000 {
		observe(&h, hashfam.Digest(i), "key", 1)
	}
	longest := 0
	for _, head := range h.index.heads {
		n := 0
		for r := record(head) - 1; r >= 0; r = h.log.next(r) {
			n++
		}
		longest = max(longest, n)
	}
	require.LessOrEqual(t, longest, 2000)
}

// TestEqual changes one thing at a time.
func TestEqualComparesAllThatIsCounted(t *testing.T) {
	h := New(Goal{Phi: 0.1, Memory: 2048})
	for i := range 500 {
		add(&h, fmt.Sprint(i%90), uint64(i%90)+1)
	}
	for what, change := range map[string]func(*Tracker){
		"total":          func(g *Tracker) { g.total++ },
		"floor":          func(g *Tracker) { g.floor++ },
		"missed":         func(g *Tracker) { g.missed++ },
		"a counter":      func(g *Tracker) { g.tail.words[3] ^= 1 << 20 },
		"their width":    func(g *Tracker) { g.tail.shift++ },
		"a count":        func(g *Tracker) { g.log[0]++ },
		"an estimate":    func(g *Tracker) { g.log[1] += 1 << 32 },
		"a key":          func(g *Tracker) { g.log[2]++; g.index.relink(g.log, g.index.heads) },
		"one key's time": func(g *Tracker) { add(g, "89", 1) },
	} {
		g := h.clone()
		require.True(t, g.equal(&h) && h.equal(&g))
		change(&g)
		require.False(t, g.equal(&h), what)
		require.False(t, h.equal(&g), what)
	}
}

// How a budget is best shared out between keys and counters. In the usual order
// nearly any share will do; more counters help if the heavy keys come last, and
// more room for keys if keys are long. With half for each, no stream is far
// from its best.
func TestHalfOfTheMemoryIsForTheTail(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement")
	}
	families := 1
	if conformance.Long(t, 2, 0.1) {
		families = 3
	}
	for _, s := range []*streams.Stream{streams.MobyDick(), streams.Web12(), streams.Weblog(), streams.Zipf(1.0, 50_000, 200_000, 1)} {
		for _, s := range []*streams.Stream{s, s.Ascending()} {
			best, chosen := 0.0, 0.0
			for _, percent := range []int{20, 40, tailPercent, 80} {
				line := 0.0
				for i := range families {
					g := Goal{Phi: 1.0 / 1000, Memory: 16 << 10}
					tr := newTracker(g, uint64(g.Memory/8*percent/100/2*2))
					line += f1(s, &tr, hashfam.Family{}.Derive(fmt.Sprint("split ", i))) / float64(families)
				}
				t.Logf("%s, %d %%: F1 %.3f", s.Name, percent, line)
				best = max(best, line)
				if percent == tailPercent {
					chosen = line
				}
			}
			require.Greater(t, chosen, best-0.02, s.Name)
		}
	}
}

// f1 counts s under fam and returns the harmonic mean of recall and precision.
func f1(s *streams.Stream, t *Tracker, fam hashfam.Family) float64 {
	digests := s.Digests(fam)
	for _, id := range s.IDs {
		observe(t, digests[id], s.Keys[id], 1)
	}
	least := t.Phi * float64(len(s.IDs))
	heavy, reported, found := 0, 0, 0
	for _, n := range s.Truth {
		if float64(n) >= least {
			heavy++
		}
	}
	for key := range Ranked([]Tracker{*t}, uint64(math.Ceil(least)), math.MaxInt) {
		reported++
		if float64(s.Counts()[key]) >= least {
			found++
		}
	}
	return 2 * float64(found) / float64(heavy+reported)
}

// A sweep frees a share of the log, so most keys that are admitted need none.
func TestSweepsAreRare(t *testing.T) {
	h := New(Goal{Phi: 0.001, Memory: 16 << 10})
	const updates = 20_000
	for i := range uint64(updates) {
		add(&h, fmt.Sprint(i), 10*i+1) // rising, so that each is admitted
	}
	require.NotZero(t, h.floor)
	perSweep := int(h.room/sweepShare/recordWords(5)) - 1 // records that a sweep makes room for
	require.LessOrEqual(t, h.walks, 3*updates/perSweep)
}

// What was refused is looked into again once there is more room.
func TestRefusalsAreForgottenWithTheReason(t *testing.T) {
	for name, change := range map[string]func(*Tracker){
		"sweep":   func(h *Tracker) { h.sweep(h.floor + 1) },
		"halving": func(h *Tracker) { require.True(t, h.enlarge(1)) },
		"merge": func(h *Tracker) {
			o := h.clone()
			h.Merge(&o)
		},
	} {
		h := New(Goal{Phi: 0.001, Memory: 16 << 10})
		for i := range 10 {
			add(&h, fmt.Sprint(i), 5)
		}
		h.refuse(100, 100)
		require.Equal(t, refusal{100, 100}, h.refused)
		change(&h)
		require.Zero(t, h.refused, name)
	}
	h := New(Goal{Phi: 0.001})
	h.refuse(100, 100)
	require.True(t, h.enlarge(1))
	require.Zero(t, h.refused, "growth")
}

// A guess of maxGuess means that or more, so nothing of the count is known to
// be exact.
func TestAGuessAtItsMaximumLeavesNoLowerBound(t *testing.T) {
	h := New(Goal{Phi: 0.1})
	key := hashfam.Family{}.SumString("key")
	h.log = appendRecord(h.log, 1<<40, 1<<39, key, "key")
	h.total = 1 << 40
	h.settle()
	require.Equal(t, Estimate{High: 1 << 40}, h.estimate(key))
	h.log = appendRecord(nil, 1<<40, maxGuess-1, key, "key")
	h.settle()
	require.Equal(t, Estimate{Low: 1<<40 - maxGuess + 1, High: 1 << 40}, h.estimate(key))
}
