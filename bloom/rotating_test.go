package bloom

import (
	"math"
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

// On real streams, all of the last N keys are found. Keys that are older by
// more than a generation are found only if they are false positives. There are
// fewer of these than the rate allows because streams repeat keys; but if a key
// is queried again, it is wrong again, so twice as many are allowed.
func TestRotatingAgainstAnExactWindow(t *testing.T) {
	for _, stream := range [][]string{data.RequestsWeb12(), data.WeblogPaths()} {
		for _, c := range []RotatingConfig{
			{Capacity: 1000, FPRate: 0.01},
			{Capacity: 1000, FPRate: 0.01, Generations: 1},
			{Capacity: 777, FPRate: 0.05, Generations: 10, Layout: Partitioned},
			{Capacity: 5000, FPRate: 0.001, Generations: 3, Layout: Blocked},
		} {
			r, last, wrong, absent := mustRotate(t, c), map[string]uint64{}, 0, 0
			for i, key := range stream {
				now, found := uint64(i), r.ContainsString(key)
				seen, old := last[key]
				if old && now-seen <= c.Capacity {
					require.True(t, found, "%v forgot %q after %d keys", r, key, now-seen)
				} else if !old || now-seen > c.Capacity+r.config.perGeneration() {
					absent++
					if found {
						wrong++
					}
				}
				r.AddString(key)
				last[key] = now
			}
			t.Logf("%v: %d of %d wrong", r, wrong, absent)
			require.LessOrEqual(t, float64(wrong), 2*c.FPRate*float64(absent), "%v", r)
		}
	}
}

func TestRotatingKeepsItsRate(t *testing.T) {
	for _, layout := range layouts {
		for _, g := range []int{1, 2, 4, 8} {
			r := mustRotate(t, RotatingConfig{Capacity: 20_000, FPRate: 0.01, Generations: g, Layout: layout})
			r.AddAll(sums(r, 3*r.config.perGeneration()*uint64(g+1)))
			rate := r.FalsePositiveRate()
			t.Logf("%v, %d generations: rate %.4f%%, %.1f bits per key", layout, g, 100*rate, float64(8*r.SizeBytes())/20_000)
			// The fill ratio of a filter with 20,000 keys varies by less than
			// 1%.
			require.InEpsilon(t, 0.01, rate, 0.05)
			require.InEpsilon(t, 20_000*float64(g+1)/float64(g), r.EstimatedLen(), 0.05)
		}
	}
}

// A window that ContainsOrAdd fills keeps its rate until just before each turn,
// never states a rate below the measured one, and never stops adding keys. The
// tolerances are six standard deviations.
func TestRotatingKeepsItsRateUnderContainsOrAdd(t *testing.T) {
	for _, layout := range layouts {
		for _, g := range []int{1, 2, 4} {
			for _, rate := range []float64{0.01, 0.1, 0.3, 0.5, 0.7, 0.9} {
				c := RotatingConfig{Capacity: 20_000, FPRate: rate, Generations: g, Layout: layout}
				fillRotating(t, c)
				if c.Span = time.Hour; g == 2 {
					fillRotating(t, c)
				}
			}
		}
	}
}

// fillRotating uses ContainsOrAdd to fill two windows.
func fillRotating(t *testing.T, c RotatingConfig) {
	const queries = 50_000
	r, key := mustRotate(t, c), uint64(0)
	for turn := range 2*c.Generations + 2 {
		r.Advance(time.Unix(0, 0).Add(time.Duration(turn) * c.Span / time.Duration(c.Generations)))
		for n, limit := c.perGeneration(), key+10*c.Capacity; n > 0; key++ {
			if !r.ContainsOrAddDigest(sum(r, key)) {
				n--
			}
			require.Less(t, key, limit, "%v adds no keys", r)
		}
		if turn <= c.Generations {
			continue // not all generations are full
		}
		measured, stated := found(r, queries), r.FalsePositiveRate()
		noise := 6 * math.Sqrt(c.FPRate/queries)
		require.LessOrEqual(t, measured, c.FPRate+noise, "%v", r)
		require.LessOrEqual(t, stated, 1.02*c.FPRate, "%v", r) // the fill ratio varies by less
		require.LessOrEqual(t, measured, stated+noise, "%v", r)
	}
}

// sizedBefore returns a filter like NewRotating once did: its size did not
// allow for the keys that ContainsOrAdd finds.
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

// When all keys of a window arrive at once, a single generation has room for
// them. Four do not, as choosing.md says.
func TestBurstsNeedOneGeneration(t *testing.T) {
	for g, want := range map[int]float64{1: 0.01, 4: 0.56} {
		r := mustRotate(t, RotatingConfig{Capacity: 20_000, Span: time.Hour, FPRate: 0.01, Generations: g})
		for window := range uint64(3) {
			r.Advance(time.Unix(0, 0).Add(time.Duration(window) * time.Hour))
			for i := range uint64(20_000) {
				r.AddDigest(sum(r, window<<32|i))
			}
		}
		if g == 4 { // the previous burst is still there, in the oldest generation
			want = 1 - (1-want)*(1-want)
			require.Equal(t, 1.0, r.FalsePositiveRate(), "the bound")
		}
		require.InEpsilon(t, want, found(r, 1_000_000), 0.08)
	}
}

func TestWindowsAtOtherPositionsAreNotEqual(t *testing.T) {
	r := mustRotate(t, RotatingConfig{Capacity: 10, FPRate: 0.01, Span: time.Hour})
	c := r.Clone()
	c.Advance(time.Unix(1e9, 0))
	require.False(t, c.Equal(r))
	r.Advance(time.Unix(1e9, 0))
	require.True(t, c.Equal(r))
}
