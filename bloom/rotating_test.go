package bloom

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/data"
)

func mustRotate(t require.TestingT, c RotatingConfig) *Rotating {
	r, err := NewRotating(c)
	require.NoError(t, err)
	return r
}

// A history is the exact model of a window: when each key was seen last, as a
// number of keys or as a time.
type history map[string]int64

// within reports whether key was seen at most window before now.
func (h history) within(key string, now, window int64) bool {
	last, seen := h[key]
	return seen && now-last <= window
}

// On real streams a filter finds every key of the last N. It finds keys that
// are older, by more than a generation, only if they are false positives. There
// are fewer of these than the rate allows, because the streams repeat keys; but
// one that is asked for again is wrong again, so twice as many are allowed.
func TestRotatingAgainstAnExactWindowOfKeys(t *testing.T) {
	for name, stream := range map[string][]string{"web12": data.RequestsWeb12(), "weblog": data.WeblogPaths()} {
		for _, c := range []RotatingConfig{
			{Capacity: 1000, FPRate: 0.01},
			{Capacity: 1000, FPRate: 0.01, Generations: 1},
			{Capacity: 777, FPRate: 0.05, Generations: 10, Layout: Partitioned},
			{Capacity: 5000, FPRate: 0.001, Generations: 3, Layout: Blocked},
			{Capacity: 1, FPRate: 0.01},
		} {
			r, seen := mustRotate(t, c), history{}
			c = r.Config()
			wrong, absent := 0, 0
			for i, key := range stream {
				now := int64(i)
				found := r.ContainsString(key)
				r.AddString(key)
				switch {
				case seen.within(key, now, int64(c.Capacity)):
					require.True(t, found, "%s: forgot %q after %d of %d keys", name, key, now-seen[key], c.Capacity)
				case !seen.within(key, now, int64(c.Capacity+c.perGeneration())):
					absent++
					if found {
						wrong++
					}
				}
				seen[key] = now
			}
			t.Logf("%s, %v: %d of %d wrong", name, c, wrong, absent)
			if c.Capacity > 1 { // the same few keys collide all the time
				require.LessOrEqual(t, float64(wrong), 2*c.FPRate*float64(absent))
			}
		}
	}
}

// Requests at random times, some of them out of order: every key seen within
// Span is found, and older ones are not, except false positives.
func TestRotatingAgainstAnExactWindowOfTime(t *testing.T) {
	for _, c := range []RotatingConfig{
		{Capacity: 2000, FPRate: 0.01, Span: time.Hour},
		{Capacity: 2000, FPRate: 0.01, Span: time.Hour, Generations: 1, Layout: Blocked},
		{Capacity: 2000, FPRate: 0.01, Span: time.Hour + 7, Generations: 12, Layout: Partitioned},
	} {
		r, seen := mustRotate(t, c), history{}
		random := rand.New(rand.NewPCG(3, 5))
		now := time.Date(2013, 12, 1, 0, 0, 0, 0, time.UTC)
		latest := now // the time of the filter
		window, part := int64(c.Span), int64(c.Span)/int64(r.config.Generations)+1
		wrong, absent := 0, 0
		for _, key := range data.RequestsWeb12() {
			now = now.Add(time.Duration(random.ExpFloat64() * float64(28*time.Second)))
			if random.IntN(1000) == 0 {
				now = now.Add(time.Duration(random.Int64N(5 * window))) // a quiet time
			}
			at := now.Add(-time.Duration(random.Int64N(int64(time.Minute))))
			if at.After(latest) {
				latest = at
			}
			end := latest.UnixNano()
			r.Advance(at)
			found := r.ContainsString(key)
			r.AddString(key)
			switch {
			case seen.within(key, end, window):
				require.True(t, found, "forgot %q after %v", key, time.Duration(end-seen[key]))
			case !seen.within(key, end, window+part):
				absent++
				if found {
					wrong++
				}
			}
			seen[key] = end // what is seen out of order counts as seen now
		}
		t.Logf("%v: %d of %d wrong", r.config, wrong, absent)
		require.LessOrEqual(t, float64(wrong), 2*c.FPRate*float64(absent))
	}
}

// The rate of a window that is as full as it can be.
func TestRotatingKeepsItsRate(t *testing.T) {
	for _, layout := range layouts {
		for _, g := range []int{1, 2, 4, 8} {
			r := mustRotate(t, RotatingConfig{Capacity: 20_000, FPRate: 0.01, Generations: g, Layout: layout})
			for i := range 3 * r.config.perGeneration() * uint64(g+1) {
				r.AddDigest(sum(r, i))
			}
			rate := r.FalsePositiveRate()
			t.Logf("%v, %d generations: rate %.4f %%, %.1f bits per key", layout, g, 100*rate, float64(8*r.SizeBytes())/20_000)
			// The fill of a filter of 20,000 keys varies by less than 1 %.
			require.InEpsilon(t, 0.01, rate, 0.05)
			require.InEpsilon(t, 20_000*float64(g+1)/float64(g), r.EstimatedLen(), 0.05)
		}
	}
}

// Windows whose keys all come at once. One generation has room for them; four
// have not, as choosing.md says.
func TestRotatingTakesABurst(t *testing.T) {
	for g, want := range map[int]float64{1: 0.01, 4: 0.56} {
		r := mustRotate(t, RotatingConfig{Capacity: 20_000, Span: time.Hour, FPRate: 0.01, Generations: g})
		for window := range uint64(3) {
			r.Advance(time.Unix(0, 0).Add(time.Duration(window) * time.Hour))
			for i := range uint64(20_000) {
				r.AddDigest(sum(r, window<<32|i))
			}
		}
		if g == 4 { // The burst before is still there, in the oldest generation.
			want = 1 - (1-want)*(1-want)
		}
		require.InEpsilon(t, want, r.FalsePositiveRate(), 0.05)
	}
}

// An alert that goes off all the time for two hours, and is to be sent at most
// once in ten minutes, is sent every ten minutes, or up to a quarter of that
// later: a key that is found is not recorded again.
func TestAKeyThatIsFoundIsNotAddedAgain(t *testing.T) {
	c := RotatingConfig{Capacity: 100, Span: 10 * time.Minute, FPRate: 0.001}
	sent := mustRotate(t, c)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	last, times := start.Add(-time.Hour), 0
	for now := start; now.Before(start.Add(2 * time.Hour)); now = now.Add(20 * time.Second) {
		sent.Advance(now)
		if sent.ContainsOrAddString("disk full") {
			continue
		}
		require.GreaterOrEqual(t, now.Sub(last), c.Span)
		if times++; times > 1 {
			require.LessOrEqual(t, now.Sub(last), c.Span*5/4+20*time.Second)
		}
		last = now
	}
	require.True(t, times >= 10 && times <= 12, "sent %d times", times)

	// A key that is added again is remembered for longer.
	seen := mustRotate(t, c)
	seen.AddString("disk full")
	for now := start; now.Before(start.Add(2 * time.Hour)); now = now.Add(9 * time.Minute) {
		seen.Advance(now)
		require.True(t, seen.ContainsString("disk full"))
		seen.AddString("disk full")
	}
}

// Keys that were added before any time was known are as old as the first time.
func TestKeysWithoutATimeAreNotForgottenAtTheFirstTime(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.001, Span: time.Hour})
	r.AddString("early")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.Advance(now)
	r.AddString("late")
	r.Advance(now.Add(-time.Hour)) // never back
	r.Advance(now.Add(time.Hour))
	require.True(t, r.ContainsString("early"))
	require.True(t, r.ContainsString("late"))
	r.Advance(now.Add(time.Hour + 16*time.Minute))
	require.False(t, r.ContainsString("early"))
	require.False(t, r.ContainsString("late"))
}

// Filters with the same bits are not equal if their windows end elsewhere.
func TestTheEndOfAWindowCounts(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.01, Span: time.Hour})
	c := r.Clone()
	require.True(t, c.Equal(r))
	c.Advance(time.Unix(1e9, 0))
	require.False(t, c.Equal(r))
	r.Advance(time.Unix(1e9, 0))
	require.True(t, c.Equal(r))
}

func TestRotatingConfigsAreChecked(t *testing.T) {
	for _, c := range []struct {
		config RotatingConfig
		field  string
	}{
		{RotatingConfig{FPRate: 0.01}, "RotatingConfig.Capacity"},
		{RotatingConfig{Capacity: 1}, "RotatingConfig.FPRate"},
		{RotatingConfig{Capacity: 1, FPRate: 1}, "RotatingConfig.FPRate"},
		{RotatingConfig{Capacity: 1, FPRate: math.NaN()}, "RotatingConfig.FPRate"},
		{RotatingConfig{Capacity: 1, FPRate: 0.1, Span: -1}, "RotatingConfig.Span"},
		{RotatingConfig{Capacity: 1, FPRate: 0.1, Generations: -1}, "RotatingConfig.Generations"},
		{RotatingConfig{Capacity: 1, FPRate: 0.1, Generations: 256}, "RotatingConfig.Generations"},
		{RotatingConfig{Capacity: 1, FPRate: 0.1, Layout: 3}, "RotatingConfig.Layout"},
		{RotatingConfig{Capacity: math.MaxUint64, FPRate: 0.1}, "RotatingConfig.Capacity"},
		{RotatingConfig{Capacity: 1 << 50, FPRate: 0.1}, "RotatingConfig.Capacity"},
	} {
		_, err := NewRotating(c.config)
		requireField(t, err, ErrParams, c.field)
	}
}

// The size is known before the filter is made.
func TestRotatingConfigsKnowTheSizeOfANewFilter(t *testing.T) {
	for _, c := range []RotatingConfig{
		{Capacity: 1, FPRate: 0.5}, {Capacity: 10_000, FPRate: 0.01, Generations: 7, Layout: Blocked},
	} {
		size, err := c.SizeBytes()
		require.NoError(t, err)
		require.Equal(t, mustRotate(t, c).SizeBytes(), size, "%v", c)
	}
	require.ErrorIs(t, errorOf(RotatingConfig{Capacity: 1}.SizeBytes()), ErrParams)
	require.ErrorIs(t, errorOf(RotatingConfig{Capacity: 1 << 50, FPRate: 0.1}.SizeBytes()), ErrParams)
}
