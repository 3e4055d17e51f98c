package bloom

import (
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
// number of keys or as a time. It counts the keys that are older than the
// window and a generation, and those of them that are found.
type history struct {
	*testing.T
	window, part  int64
	last          map[string]int64
	wrong, absent int
}

// see checks that a key that was seen within the window is found, and notes
// that it is seen again.
func (h *history) see(key string, now int64, found bool) {
	last, seen := h.last[key]
	switch {
	case seen && now-last <= h.window:
		require.True(h, found, "forgot %q after %d of %d", key, now-last, h.window)
	case !seen || now-last > h.window+h.part:
		h.absent++
		if found {
			h.wrong++
		}
	}
	h.last[key] = now
}

// check checks that the filter made no more errors than the rate allows. There
// are fewer, because streams repeat keys; but one that is asked for again is
// wrong again, so twice as many are allowed.
func (h *history) check(c RotatingConfig) {
	h.Logf("%v: %d of %d wrong", c, h.wrong, h.absent)
	if c.Capacity > 1 { // the same few keys collide all the time
		require.LessOrEqual(h, float64(h.wrong), 2*c.FPRate*float64(h.absent))
	}
}

// On real streams a filter finds every key of the last N. It finds keys that
// are older, by more than a generation, only if they are false positives.
func TestRotatingAgainstAnExactWindowOfKeys(t *testing.T) {
	for _, stream := range [][]string{data.RequestsWeb12(), data.WeblogPaths()} {
		for _, c := range []RotatingConfig{
			{Capacity: 1000, FPRate: 0.01},
			{Capacity: 1000, FPRate: 0.01, Generations: 1},
			{Capacity: 777, FPRate: 0.05, Generations: 10, Layout: Partitioned},
			{Capacity: 5000, FPRate: 0.001, Generations: 3, Layout: Blocked},
			{Capacity: 1, FPRate: 0.01},
		} {
			r := mustRotate(t, c)
			h := history{T: t, window: int64(c.Capacity), part: int64(r.config.perGeneration()), last: map[string]int64{}}
			for i, key := range stream {
				found := r.ContainsString(key)
				r.AddString(key)
				h.see(key, int64(i), found)
			}
			h.check(c)
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
		r, random := mustRotate(t, c), rand.New(rand.NewPCG(3, 5))
		h := history{T: t, window: int64(c.Span), part: int64(c.Span)/int64(r.config.Generations) + 1, last: map[string]int64{}}
		now := time.Date(2013, 12, 1, 0, 0, 0, 0, time.UTC)
		latest := now // the time of the filter
		for _, key := range data.RequestsWeb12() {
			now = now.Add(time.Duration(random.ExpFloat64() * float64(28*time.Second)))
			if random.IntN(1000) == 0 {
				now = now.Add(time.Duration(random.Int64N(5 * h.window))) // a quiet time
			}
			at := now.Add(-time.Duration(random.Int64N(int64(time.Minute))))
			if at.After(latest) {
				latest = at
			}
			r.Advance(at)
			found := r.ContainsString(key)
			r.AddString(key)
			h.see(key, latest.UnixNano(), found) // what is seen out of order counts as seen now
		}
		h.check(c)
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
