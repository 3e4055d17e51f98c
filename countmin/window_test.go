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
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/hashfam"
)

// An event is a key in the model of a window.
type event struct {
	key string
	at  int64 // nanoseconds since 1970, for a window of a Span
}

// A windowModel has every key of the stream, in order.
type windowModel struct {
	config WindowConfig
	events []event
	now    int64
	timed  bool
}

// advance follows Window.Advance: time does not go back, and what came before
// the first time came at it.
func (m *windowModel) advance(now int64) {
	if !m.timed {
		for i := range m.events {
			m.events[i].at = now
		}
		m.now, m.timed = now, true
	}
	m.now = max(m.now, now)
}

func (m *windowModel) add(key string, n int) {
	for range n {
		m.events = append(m.events, event{key, m.now})
	}
}

// exactly returns the counts of exactly the last Keys keys or the last Span.
func (m *windowModel) exactly() (counts map[string]uint64, total uint64) {
	return m.count(func(i int, e event) bool {
		if m.config.Keys > 0 {
			return uint64(len(m.events)-i) <= m.config.Keys
		}
		return e.at > m.now-int64(m.config.Span)
	})
}

func (m *windowModel) count(in func(i int, e event) bool) (counts map[string]uint64, total uint64) {
	counts = map[string]uint64{}
	for i, e := range m.events {
		if in(i, e) {
			counts[e.key]++
			total++
		}
	}
	return counts, total
}

// covered returns the counts of what the window covers, by its documentation:
// the last Total keys, or what came since the beginning of the oldest pane.
func (m *windowModel) covered(w *Window) (counts map[string]uint64, total uint64) {
	pane := int64(m.config.Span) / int64(m.config.Panes)
	return m.count(func(i int, e event) bool {
		if m.config.Keys > 0 {
			return uint64(len(m.events)-i) <= w.Total()
		}
		return !m.timed || floorDiv(e.at, pane) >= floorDiv(m.now, pane)-int64(m.config.Panes)
	})
}

func floorDiv(a, b int64) int64 {
	return int64(math.Floor(float64(a) / float64(b)))
}

// check compares w with the model.
func (m *windowModel) check(t require.TestingT, w *Window) {
	counts, total := m.covered(w)
	exact, wanted := m.exactly()
	require.Equal(t, total, w.Total())
	if m.config.Keys > 0 {
		require.GreaterOrEqual(t, total, wanted, "the window is too short")
		require.LessOrEqual(t, total, m.config.Keys+uint64(m.config.Panes)+m.config.paneKeys(), "the window is too long")
	}
	all := reported(t, w, w.All())
	for key, n := range counts {
		bounded(t, key, n, w.EstimateString(key))
	}
	for _, e := range m.events {
		bounded(t, e.key, counts[e.key], w.EstimateString(e.key)) // those that are forgotten, too
	}
	if !w.Complete() {
		return
	}
	for key, n := range exact {
		if float64(n) >= m.config.Phi*float64(wanted) {
			require.Contains(t, all, key, "%d of exactly %d", n, wanted)
		}
	}
	for key, n := range counts {
		if float64(n) >= m.config.Phi*float64(total) {
			require.Contains(t, all, key, "%d of %d covered", n, total)
		}
	}
}

// A window beside a list of all keys. At every moment, whatever is added, when
// and how: the window covers what it says, the bounds of every key hold, and
// every heavy hitter is reported, of what is covered and of exactly the last
// Keys keys or Span.
func TestWindowsBesideAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := WindowConfig{
			Phi:   rapid.SampledFrom([]float64{0.5, 0.1, 0.03}).Draw(t, "phi"),
			Panes: rapid.SampledFrom([]int{1, 2, 3, 7}).Draw(t, "panes"),
		}
		if rapid.Bool().Draw(t, "budget") {
			c.MemoryBytes = leastPaneBytes * (c.Panes + 1)
		}
		if rapid.Bool().Draw(t, "keys") {
			c.Keys = rapid.Uint64Range(1, 60).Draw(t, "window")
		} else {
			c.Span = time.Duration(c.Panes) * time.Duration(rapid.IntRange(1, 20).Draw(t, "pane"))
		}
		w := must(NewWindow(c))
		m := &windowModel{config: w.Params()}
		key := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "key")) })
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				for range rapid.IntRange(1, 20).Draw(t, "some") {
					k := key.Draw(t, "key")
					w.AddString(k)
					m.add(k, 1)
				}
			},
			"add n": func(t *rapid.T) {
				k, n := key.Draw(t, "key"), rapid.IntRange(0, 300).Draw(t, "n")
				w.AddNString(k, uint64(n))
				m.add(k, n)
			},
			"add at": func(t *rapid.T) {
				k, now := key.Draw(t, "key"), m.now+rapid.Int64Range(-20, 60).Draw(t, "later")
				if c.Span > 0 {
					m.advance(now)
				}
				w.AddAt([]byte(k), time.Unix(0, now))
				m.add(k, 1)
			},
			"advance": func(t *rapid.T) {
				now := m.now + rapid.Int64Range(-100, 100).Draw(t, "later")
				if c.Span > 0 {
					m.advance(now)
				}
				w.Advance(time.Unix(0, now))
			},
			"round trip": func(t *rapid.T) {
				b := must(w.MarshalBinary())
				r := NewWindowReceiver(hashfam.Family{})
				require.NoError(t, r.UnmarshalBinary(b))
				require.True(t, r.Equal(w))
				w = r
			},
			"": func(t *rapid.T) {
				m.check(t, w)
				if c.MemoryBytes > 0 {
					require.LessOrEqual(t, w.SizeBytes(), uint64(c.MemoryBytes))
				} else if c.Keys > 0 {
					require.True(t, w.Complete(), "memory grows as the guarantee needs")
				}
			},
		})
	})
}

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
				w.AddAt(s.Keys[id], time.Unix(0, now))
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
					w.AddNString("b", 3)
				}
				one.AddNString("c", n)
				for range n {
					many.AddString("c")
				}
				require.True(t, one.Equal(many), "%d keys, %d panes, n %d", keys, panes, n)
			}
		}
	}
	w := must(NewWindow(WindowConfig{Phi: 0.1, Keys: mostKeys, Panes: 1}))
	w.AddNString("a", math.MaxUint64)
	require.Equal(t, uint64(mostKeys+mostKeys-1), w.Total()) // all but the last three are in full panes
	w = must(NewWindow(WindowConfig{Phi: 0.1, Keys: 1000}))
	w.AddNString("a", math.MaxUint64)
	require.LessOrEqual(t, w.Total(), uint64(1125))
	require.GreaterOrEqual(t, w.Total(), uint64(1000))
}

// Time does not go back; the first time is that of what came before it; and
// times that do not fit are the first or the last that do.
func TestTimeOfAWindow(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	w := must(NewWindow(WindowConfig{Phi: 0.1, Span: time.Hour}))
	w.AddString("before any time")
	w.Advance(year(1969))
	require.Equal(t, uint64(1), w.Total())
	w.AddAt([]byte("early"), year(1))
	w.AddStringAt("early", year(1900))
	require.Equal(t, uint64(2), w.EstimateString("early").Low, "counted as of the latest time")
	w.Advance(year(1969).Add(time.Hour - 1))
	require.Equal(t, uint64(3), w.Total())
	w.Advance(year(1969).Add(time.Hour + time.Hour/8))
	require.Zero(t, w.Total())
	require.Equal(t, Estimate{}, w.EstimateString("early"))
	for _, y := range []int{2261, 2263, 100_000} {
		w.AddAt([]byte("late"), year(y))
	}
	require.Equal(t, uint64(2), w.Total())
	w.AddStringAt("early", year(1970))
	require.Equal(t, uint64(3), w.Total())

	first := must(NewWindow(WindowConfig{Phi: 0.1, Span: math.MaxInt64 - 1024, Panes: 1}))
	first.AddStringAt("a", year(-100_000))
	first.AddStringAt("a", year(100_000))
	require.Equal(t, uint64(2), first.Total(), "the oldest pane reaches back that far")
	b := must(first.MarshalBinary())
	require.NoError(t, NewWindowReceiver(hashfam.Family{}).UnmarshalBinary(b))

	fine := must(NewWindow(WindowConfig{Phi: 0.1, Span: 2, Panes: 2}))
	fine.AddStringAt("a", year(-100_000))
	fine.AddStringAt("a", year(100_000)) // the distance in panes does not fit into an int64
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
		w.AddNString("old", old)
		w.Advance(start.Add(time.Hour))
		w.AddNString("new", 10)
		require.EqualValues(t, uint64(math.MaxUint64), w.Total())
		require.EqualValues(t, 5, w.Threshold())
		require.True(t, w.Complete())
		require.Equal(t, []string{"old", "new"}, keysOf(w.All()))
	}
}

func TestWindowConfigsAreChecked(t *testing.T) {
	good := WindowConfig{Phi: 0.1, Keys: 10}
	w, err := NewWindow(good)
	require.NoError(t, err)
	require.Equal(t, WindowConfig{Phi: 0.1, Keys: 10, Panes: 8}, w.Params())
	w, err = NewWindow(WindowConfig{Phi: 0.1, Span: 1001, Panes: 8})
	require.NoError(t, err)
	require.Equal(t, time.Duration(1008), w.Params().Span)
	for field, change := range map[string]func(*WindowConfig){
		"WindowConfig.Phi":         func(c *WindowConfig) { c.Phi = math.NaN() },
		"WindowConfig":             func(c *WindowConfig) { c.Keys = 0 },
		"WindowConfig.Keys":        func(c *WindowConfig) { c.Keys = 1<<62 + 1 },
		"WindowConfig.Span":        func(c *WindowConfig) { c.Span = -1 },
		"WindowConfig.Panes":       func(c *WindowConfig) { c.Panes = 1025 },
		"WindowConfig.MemoryBytes": func(c *WindowConfig) { c.MemoryBytes = 1280*9 - 1 },
	} {
		c := good
		change(&c)
		_, err := NewWindow(c)
		require.ErrorIs(t, err, ErrParams)
		var fe *FieldError
		require.ErrorAs(t, err, &fe)
		require.Equal(t, field, fe.Field)
	}
	for _, c := range []WindowConfig{{Phi: 1.1, Keys: 1}, {Phi: 0.1, Keys: 1, Span: 8}, {Phi: 0.1, Span: math.MaxInt64},
		{Phi: 0.1, Keys: 1, Panes: -1}, {Phi: 0.1, Keys: 1, MemoryBytes: -1}} {
		_, err := NewWindow(c)
		require.ErrorIs(t, err, ErrParams)
	}
}

// A zero Window answers as zero HeavyHitters do, and adding to it counts
// nothing.
func TestZeroWindow(t *testing.T) {
	var w Window
	w.AddString("a")
	w.AddNString("a", 3)
	w.Advance(time.Now())
	w.AddAll([][]byte{nil})
	require.Equal(t, Estimate{math.MaxUint64, 0, math.MaxUint64}, w.EstimateString("a"))
	require.Empty(t, keysOf(w.All()))
	require.False(t, w.Complete())
	require.Zero(t, w.Total())
	w.Reset()
	require.True(t, w.Clone().Equal(&w))
	require.ErrorIs(t, (*Window)(nil).AddAllDigests(nil, nil), ErrParams)
	require.ErrorIs(t, must(NewWindow(WindowConfig{Phi: 1, Keys: 1})).AddAllDigests(nil, [][]byte{nil}), ErrParams)
}

// What the runtime says is held is within the budget of a window, and of
// concurrent heavy hitters, whatever the keys.
func TestMemoryOfWindowsAndShardsIsWithinTheBudget(t *testing.T) {
	const copies, budget = 8, 64 << 10
	for name, build := range map[string]func(seed uint64) any{
		"window": func(seed uint64) any {
			w := must(NewWindow(WindowConfig{Phi: 0.001, Keys: 1500, MemoryBytes: budget}))
			r := rand.New(rand.NewPCG(seed, 1))
			for range 4000 {
				w.AddString(fmt.Sprintf("%0*d", r.IntN(60), int(r.ExpFloat64()*300)))
			}
			require.LessOrEqual(t, w.SizeBytes(), uint64(budget))
			return w
		},
		"shards": func(seed uint64) any {
			c := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: budget}))
			r := rand.New(rand.NewPCG(seed, 1))
			for range 4000 {
				c.AddString(fmt.Sprintf("%0*d", r.IntN(60), int(r.ExpFloat64()*300)))
			}
			require.LessOrEqual(t, c.SizeBytes(), uint64(budget))
			return c
		},
	} {
		least := int64(math.MaxInt64)
		for attempt := 0; attempt < 6 && least > budget*copies; attempt++ {
			var hold [copies]any
			before := heapBytes()
			for i := range hold {
				hold[i] = build(uint64(i))
			}
			least = min(least, heapBytes()-before)
			runtime.KeepAlive(&hold)
		}
		t.Logf("%s: %d bytes", name, least/copies)
		require.LessOrEqual(t, least, int64(budget*copies)+2048, name)
	}
}
