package bloom

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/conformance"
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
				found := r.ContainsOrAddString(key)
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
			found := r.ContainsOrAddStringAt(key, at)
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
				r.AddUint64(i)
			}
			rate := r.FalsePositiveRate()
			t.Logf("%v, %d generations: rate %.4f %%, %.1f bits per key", layout, g, 100*rate, float64(8*r.SizeBytes())/20_000)
			// The fill of a filter of 20,000 keys varies by less than 1 %.
			require.InEpsilon(t, 0.01, rate, 0.05)
			require.InEpsilon(t, 20_000*float64(g+1)/float64(g), r.EstimatedLen(), 0.05)
		}
	}
}

// A generation lasts a G-th of Span or a little longer, and an epoch contains
// all times that round down to it, also before 1970 and at the ends of time.
func TestEpochs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := RotatingConfig{
			Span:        time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "span")),
			Generations: rapid.IntRange(1, maxGenerations).Draw(t, "generations"),
		}
		at := time.Unix(0, rapid.Int64Range(math.MinInt64/2, math.MaxInt64/2).Draw(t, "time"))
		later := at.Add(time.Duration(rapid.Int64Range(0, int64(min(c.Span, math.MaxInt64/4))).Draw(t, "later")))
		steps := c.epochOf(later) - c.epochOf(at)
		require.GreaterOrEqual(t, steps, int64(0))
		require.LessOrEqual(t, steps, int64(c.Generations), "a key is forgotten within Span")
	})
	for since, epoch := range map[int64]int64{-11: -2, -10: -1, -1: -1, 0: 0, 9: 0, 10: 1} {
		require.Equal(t, epoch, RotatingConfig{Span: 10, Generations: 1}.epochOf(time.Unix(0, since)))
	}
	c := RotatingConfig{Span: 1, Generations: 1}
	require.Equal(t, int64(-1), c.epochOf(time.Unix(0, -1)))
	require.Equal(t, int64(math.MaxInt64), c.epochOf(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, int64(start+1), c.epochOf(time.Time{}))
	r := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.01, Span: 1, Generations: 1})
	r.AddStringAt("first", time.Time{})
	require.True(t, r.ContainsString("first"))
	r.AddStringAt("last", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)) // the difference overflows
	require.False(t, r.ContainsString("first"))
	require.True(t, r.ContainsString("last"))
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

func TestAZeroRotatingContainsEverything(t *testing.T) {
	var r Rotating
	r.AddStringAt("any", time.Now())
	require.True(t, r.ContainsString("any"))
	require.True(t, r.ContainsOrAddString("any"))
	r.Reset()
	require.Equal(t, Rotating{}, r)
	require.EqualValues(t, 1, r.FalsePositiveRate())
	require.True(t, math.IsInf(r.EstimatedLen(), 1))
	require.ErrorIs(t, errorOf(r.MarshalBinary()), ErrParams)
}

// A filter goes on after decoding where it was when it was encoded.
func TestADecodedRotatingGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := RotatingConfig{
			Capacity:    rapid.Uint64Range(1, 50).Draw(t, "capacity"),
			Generations: rapid.IntRange(1, 6).Draw(t, "generations"),
			Span:        time.Duration(rapid.Int64Range(0, 1).Draw(t, "timed")) * time.Hour,
			FPRate:      0.01,
			Layout:      rapid.SampledFrom(layouts).Draw(t, "layout"),
		}
		r := mustRotate(t, c)
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		add := func(r *Rotating, from, to uint64) {
			for i := from; i < to; i++ {
				r.AddDigestAt(c.Family.SumUint64(i), now.Add(time.Duration(i)*time.Minute))
			}
		}
		at := rapid.Uint64Range(0, 200).Draw(t, "at")
		add(r, 0, at)
		b, err := r.MarshalBinary()
		require.NoError(t, err)
		var decoded Rotating
		require.NoError(t, decoded.UnmarshalBinary(b))
		require.True(t, decoded.Equal(r))
		add(r, at, at+100)
		add(&decoded, at, at+100)
		require.True(t, decoded.Equal(r))
	})
}

func TestFieldsOfAnEncodedRotatingAreChecked(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.1, Generations: 2})
	r.AddString("a")
	good, err := r.MarshalBinary()
	require.NoError(t, err)
	for _, c := range []struct {
		offset int
		value  uint64
	}{{0, 0}, {8, math.Float64bits(2)}, {16, 1 << 63}, {24, 0}, {40, 6}, {24, 1 << 40}} {
		b := append([]byte{}, good...)
		binary.LittleEndian.PutUint64(b[24+c.offset:], c.value)
		conformance.Reseal(b)
		require.ErrorIs(t, new(Rotating).UnmarshalBinary(b), ErrCorrupt, "%v", c)
	}
	for _, at := range []int{24 + 35, 24 + 39, 128 + 63} { // zeros
		b := append([]byte{}, good...)
		b[at] = 1
		conformance.Reseal(b)
		require.ErrorIs(t, new(Rotating).UnmarshalBinary(b), ErrCorrupt, "byte %d", at)
	}
}

// A time that no clock shows would stop the window: no key would be forgotten.
func TestTheTimeOfAnEncodedRotatingIsPossible(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.1, Span: time.Hour})
	first, last := r.config.epochOf(time.Time{}), r.config.epochOf(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	for epoch, possible := range map[int64]bool{
		start: true, first: true, last: true,
		start + 1: false, first - 1: false, last + 1: false, math.MaxInt64: false,
	} {
		r.epoch = epoch
		b, err := r.MarshalBinary()
		require.NoError(t, err)
		if err = new(Rotating).UnmarshalBinary(b); possible {
			require.NoError(t, err, epoch)
		} else {
			require.ErrorIs(t, err, ErrCorrupt, "%d", epoch)
		}
	}
}
