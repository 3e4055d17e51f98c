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

// A window that ContainsOrAdd fills keeps its rate just before each turn, never
// states a rate below the measured one, and never stops to add keys. The
// tolerances are six standard deviations.
func TestRotatingKeepsItsRateUnderContainsOrAdd(t *testing.T) {
	for _, layout := range layouts {
		for _, g := range []int{1, 2, 4} {
			for _, rate := range []float64{0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9} {
				c := RotatingConfig{Capacity: 20_000, FPRate: rate, Generations: g, Layout: layout}
				fillRotating(t, c)
				if c.Span = time.Hour; g == 2 {
					fillRotating(t, c)
				}
			}
		}
	}
}

// fillRotating fills two windows of c with ContainsOrAdd.
func fillRotating(t *testing.T, c RotatingConfig) {
	const queries = 50_000
	r, key := mustRotate(t, c), uint64(0)
	add := func(n, asked uint64) { // at most as many keys, until n have been added
		for limit := key + asked; n > 0 && key < limit; key++ {
			if !r.ContainsOrAddDigest(sum(r, key)) {
				n--
			}
		}
		require.Zero(t, n, "%v adds no keys", r)
	}
	for turn := range 2*c.Generations + 2 {
		r.Advance(time.Unix(0, 0).Add(time.Duration(turn) * c.Span / time.Duration(c.Generations)))
		add(c.perGeneration(), 10*c.Capacity)
		if turn <= c.Generations {
			continue // not all generations are full
		}
		measured, stated := shareFound(r, queries), r.FalsePositiveRate()
		noise := 6 * math.Sqrt(c.FPRate/queries)
		require.LessOrEqual(t, measured, c.FPRate+noise, "%v", r)
		require.LessOrEqual(t, stated, 1.02*c.FPRate, "%v", r) // the fill varies by less
		require.LessOrEqual(t, measured, stated+noise, "%v", r)
	}
	if c.Span == 0 && c.FPRate > 0.7 {
		for limit := key + 1_000_000; key < limit; key++ {
			r.ContainsOrAddDigest(sum(r, key))
		}
		add(10_000, 100_000)
	}
}

// sizedBefore returns a filter as NewRotating once made it: it did not allow
// for the keys that ContainsOrAdd finds.
func sizedBefore(c RotatingConfig) (*Rotating, error) {
	r, err := NewRotating(c)
	if err != nil {
		return nil, err
	}
	g := r.config.generation()
	g.Capacity = r.config.perGeneration()
	p, err := g.Params()
	r.stages = newStages(p, r.config.Generations+1)
	return r, err
}

// Encodings of smaller generations are decoded and encoded as they were, and
// FalsePositiveRate says what they have come to, even if every key is found.
func TestSmallerGenerationsAreDecoded(t *testing.T) {
	r, err := sizedBefore(RotatingConfig{Capacity: 1000, FPRate: 0.8, Generations: 1})
	require.NoError(t, err)
	for i := range uint64(100_000) {
		r.ContainsOrAddDigest(sum(r, i))
	}
	require.InDelta(t, 1, r.FalsePositiveRate(), 1e-9)
	require.Equal(t, 1.0, shareFound(r, 1000))
	got, fresh := new(Rotating), mustRotate(t, r.Config())
	require.NoError(t, got.UnmarshalBinary(encoded(t, r)))
	require.True(t, got.Equal(r))
	require.Equal(t, encoded(t, r), encoded(t, got))
	require.Less(t, got.SizeBytes(), fresh.SizeBytes())
	got.Reset()
	fresh.Reset()
	require.False(t, got.Equal(fresh), "other sizes")
	require.False(t, got.ContainsOrAddDigest(sum(r, 0)))
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
			require.Equal(t, 1.0, r.FalsePositiveRate(), "the bound")
		}
		require.InEpsilon(t, want, shareFound(r, 1_000_000), 0.08)
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
