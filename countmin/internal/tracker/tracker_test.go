package tracker

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
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
func TestRefusalsEndWithTheirReason(t *testing.T) {
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

// Records of these tests have 4 words: 3 and a key of less than 8 bytes.
func addMany(t *Tracker, first, last int, count uint64) {
	for i := first; i <= last; i++ {
		add(t, fmt.Sprintf("%07d", i), count)
	}
}

// SizeBytes is 256 bytes for the structure, 8 for each word of the tail and of
// the log, allocated or not yet filled, and 4 for each head of the index.
func TestSizeBytesIsExact(t *testing.T) {
	bytes := func(tail, heads, log uint64) uint64 { return 256 + 8*tail + 4*heads + 8*log }

	// Without a budget a log of 512 words begins with a head for each 4. Its
	// array doubles until it is full; there are twice as many heads as records
	// once these are more than the heads.
	h := New(Goal{Phi: 0.1})
	require.Equal(t, bytes(512, 128, 0), h.sizeBytes())
	for _, c := range []struct {
		records    int
		heads, log uint64
	}{
		{1, 128, 4}, {2, 128, 8}, {3, 128, 16}, {4, 128, 16}, {5, 128, 32}, {64, 128, 256}, {65, 128, 512},
		{128, 128, 512}, {129, 258, 1024}, {256, 258, 1024},
	} {
		addMany(&h, h.live+1, c.records, 1)
		require.Equal(t, c.records, h.live)
		require.Equal(t, bytes(512, c.heads, c.log), h.sizeBytes(), "%d records", c.records)
	}
	require.Zero(t, h.missed)

	// A budget is allocated at once.
	for budget, size := range map[int]uint64{
		1024:     bytes(64, 16, 24),
		16 << 10: bytes(1024, 240, 864),
	} {
		h := New(Goal{Phi: 1, Memory: budget})
		require.Equal(t, size, h.sizeBytes())
		addMany(&h, 1, 1000, 1)
		require.Equal(t, size, h.sizeBytes())
	}
}

// A decoded tracker holds what its records need, with a head for each, and the
// rest of its budget once it counts another key.
func TestDecodedTrackerAllocatesLate(t *testing.T) {
	for _, records := range []int{0, 1, 10} {
		h := New(Goal{Phi: 1, Memory: 16 << 10})
		addMany(&h, 1, records, 1)
		full := h.sizeBytes()
		g, err := recode(&h)
		require.NoError(t, err)
		require.Equal(t, uint64(256+8*1024+4*max(1, records)+8*4*records), g.sizeBytes(), "%d records", records)
		add(&g, "another", 1)
		require.Equal(t, records+1, g.live)
		require.Equal(t, full, g.sizeBytes(), "%d records", records)
	}
}

// A decoded log that is full of long keys has few heads. Short keys that
// displace them get all the heads that the budget pays for.
func TestShortKeysAfterLongOnesDoNotShareAHead(t *testing.T) {
	h := New(Goal{Phi: 1, Memory: 16 << 10})
	h.want = 0 // so that the tail is not halved
	heads := len(h.index.heads)
	for i := range 8 {
		add(&h, fmt.Sprint(i)+strings.Repeat("x", lengthFor(h.room/8)-1), 1)
	}
	require.Zero(t, h.lacks(0))
	g, err := recode(&h)
	require.NoError(t, err)
	require.Equal(t, 8, len(g.index.heads))
	g.want = 0
	addMany(&g, 1, 150, 2)
	require.Equal(t, 150, g.live)
	require.Equal(t, heads, len(g.index.heads))
}

// The room of a log that grows doubles until it is large enough, up to what an
// index of 32 bits can tell apart.
func TestRoomDoubles(t *testing.T) {
	h := New(Goal{Phi: 0.1})
	for _, c := range []struct{ need, room uint64 }{{513, 1024}, {1025, 2048}, {4096, 4096}, {4097, 8192}, {40_000, 65_536}} {
		require.True(t, h.grow(c.need))
		require.Equal(t, c.room, h.room, "%d words", c.need)
	}
	require.True(t, h.grow(maxLog/2))
	require.Equal(t, uint64(maxLog/2+1), h.room)
	require.False(t, h.grow(maxLog/2+2))
	require.Equal(t, uint64(maxLog/2+1), h.room)
}

// A tail is widened when a count does not fit, not before.
func TestTheLargestCountOfATailFits(t *testing.T) {
	h := New(Goal{Phi: 0.1, Memory: 1024})
	for to, shift := range map[uint64]uint8{15: 2, 16: 3, 255: 3, 256: 4, 1<<16 - 1: 4, 1 << 16: 5, 1<<32 - 1: 5, 1 << 32: 6} {
		for _, goal := range []Goal{{Phi: 0.1}, {Phi: 0.1, Memory: 1024}} {
			h = New(goal)
			h.raise(77, to)
			require.Equal(t, shift, h.tail.shift, "%d", to)
			require.Equal(t, to, h.tail.count(77))
			g := New(goal)
			g.match(&h.tail)
			g.tail.cover(&h.tail)
			require.Equal(t, shift, g.tail.shift, "%d", to)
			require.Equal(t, to, g.tail.count(77))
		}
	}
}

// Without a budget a key too long for the log makes it grow, even if the log
// holds all the records that it should.
func TestALogGrowsForALongKey(t *testing.T) {
	h := New(Goal{Phi: 0.1})
	addMany(&h, 1, 250, 2)
	require.Equal(t, uint64(1024), h.room)
	h.want = 0
	long := strings.Repeat("x", 8000) // 1005 words
	add(&h, long, 1)
	require.Equal(t, Estimate{Low: 1, High: 1}, keys(&h, 0)[long])
	require.Equal(t, 251, h.live)
	require.Equal(t, uint64(2048), h.room)
}
