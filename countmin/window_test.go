package countmin

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/hashfam"
)

// At moments all over real streams, the top pages of exactly the last 10,000
// requests, and of exactly the last hour, are all reported.
func TestWindowsOfRealStreams(t *testing.T) {
	const second = int64(time.Second)
	for _, s := range []*streams.Stream{streams.Web12(), streams.Weblog()} {
		for _, c := range []WindowConfig{
			{Phi: 0.01, Keys: 10_000},
			{Phi: 0.002, Keys: 1_000, Panes: 3},
			{Phi: 0.02, Keys: 2_000, MemoryBytes: 64 << 10},
			{Phi: 0.01, Span: time.Hour},
			{Phi: 0.01, Span: time.Hour, Panes: 60, MemoryBytes: 512 << 10},
		} {
			w := must(NewWindow(c))
			r := rand.New(rand.NewPCG(3, 4))
			var times []int64 // requests come in bursts, a few thousand in an hour
			now := int64(0)
			reports, extra := 0, 0
			for i, id := range s.IDs {
				if now += int64(r.ExpFloat64() * float64(second)); r.IntN(2000) == 0 {
					now += 600 * second
				}
				times = append(times, now)
				w.Advance(time.Unix(0, now))
				w.Add(s.Keys[id])
				if i%1777 != 0 && i != len(s.IDs)-1 {
					continue
				}
				first := 0
				if c.Keys > 0 {
					first = max(0, i+1-int(c.Keys))
				} else {
					for times[first] <= now-int64(c.Span) {
						first++
					}
				}
				exact := map[string]uint64{}
				for _, id := range s.IDs[first : i+1] {
					exact[string(s.Keys[id])]++
				}
				require.True(t, w.Complete(), "%s, %v after %d: missed %d of %d", s.Name, c, i, w.MissBound(), w.Threshold())
				all := maps.Collect(w.All())
				for key, n := range exact {
					if float64(n) >= c.Phi*float64(i+1-first) {
						require.Contains(t, all, key, "%s, %v after %d", s.Name, c, i)
						require.GreaterOrEqual(t, all[key].High, n)
						reports++
					}
				}
				extra += len(all)
			}
			t.Logf("%s, %v: %d heavy hitters of exactly the window, %d reported, %d bytes", s.Name, c, reports, extra, w.SizeBytes())
			require.NotZero(t, reports)
			require.Less(t, extra, 2*reports, "far too many are reported")
		}
	}
}

// AddN does what as many Adds do, at once, however large n is.
func TestAddNOfAWindowIsManyAdds(t *testing.T) {
	for _, keys := range []uint64{1, 5, 30, 64} {
		for panes := range 4 {
			for n := range uint64(80) {
				one := must(NewWindow(WindowConfig{Phi: 0.1, Keys: keys, Panes: panes, MemoryBytes: 1 << 14}))
				many := one.Clone()
				for _, w := range []*Window{one, many} {
					w.AddString("a")
					w.AddN([]byte("b"), 3)
				}
				one.AddN([]byte("c"), n)
				for range n {
					many.AddString("c")
				}
				require.True(t, one.Equal(many), "%d keys, %d panes, n %d", keys, panes, n)
			}
		}
	}
	w := must(NewWindow(WindowConfig{Phi: 0.1, Keys: mostKeys, Panes: 1}))
	w.AddN([]byte("a"), math.MaxUint64)
	require.Equal(t, uint64(mostKeys+mostKeys-1), w.Total()) // all but the last three are in full panes
	w = must(NewWindow(WindowConfig{Phi: 0.1, Keys: 1000}))
	w.AddN([]byte("a"), math.MaxUint64)
	require.LessOrEqual(t, w.Total(), uint64(1125))
	require.GreaterOrEqual(t, w.Total(), uint64(1000))
}

func addAt(w *Window, key string, t time.Time) {
	w.Advance(t)
	w.AddString(key)
}

// Time does not go back; the first time is that of what came before it; and
// times that do not fit are the first or the last that do.
func TestTimeOfAWindow(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	w := must(NewWindow(WindowConfig{Phi: 0.1, Span: time.Hour}))
	w.AddString("before any time")
	w.Advance(year(1969))
	require.Equal(t, uint64(1), w.Total())
	addAt(w, "early", year(1))
	addAt(w, "early", year(1900))
	require.Equal(t, uint64(2), w.EstimateString("early").Low, "counted as of the latest time")
	w.Advance(year(1969).Add(time.Hour - 1))
	require.Equal(t, uint64(3), w.Total())
	w.Advance(year(1969).Add(time.Hour + time.Hour/8))
	require.Zero(t, w.Total())
	require.Equal(t, Estimate{}, w.EstimateString("early"))
	for _, y := range []int{2261, 2263, 100_000} {
		addAt(w, "late", year(y))
	}
	require.Equal(t, uint64(2), w.Total())
	addAt(w, "early", year(1970))
	require.Equal(t, uint64(3), w.Total())

	first := must(NewWindow(WindowConfig{Phi: 0.1, Span: math.MaxInt64 - 1024, Panes: 1}))
	addAt(first, "a", year(1680))
	addAt(first, "a", year(2260))
	require.Equal(t, uint64(2), first.Total(), "the oldest pane reaches back that far")
	b := must(first.MarshalBinary())
	require.NoError(t, NewWindowReceiver(hashfam.Family{}).UnmarshalBinary(b))

	fine := must(NewWindow(WindowConfig{Phi: 0.1, Span: 2, Panes: 2}))
	addAt(fine, "a", year(-100_000))
	addAt(fine, "a", year(100_000)) // the distance in panes does not fit into an int64
	require.Equal(t, uint64(1), fine.Total())
	b = must(fine.MarshalBinary())
	require.NoError(t, NewWindowReceiver(hashfam.Family{}).UnmarshalBinary(b))
}

// The oldest pane may count 2^64-1, or more: the threshold is the share of what
// came since.
func TestTheThresholdAfterAFullPane(t *testing.T) {
	start := time.Unix(0, 0)
	for _, old := range []uint64{math.MaxUint64, math.MaxUint64 - 5} {
		w := must(NewWindow(WindowConfig{Phi: 0.5, Span: time.Hour, Panes: 2}))
		w.Advance(start)
		w.AddN([]byte("old"), old)
		w.Advance(start.Add(time.Hour))
		w.AddN([]byte("new"), 10)
		require.EqualValues(t, uint64(math.MaxUint64), w.Total())
		require.EqualValues(t, 5, w.Threshold())
		require.True(t, w.Complete())
		require.Equal(t, []string{"old", "new"}, keysOf(w.All()))
	}
}

// What the runtime says is held is within the budget of a window, whatever the
// keys.
func TestMemoryOfAWindowIsWithinTheBudget(t *testing.T) {
	const copies, budget = 8, 64 << 10
	least := int64(math.MaxInt64)
	for attempt := 0; attempt < 6 && least > budget*copies; attempt++ {
		var hold [copies]*Window
		before := heapBytes()
		for i := range hold {
			w := must(NewWindow(WindowConfig{Phi: 0.001, Keys: 1500, MemoryBytes: budget}))
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for range 4000 {
				w.AddString(fmt.Sprintf("%0*d", r.IntN(60), int(r.ExpFloat64()*300)))
			}
			require.LessOrEqual(t, w.SizeBytes(), uint64(budget))
			hold[i] = w
		}
		least = min(least, heapBytes()-before)
		runtime.KeepAlive(&hold)
	}
	t.Logf("%d bytes", least/copies)
	require.LessOrEqual(t, least, int64(budget*copies)+2048)
}
