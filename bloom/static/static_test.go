package static

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// random returns n digests.
func random(rng *rand.Rand, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Digest(rng.Uint64())
	}
	return digests
}

// mustBuild returns a filter of random digests.
func mustBuild(t testing.TB, c Config, digests []hashfam.Digest) *Filter {
	t.Helper()
	f, err := NewFromDigests(c, digests)
	require.NoError(t, err)
	return f
}

// Sizes depend on the digests only, and hardly on those.
func TestBitsPerKey(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		n          int
		rate, over float64
	}{
		{10_000, 0.01, 1.03},
		{1_000_000, 0.01, 6.80 / math.Log2(100)},
		{1_000_000, math.Ldexp(1, -7), 1.007},
		{1_000_000, math.Ldexp(1, -10), 1.007},
		{1_000_000, math.Ldexp(1, -14), 1.007},
	} {
		f := mustBuild(t, Config{FPRate: c.rate}, random(rng, c.n))
		bits := 8 * float64(f.SizeBytes()) / float64(c.n)
		t.Logf("n = %d, rate %.3g: %.3f bits per key, %.4f of the bound", c.n, c.rate, bits, bits/-math.Log2(c.rate))
		require.LessOrEqual(t, bits, c.over*-math.Log2(c.rate), "n = %d, rate %g", c.n, c.rate)
		estimate := Config{FPRate: c.rate}.SizeBytes(uint64(c.n))
		require.InEpsilon(t, f.SizeBytes(), estimate, 0.02, "n = %d", c.n)
		require.EqualValues(t, f.SizeBytes(), f.Params().SizeBytes()-8*uint64(f.Params().Layers-1))
	}
}

// Given the filter, digests are found independently of each other, since their
// fingerprints are independent of their slots. So the deviation is that of a
// binomial distribution: five sigma have a chance of 3e-7. The rate of one
// filter depends a little on which starts it bumps: by 0.4 % at n = 10,000, and
// less for more keys. The mean is below the target by about as much.
func TestTheRateIsMet(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 3, 10, 100, 1000, 10_000} {
		for _, rate := range []float64{0.7, 0.5, 0.4, 1. / 16, 0.04, 0.01, math.Ldexp(1, -7)} {
			const filters, asks = 10, 20_000
			found, expected := 0.0, 0.0
			for range filters {
				f := mustBuild(t, Config{FPRate: rate}, random(rng, n))
				require.LessOrEqual(t, f.FalsePositiveRate(), 1.01*rate, "n = %d", n)
				expected += f.FalsePositiveRate() / filters
				for _, yes := range f.ContainsAllDigests(nil, random(rng, asks)) {
					if yes {
						found++
					}
				}
			}
			sigma := math.Sqrt(expected * (1 - expected) / (filters * asks))
			got := found / (filters * asks)
			require.InDelta(t, expected, got, 5*sigma, "n = %d, rate %g", n, rate)
			require.LessOrEqual(t, expected, 1.001*rate, "n = %d, rate %g", n, rate)
			require.LessOrEqual(t, got, rate+5*sigma, "n = %d, rate %g", n, rate)
			if n == 10_000 {
				require.Greater(t, expected, 0.98*rate, "no bits are wasted")
			}
		}
	}
}

func TestFilterOfNoKeys(t *testing.T) {
	f, err := New(Config{FPRate: 0.01}, nil)
	require.NoError(t, err)
	require.False(t, f.ContainsString(""))
	require.Equal(t, []bool{false}, f.ContainsAllStrings(nil, []string{"a"}))
	require.Zero(t, f.Len())
	require.Zero(t, f.SizeBytes())
	require.Zero(t, f.FalsePositiveRate())
	require.Zero(t, Config{FPRate: 0.01}.SizeBytes(0))
}

func TestTheZeroFilterContainsEveryKey(t *testing.T) {
	var f Filter
	require.True(t, f.ContainsString("a"))
	require.Equal(t, []bool{true}, f.ContainsAllStrings(nil, []string{"a"}))
	require.Equal(t, 1.0, f.FalsePositiveRate())
	_, err := f.MarshalBinary()
	require.ErrorIs(t, err, ErrParams)
}

func TestInvalidConfigs(t *testing.T) {
	for _, rate := range []float64{0, 1, -1, 2, math.NaN(), math.Inf(1), math.Ldexp(0.99, -32), 1e-300} {
		c := Config{FPRate: rate}
		_, err := New(c, nil)
		require.ErrorIs(t, err, ErrParams, rate)
		require.ErrorContains(t, err, "Config.FPRate")
		_, err = NewFromDigests(c, nil)
		require.ErrorIs(t, err, ErrParams)
		_, err = NewFromSorted(c, 0, slices.Values([]hashfam.Digest(nil)))
		require.ErrorIs(t, err, ErrParams)
		_, err = NewBuilder(c)
		require.ErrorIs(t, err, ErrParams)
		require.Zero(t, c.SizeBytes(100))
	}
	_, err := New(Config{FPRate: 0.01, Workers: -1}, nil)
	require.ErrorContains(t, err, "Config.Workers")
	require.Zero(t, Config{FPRate: 0.01, Workers: -1}.SizeBytes(100))
	_, err = NewFromSorted(Config{FPRate: math.Ldexp(1.5, -32)}, 1<<32, nil)
	require.ErrorContains(t, err, "equal digests", "n/2^64 is two thirds of the rate")
	_, err = NewFromSorted(Config{FPRate: 0.01}, 1<<49, nil)
	require.ErrorContains(t, err, "keys")
	_, err = NewFromSorted(Config{FPRate: 0.01}, 1<<48, nil)
	require.ErrorContains(t, err, "keys", "more bits than there are")
	_, err = new(Builder).Build()
	require.ErrorIs(t, err, ErrParams)
	_, err = (*Builder)(nil).Build()
	require.ErrorIs(t, err, ErrParams)
}

func TestTheSmallestRates(t *testing.T) {
	for _, rate := range []float64{math.Ldexp(1, -32), math.Ldexp(1, -31), math.Nextafter(1, 0), 0.999} {
		digests := random(rand.New(rand.NewPCG(3, 3)), 1000)
		f := mustBuild(t, Config{FPRate: rate}, slices.Clone(digests))
		require.NotContains(t, f.ContainsAllDigests(nil, digests), false)
	}
}

func TestStreamsMustBeInOrder(t *testing.T) {
	digests := ascending(random(rand.New(rand.NewPCG(4, 4)), 1000))
	_, err := NewFromSorted(Config{FPRate: 0.01}, 999, slices.Values(digests))
	require.ErrorContains(t, err, "n = 999, want the number of distinct digests")
	slices.Reverse(digests)
	_, err = NewFromSorted(Config{FPRate: 0.01}, 1000, slices.Values(digests))
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "ascending by Digest.Probe")
}

// steps records the calls of Config.Progress.
type steps struct {
	t           *testing.T
	calls       int
	done, total uint64
}

func (s *steps) add(done, total uint64) {
	require.Greater(s.t, done, s.done)
	require.LessOrEqual(s.t, done, total)
	s.calls, s.done, s.total = s.calls+1, done, total
}

func TestProgressEndsWithTheTotal(t *testing.T) {
	keys := make([][]byte, 200_000)
	for i := range keys {
		keys[i] = fmt.Append(nil, i%150_000) // with copies
	}
	var digests []hashfam.Digest
	for workers := 1; workers <= 3; workers++ {
		for _, build := range []func(Config) (*Filter, error){
			func(c Config) (*Filter, error) { return New(c, keys) },
			func(c Config) (*Filter, error) {
				digests = c.Family.SumAll(digests[:0], keys)
				return NewFromDigests(c, digests)
			},
			func(c Config) (*Filter, error) {
				digests = ascending(c.Family.SumAll(digests[:0], keys))
				return NewFromSorted(c, 150_000, slices.Values(digests))
			},
		} {
			s := steps{t: t}
			f, err := build(Config{FPRate: 0.01, Workers: workers, Progress: s.add})
			require.NoError(t, err)
			require.EqualValues(t, 150_000, f.Len())
			require.Equal(t, s.total, s.done)
			require.Greater(t, s.calls, 2)
		}
	}
}

func TestBuildsAreCanceled(t *testing.T) {
	keys := make([][]byte, 100_000)
	for i := range keys {
		keys[i] = fmt.Append(nil, i)
	}
	for after := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		c := Config{FPRate: 0.01, Workers: 1, Progress: func(uint64, uint64) {
			if calls++; calls > after {
				cancel()
			}
		}}
		_, err := NewContext(ctx, c, keys)
		require.ErrorIs(t, err, context.Canceled, "after %d steps", after)
		cancel()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := Config{FPRate: 0.01}
	_, err := NewFromDigestsContext(ctx, c, c.Family.SumAll(nil, keys))
	require.ErrorIs(t, err, context.Canceled)
	_, err = NewFromSortedContext(ctx, c, uint64(len(keys)), slices.Values(ascending(c.Family.SumAll(nil, keys))))
	require.ErrorIs(t, err, context.Canceled)
}

// A builder loses no key by an error.
func TestABuilderSurvivesErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b, err := NewBuilder(Config{FPRate: 0.01, Progress: func(uint64, uint64) { cancel() }})
	require.NoError(t, err)
	keys := make([]uint64, 100_000)
	for i := range keys {
		keys[i] = uint64(i)
	}
	b.AddAllUint64(keys)
	for range 3 {
		_, err = b.BuildContext(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, len(keys), b.Len())
	}
	b.AddString("one more")
	f, err := b.Build()
	require.NoError(t, err)
	require.NotContains(t, f.ContainsAllUint64(nil, keys), false)
	require.True(t, f.ContainsString("one more"))
	b.AddString("one more")
	g, err := b.Build()
	require.NoError(t, err)
	require.True(t, f.Equal(g))
	require.Equal(t, len(keys)+1, b.Len())
}

// Digests that an attacker chose for a public family cost memory, and are never
// lost.
func TestChosenDigests(t *testing.T) {
	for name, digest := range map[string]func(i int) hashfam.Digest{
		"a common prefix": func(i int) hashfam.Digest { return 0x123456789a<<24 + hashfam.Digest(i) },
		"sequential":      func(i int) hashfam.Digest { return hashfam.Digest(i) },
		"equal":           func(int) hashfam.Digest { return 7 },
	} {
		digests := make([]hashfam.Digest, 1<<17)
		for i := range digests {
			digests[i] = digest(i)
		}
		f := mustBuild(t, Config{FPRate: 0.01}, slices.Clone(digests))
		require.NotContains(t, f.ContainsAllDigests(nil, digests), false, name)
		require.LessOrEqual(t, f.SizeBytes(), uint64(2*len(digests)), name)
	}
}
