package static

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// mustBuild returns a filter of random digests.
func mustBuild(t rapid.TB, c Config, digests []hashfam.Digest) *Filter {
	t.Helper()
	f, err := New(context.Background(), c, digests)
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
		f := mustBuild(t, Config{FPRate: c.rate}, conformance.Digests(rng, c.n))
		bits := 8 * float64(f.SizeBytes()) / float64(c.n)
		t.Logf("n = %d, rate %.3g: %.3f bits per key, %.4f of the bound", c.n, c.rate, bits, bits/-math.Log2(c.rate))
		require.LessOrEqual(t, bits, c.over*-math.Log2(c.rate), "n = %d, rate %g", c.n, c.rate)
		estimate, err := Config{FPRate: c.rate}.SizeBytes(uint64(c.n))
		require.NoError(t, err)
		require.InEpsilon(t, f.SizeBytes(), estimate, 0.02, "n = %d", c.n)
		require.EqualValues(t, f.SizeBytes(), f.Params().SizeBytes()-8*uint64(f.Params().Layers-1))
	}
}

// A filter of a memory fits, and one with the next number of columns does not.
// It does not depend on how it is built.
func TestABudgetOfMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 3))
	for _, n := range []int{1, 2, 30, 100, 1000, 20_000} {
		digests := ascending(conformance.Digests(rng, n))
		for _, bits := range []float64{1, 1.03, 2.1, 4, 7.15, 7.3, 16, 33, 100} {
			c := Config{MemoryBytes: uint64(bits*float64(n)/8) + 64}
			f, err := New(t.Context(), c, digests)
			require.NoError(t, err)
			p := f.Params()
			require.LessOrEqual(t, p.SizeBytes(), c.MemoryBytes)
			g, err := NewFromSorted(t.Context(), c, uint64(n), slices.Values(digests))
			require.NoError(t, err)
			require.True(t, f.Equal(g))
			require.NotContains(t, f.ContainsAll(nil, digests), false)
			if p.Columns < ribbon.MaxColumns {
				other, err := ribbon.Members(t.Context(), ribbon.Build{Workers: 1}, p.Columns+1, digests)
				require.NoError(t, err)
				require.Greater(t, other.PayloadBytes(), c.MemoryBytes, "%d bytes, %v", c.MemoryBytes, p)
			}
			estimate, err := c.SizeBytes(uint64(n))
			require.NoError(t, err)
			require.LessOrEqual(t, estimate, c.MemoryBytes)
		}
	}
	f := mustBuild(t, Config{MemoryBytes: 1}, nil)
	require.Zero(t, f.SizeBytes())
	require.Zero(t, f.FalsePositiveRate())
	size, err := Config{FPRate: 0.01}.SizeBytes(0)
	require.NoError(t, err)
	require.Zero(t, size)
}

func TestMemoryAndRate(t *testing.T) {
	digests := conformance.Digests(rand.New(rand.NewPCG(26, 4)), 3000)
	try := func(rate float64, bytes uint64) error {
		_, err := New(t.Context(), Config{FPRate: rate, MemoryBytes: bytes}, digests)
		return err
	}
	for _, rate := range []float64{0.9, 0.5, 0.03, 0.01, 1. / 128, 1e-6} {
		f := mustBuild(t, Config{FPRate: rate}, digests)
		size := f.Params().SizeBytes()
		require.NoError(t, try(rate, size))
		for _, bytes := range []uint64{1, size / 3, size - 8, size - 1} {
			checks.NamesWhatFits(t, try(rate, bytes), rate, try, bytes)
		}
	}
	checks.NamesWhatFits(t, try(0, 20), 0, try, 20) // not even one column
	_, err := Config{MemoryBytes: 20}.SizeBytes(3000)
	require.ErrorContains(t, err, "Config.MemoryBytes = 20, want at least")
	// With 32 columns, these keys would take more than 2^48 bits.
	size, err := Config{MemoryBytes: math.MaxUint64}.SizeBytes(sizing.MaxBits / 4)
	require.NoError(t, err)
	require.LessOrEqual(t, size, uint64(sizing.MaxBits/8))
	for _, rate := range []float64{-1, 1, math.NaN()} {
		require.ErrorContains(t, try(rate, 1<<20), "Config.FPRate")
	}
	_, err = NewFromSorted(t.Context(), Config{MemoryBytes: 1 << 20}, 1<<62, slices.Values(digests))
	require.ErrorContains(t, err, "keys = ")
	// What can be read only once is not enough.
	next, stop := iter.Pull(slices.Values(ascending(conformance.Digests(rand.New(rand.NewPCG(26, 5)), 100_000))))
	defer stop()
	once := func(yield func(hashfam.Digest) bool) {
		for d, ok := next(); ok && yield(d); d, ok = next() {
		}
	}
	_, err = NewFromSorted(t.Context(), Config{MemoryBytes: 100_000}, 100_000, once)
	require.ErrorContains(t, err, "the number of distinct digests")
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
				f := mustBuild(t, Config{FPRate: rate}, conformance.Digests(rng, n))
				require.LessOrEqual(t, f.FalsePositiveRate(), 1.01*rate, "n = %d", n)
				expected += f.FalsePositiveRate() / filters
				for _, yes := range f.ContainsAll(nil, conformance.Digests(rng, asks)) {
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

func TestInvalidConfigs(t *testing.T) {
	check := func(c Config, field string) {
		_, err := New(t.Context(), c, nil)
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, field)
		_, err = NewFromSorted(t.Context(), c, 0, slices.Values([]hashfam.Digest(nil)))
		require.ErrorContains(t, err, field)
		size, err := c.SizeBytes(100)
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, field)
		require.Zero(t, size)
	}
	for _, rate := range []float64{0, 1, -1, 2, math.NaN(), math.Inf(1), math.Ldexp(0.99, -32), 1e-300} {
		check(Config{FPRate: rate}, "Config.FPRate")
	}
	check(Config{FPRate: 0.01, Workers: -1}, "Config.Workers")
}

// most is the largest number of keys.
const most = ribbon.MaxKeys

// The last value that is allowed, and the first that is not.
func TestConfigsAtTheirLimits(t *testing.T) {
	for _, c := range []struct {
		rate float64
		keys uint64
		want string // the text of the error, or empty
	}{
		{0, 1, "above 0 and below 1"}, {1, 1, "above 0 and below 1"},
		{math.Nextafter(1, 0), 0, ""}, {0.99, most, ""},
		{0.99, most + 1, fmt.Sprint("keys = ", uint64(most+1), ", want at most ", uint64(most))},
		{math.Ldexp(1, -33), 0, "a fingerprint has 32 bits"},
		{math.Ldexp(1.5, -32), 1 << 32, "equal digests"}, // n/2^64 is two thirds of the rate
		{0.5, largest, ""}, {0.5, largest + 1, "a number that fits in"},
	} {
		_, err := Config{FPRate: c.rate}.columns(c.keys)
		if c.want == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, c.want, "%+v", c)
		_, err = NewFromSorted(t.Context(), Config{FPRate: c.rate}, c.keys, nil)
		require.ErrorContains(t, err, c.want, "%+v", c)
	}
	size, err := Config{FPRate: 0.5}.SizeBytes(largest)
	require.NoError(t, err)
	require.Equal(t, uint64(sizing.MaxBits/8), size)
}

// largest is the number of keys at rate 1/2 whose filter is estimated at
// exactly 2^48 bits.
const largest = 275_796_753_588_658

func TestTheSmallestRates(t *testing.T) {
	for _, rate := range []float64{math.Ldexp(1, -32), math.Ldexp(1, -31), math.Nextafter(1, 0), 0.999} {
		digests := conformance.Digests(rand.New(rand.NewPCG(3, 3)), 1000)
		f := mustBuild(t, Config{FPRate: rate}, slices.Clone(digests))
		require.NotContains(t, f.ContainsAll(nil, digests), false)
	}
}

func TestStreamsThatAreRefused(t *testing.T) {
	digests := ascending(conformance.Digests(rand.New(rand.NewPCG(4, 4)), 1000))
	_, err := NewFromSorted(t.Context(), Config{FPRate: 0.01}, 999, slices.Values(digests))
	require.ErrorContains(t, err, "n = 999, want the number of distinct digests")
	slices.Reverse(digests)
	_, err = NewFromSorted(t.Context(), Config{FPRate: 0.01}, 1000, slices.Values(digests))
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "ascending by Digest.Probe")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = NewFromSorted(ctx, Config{FPRate: 0.01}, 150_000, slices.Values(ascending(copied())))
	require.ErrorIs(t, err, context.Canceled)
}

// ascending returns the distinct digests in the order of their probe sequences.
func ascending(digests []hashfam.Digest) []hashfam.Digest {
	slices.SortFunc(digests, func(a, b hashfam.Digest) int { return cmp.Compare(a.Probe(), b.Probe()) })
	return slices.Compact(digests)
}

// copied returns 200,000 digests, of which 150,000 are distinct.
func copied() []hashfam.Digest {
	digests := make([]hashfam.Digest, 200_000)
	for i := range digests {
		digests[i] = hashfam.Family{}.SumUint64(uint64(i % 150_000))
	}
	return digests
}

func TestProgressEndsWithTheTotal(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		for _, build := range []func(Config) (*Filter, error){
			func(c Config) (*Filter, error) { return New(t.Context(), c, copied()) },
			func(c Config) (*Filter, error) {
				return NewFromSorted(t.Context(), c, 150_000, slices.Values(ascending(copied())))
			},
		} {
			totals := []uint64{}
			for _, c := range []Config{{FPRate: 0.01}, {MemoryBytes: 123_456}} {
				calls, last, all := 0, uint64(0), uint64(0)
				c.Workers, c.Progress = workers, func(done, total uint64) {
					require.Greater(t, done, last)
					require.LessOrEqual(t, done, total)
					calls, last, all = calls+1, done, total
				}
				f, err := build(c)
				require.NoError(t, err)
				require.EqualValues(t, 150_000, f.Len())
				require.Equal(t, all, last)
				require.Greater(t, calls, 2)
				totals = append(totals, all)
			}
			require.Greater(t, totals[1], totals[0], "what fills its memory is built twice")
		}
	}
}

// The digests stay the same set, whatever becomes of the build: users append to
// them and build again.
func TestABuildKeepsTheSetOfDigests(t *testing.T) {
	digests := append(copied(), 0)
	want := ascending(slices.Clone(digests))
	for _, after := range []int{1, 5, 1000} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, err := New(ctx, Config{FPRate: 0.01, Workers: 2, Progress: func(uint64, uint64) {
			if calls++; calls > after {
				cancel()
			}
		}}, digests)
		if after > 100 {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, context.Canceled)
		}
		require.Equal(t, want, ascending(slices.Clone(digests)))
		cancel()
	}
	digests = append(digests, 1, 2)
	f := mustBuild(t, Config{FPRate: 0.01}, digests)
	require.EqualValues(t, len(want)+2, f.Len())
	require.NotContains(t, f.ContainsAll(nil, append(want, 1, 2)), false)
}

// A build allocates, besides the digests, the filter and the digests that it
// bumps: in all less than 2 bytes for each key, so that the peak is below 10.
// Small builds have the work memory of each worker as well.
func TestBuildsTakeLittleMemory(t *testing.T) {
	n := 300_000
	if checks.Long(t, 0.5, 1) {
		n = 10_000_000
	}
	const work = 1_600_000
	digests := conformance.Digests(rand.New(rand.NewPCG(5, 5)), n)
	for workers := 1; workers <= 2; workers++ {
		c := Config{FPRate: 0.01, Workers: workers}
		var f *Filter
		took := conformance.LeastAllocated(1, func() { f = mustBuild(t, c, digests) })
		t.Logf("n = %d, %d workers: %.2f bytes per key", n, workers, float64(took)/float64(n))
		require.Less(t, took, uint64(2*n)+uint64(workers)*work)
		if workers == 1 && n > 1_000_000 {
			require.Less(t, took, uint64(2*n))
		}

		list := ascending(digests)
		var g *Filter
		took = conformance.LeastAllocated(1, func() {
			var err error
			g, err = NewFromSorted(t.Context(), c, uint64(n), slices.Values(list))
			require.NoError(t, err)
		})
		t.Logf("a stream: %.2f bytes per key", float64(took)/float64(n))
		require.Less(t, took, f.SizeBytes()+uint64(n)/2+work)
		require.True(t, f.Equal(g))
	}
}

// Five digests do not take the work memory of a shard.
func TestSmallBuildsTakeLittleMemory(t *testing.T) {
	digests := conformance.Digests(rand.New(rand.NewPCG(6, 6)), 5)
	took := conformance.LeastAllocated(1, func() { mustBuild(t, Config{FPRate: 0.01, Workers: 1}, digests) })
	require.Less(t, took, uint64(20_000))
}
