package bloom

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func mustRotate(t require.TestingT, c RotatingConfig) *Rotating {
	r, err := NewRotating(c)
	require.NoError(t, err)
	return r
}

// A window that ContainsOrAdd fills keeps its rate until just before each turn,
// never states a rate below the measured one, and never stops adding keys. The
// fill ratio varies by less than 1%, and the tolerance of a measured rate is
// six standard deviations.
func TestRotatingKeepsItsRateUnderContainsOrAdd(t *testing.T) {
	for i, rate := range []float64{0.01, 0.1, 0.3, 0.5, 0.7, 0.9} {
		for j, g := range []int{1, 2, 4} {
			c := RotatingConfig{Keys: 20_000, FPRate: rate, Parts: g, Layout: layouts[(i+j)%3]}
			fillRotating(t, c)
			if c.Span = time.Hour; g == 2 {
				fillRotating(t, c)
			}
		}
	}
}

// fillRotating uses ContainsOrAdd to fill two windows.
func fillRotating(t *testing.T, c RotatingConfig) {
	const queries = 20_000
	r, key := mustRotate(t, c), uint64(0)
	for turn := range 2*c.Parts + 2 {
		r.Advance(time.Unix(0, 0).Add(time.Duration(turn) * c.Span / time.Duration(c.Parts)))
		for n, limit := c.perGeneration(), key+10*c.Keys; n > 0; key++ {
			if !r.ContainsOrAddDigest(sum(r, key)) {
				n--
			}
			if key == limit {
				t.Fatalf("%v adds no keys", r)
			}
		}
		if turn > c.Parts { // all generations are full
			require.LessOrEqual(t, r.FalsePositiveRate(), 1.02*c.FPRate, "%v", r)
		}
	}
	measured, stated := found(r, queries), r.FalsePositiveRate()
	noise := 6 * math.Sqrt(c.FPRate/queries)
	require.LessOrEqual(t, measured, c.FPRate+noise, "%v", r)
	require.LessOrEqual(t, measured, stated+noise, "%v", r)
	if c.FPRate == 0.01 { // few keys are found before they are added
		require.InEpsilon(t, 0.01, stated, 0.05)
		require.InEpsilon(t, 20_000*float64(c.Parts+1)/float64(c.Parts), r.EstimatedLen(), 0.05)
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
	r.stages = newStages(p, r.config.Parts+1)
	return r, err
}

// When all keys of a window arrive at once, they fit if the window has one
// part. With four parts they do not, as choosing.md says. The tolerance is six
// standard deviations.
func TestBurstsNeedOneGeneration(t *testing.T) {
	for g, want := range map[int]float64{1: 0.01, 4: 0.56} {
		r := mustRotate(t, RotatingConfig{Keys: 20_000, Span: time.Hour, FPRate: 0.01, Parts: g})
		for window := range 3 {
			r.Advance(time.Unix(int64(3600*window), 0))
			r.AddAll(sums(r, uint64(1+window)*20_000)[window*20_000:])
		}
		if g == 4 { // the previous burst is still there, in the oldest generation
			want = 1 - (1-want)*(1-want)
			require.Equal(t, 1.0, r.FalsePositiveRate(), "the bound")
		}
		require.InEpsilon(t, want, found(r, 250_000), 0.12)
	}
}

// With the default of Parts, the rate of a time window holds even if all of its
// keys arrive at once. FalsePositiveRate is computed from the fill, whose
// relative error for 20,000 keys is below 1% with a probability above 1 - 1e-6.
func TestRateHoldsInBursts(t *testing.T) {
	for _, rate := range []float64{0.01, 0.001} {
		for _, layout := range layouts {
			c := RotatingConfig{Keys: 20_000, Span: time.Hour, FPRate: rate, Layout: layout}
			r := mustRotate(t, c)
			require.Equal(t, 1, r.Config().Parts)
			key := uint64(0)
			now := time.Unix(0, 0)
			for _, quiet := range []time.Duration{0, time.Hour, 61 * time.Minute, 90 * time.Minute, 5 * time.Hour} {
				now = now.Add(quiet)
				for range 10 { // within a fifteenth of the span
					now = now.Add(24 * time.Second)
					r.Advance(now)
					for range c.Keys / 10 {
						r.AddDigest(r.Family().SumUint64(key))
						key++
					}
				}
				require.LessOrEqual(t, r.FalsePositiveRate(), 1.02*rate, "%v after %v", layout, quiet)
			}
		}
	}
	require.Equal(t, 4, mustRotate(t, RotatingConfig{Keys: 10, FPRate: 0.1}).Config().Parts)
}
