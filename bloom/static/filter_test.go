package static

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame/frametest"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// mustBuild returns the filter of digests.
func mustBuild(t rapid.TB, c Config, digests []hashfam.Digest) *Filter {
	t.Helper()
	f, err := New(context.Background(), c, digests)
	require.NoError(t, err)
	return f
}

// The size depends only a little on the digests.
func TestBitsPerKey(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		n          int
		rate, over float64
	}{
		{10_000, 0.01, 1.03},
		{400_000, 0.01, 6.80 / math.Log2(100)},
		{400_000, math.Ldexp(1, -7), 1.007},
		{400_000, math.Ldexp(1, -14), 1.007},
	} {
		f := mustBuild(t, Config{FPRate: c.rate}, checks.Digests(rng, c.n))
		bits := 8 * float64(f.SizeBytes()) / float64(c.n)
		require.LessOrEqual(t, bits, c.over*-math.Log2(c.rate), "n = %d, rate %g", c.n, c.rate)
		estimate, err := Config{FPRate: c.rate}.EstimatedBytes(uint64(c.n), 0)
		require.NoError(t, err)
		require.InEpsilon(t, f.SizeBytes(), estimate, 0.02, "n = %d", c.n)
		require.EqualValues(t, f.SizeBytes(), f.Params().SizeBytes()-8*uint64(f.Params().layers-1))
	}
}

// docs/theory.md contains these sizes. For 10,000 keys, they are means over ten
// filters, since small filters differ more.
func TestBitsPerKeyAreDocumented(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	bits := func(n int, rate float64) float64 {
		filters, bytes := max(1, 100_000/n), uint64(0)
		for range filters {
			bytes += mustBuild(t, Config{FPRate: rate}, checks.Digests(rng, n)).SizeBytes()
		}
		b := 8 * float64(bytes) / float64(filters*n)
		t.Logf("%d keys, rate %g: %.2f bits per key", n, rate, b)
		return b
	}
	more := func(bits, bound float64) float64 { return 100 * (bits/bound - 1) }
	few, many := bits(10_000, 0.01), bits(1_000_000, 0.01)
	checks.Documented(t, "theory.md", "a filter needs %.2f bits per key for 10,000 keys and %.2f for a million, %.1f%% and %.1f%% more than log2(1/eps)",
		few, many, more(few, math.Log2(100)), more(many, math.Log2(100)))
	checks.Documented(t, "theory.md", "With a million keys at 2^-10 and 2^-14, it needs %.2f%% and %.2f%% more",
		more(bits(1_000_000, math.Ldexp(1, -10)), 10), more(bits(1_000_000, math.Ldexp(1, -14)), 14))
}

// The filter must fit in MemoryBytes, but a filter with more columns must not.
// The result should not depend on how the filter is built.
func TestMemoryBytesAreUsedWell(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 3))
	for _, n := range []int{1, 2, 30, 1000, 10_000} {
		digests := ascending(checks.Digests(rng, n))
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
			if p.columns < ribbon.MaxColumns {
				other, err := ribbon.Members(t.Context(), ribbon.Build{Workers: 1}, p.columns+1, digests)
				require.NoError(t, err)
				require.Greater(t, other.PayloadBytes(), c.MemoryBytes, "%d bytes, %v", c.MemoryBytes, p)
			}
			estimate, err := c.EstimatedBytes(uint64(n), 0)
			require.NoError(t, err)
			require.LessOrEqual(t, estimate, c.MemoryBytes)
		}
	}
	f := mustBuild(t, Config{MemoryBytes: 1}, nil)
	require.Zero(t, f.SizeBytes())
	require.Zero(t, f.FalsePositiveRate())
	size, err := Config{FPRate: 0.01}.EstimatedBytes(0, 0)
	require.NoError(t, err)
	require.Zero(t, size)
}

func TestErrorsNameTheMemoryAndRateThatFit(t *testing.T) {
	digests := checks.Digests(rand.New(rand.NewPCG(26, 4)), 3000)
	try := func(rate float64, bytes uint64) error {
		_, err := New(t.Context(), Config{FPRate: rate, MemoryBytes: bytes}, digests)
		return err
	}
	for _, rate := range []float64{0.9, 0.5, 0.03, 1e-6} {
		f := mustBuild(t, Config{FPRate: rate}, digests)
		size := f.Params().SizeBytes()
		require.NoError(t, try(rate, size))
		for _, bytes := range []uint64{1, size / 3, size - 8, size - 1} {
			checks.NamesWhatFits(t, try(rate, bytes), rate, try, bytes)
		}
		require.ErrorContains(t, try(rate, 1), fmt.Sprint(" for FPRate ", rate))
	}
	// With 32 columns, these keys would need more than 2^48 bits.
	size, err := Config{MemoryBytes: math.MaxUint64}.EstimatedBytes(sizing.MaxBits/4, 0)
	require.NoError(t, err)
	require.LessOrEqual(t, size, uint64(sizing.MaxBits/8))
	// The sequence must be read twice, but this one can only be read once.
	next, stop := iter.Pull(slices.Values(ascending(checks.Digests(rand.New(rand.NewPCG(26, 5)), 100_000))))
	defer stop()
	once := func(yield func(hashfam.Digest) bool) {
		for d, ok := next(); ok && yield(d); d, ok = next() {
		}
	}
	_, err = NewFromSorted(t.Context(), Config{MemoryBytes: 100_000}, 100_000, once)
	require.ErrorContains(t, err, "the number of distinct digests")
}

// The least memory in the error must be enough, and a byte less must not be.
func TestLeastMemoryIsTheSameEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 7))
	for n, least := range map[int]int{1: 24, 42: 24, 43: 56, 1000: 56, 3000: 88, 100_000: 272} {
		digests := ascending(checks.Digests(rng, n))
		for _, bytes := range []int{1, least - 1, least} {
			c := Config{MemoryBytes: uint64(bytes)}
			_, estimated := c.EstimatedBytes(uint64(n), 0)
			f, built := New(t.Context(), c, digests)
			_, sorted := NewFromSorted(t.Context(), c, uint64(n), slices.Values(digests))
			for _, err := range []error{estimated, built, sorted} {
				if bytes < least {
					require.EqualError(t, err, fmt.Sprintf("static: invalid parameters: Config.MemoryBytes = %d, want at least %d for FPRate 0.99999", bytes, least))
				} else {
					require.NoError(t, err)
					require.NotContains(t, f.ContainsAll(nil, digests), false)
					require.True(t, n < 100_000 || f.FalsePositiveRate() > 0.9)
				}
			}
		}
	}
}

// For a given filter, lookups of different digests are independent, since
// fingerprints do not depend on slots. The number of false positives therefore
// has a binomial distribution, so it differs from the mean by more than six
// standard deviations with probability 2e-9 for each of 20 rates. A single
// filter's rate varies by 0.4% at n = 10,000, because it depends on the bumped
// starts. The mean rate is below FPRate by about the same percentage.
func TestRateIsMet(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 3, 100, 10_000} {
		for _, rate := range []float64{0.7, 0.5, 0.04, 0.01, math.Ldexp(1, -7)} {
			const filters, asks = 10, 10_000
			found, expected := 0.0, 0.0
			for range filters {
				f := mustBuild(t, Config{FPRate: rate}, checks.Digests(rng, n))
				require.LessOrEqual(t, f.FalsePositiveRate(), 1.01*rate, "n = %d", n)
				expected += f.FalsePositiveRate() / filters
				for _, yes := range f.ContainsAll(nil, checks.Digests(rng, asks)) {
					if yes {
						found++
					}
				}
			}
			sigma := math.Sqrt(expected * (1 - expected) / (filters * asks))
			require.InDelta(t, expected, found/(filters*asks), 6*sigma, "n = %d, rate %g", n, rate)
			require.LessOrEqual(t, expected, 1.001*rate, "n = %d, rate %g", n, rate)
			require.True(t, n < 10_000 || expected > 0.98*rate, "no bits are wasted")
		}
	}
}

// most is the largest number of keys.
const most = ribbon.MaxKeys

// The table contains the last valid values and the first invalid ones.
func TestConfigsAtTheirLimits(t *testing.T) {
	machine.Matters(t)
	unsorted := checks.Digests(rand.New(rand.NewPCG(26, 6)), 50)
	for _, c := range []struct {
		config Config
		keys   uint64
		want   string // the error text, or empty
	}{
		{Config{}, 1, "above 0 and below 1"},
		{Config{FPRate: 1}, 1, "above 0 and below 1"},
		{Config{FPRate: -1}, 1, "Config.FPRate = -1"},
		{Config{FPRate: math.NaN(), MemoryBytes: 1 << 20}, 1, "Config.FPRate = NaN"},
		{Config{FPRate: math.Inf(1)}, 1, "Config.FPRate = +Inf"},
		{Config{FPRate: 0.01, Workers: -1}, 1, "Config.Workers = -1"},
		{Config{FPRate: math.Nextafter(1, 0)}, 0, ""},
		{Config{FPRate: math.Ldexp(1, -32)}, 0, ""},
		{Config{FPRate: math.Ldexp(0.99, -32)}, 0, "a fingerprint has 32 bits"},
		{Config{FPRate: math.Ldexp(1.5, -32)}, 1 << 32, "equal digests"}, // n/2^64 is two thirds of the rate
		{Config{FPRate: 0.99}, most, ""},
		{Config{FPRate: 0.99}, most + 1, fmt.Sprint("keys = ", uint64(most+1), ", want at most ", uint64(most))},
		{Config{MemoryBytes: 1 << 20}, most + 1, "keys = "},
		{Config{FPRate: 0.5}, largest, ""},
		{Config{FPRate: 0.5}, largest + 1, "a number that fits in"},
	} {
		size, err := c.config.EstimatedBytes(c.keys, 0)
		if c.want == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		if c.config.FPRate != 1 { // NewExact allows it
			require.ErrorIs(t, err, hashfam.ErrParams)
			require.ErrorContains(t, err, c.want, "%+v", c)
			require.Zero(t, size)
		}
		_, err = NewFromSorted(t.Context(), c.config, c.keys, slices.Values(unsorted))
		require.ErrorContains(t, err, c.want, "%+v", c)
		if c.keys == 1 { // these are invalid for any number of keys
			digests := slices.Clone(unsorted)
			_, err = New(t.Context(), c.config, digests)
			require.ErrorContains(t, err, c.want, "%+v", c)
			require.Equal(t, unsorted, digests, "the digests are not sorted first")
		}
	}
	size, err := Config{FPRate: 0.5}.EstimatedBytes(largest, 0)
	require.NoError(t, err)
	require.Equal(t, uint64(sizing.MaxBits/8), size)
}

// largest is the number of keys for which the estimated size at rate 1/2 is
// exactly 2^48 bits.
const largest = 275_796_753_588_658

func TestInvalidSequencesAreErrors(t *testing.T) {
	digests := ascending(checks.Digests(rand.New(rand.NewPCG(4, 4)), 1000))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := NewFromSorted(canceled, Config{FPRate: 0.01}, 1000, slices.Values(digests))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "building")
	slices.Reverse(digests)
	_, err = NewFromSorted(t.Context(), Config{FPRate: 0.01}, 1000, slices.Values(digests))
	require.EqualError(t, err, "static: invalid parameters: digest 1 = out of order, want ascending by Digest.Probe")
	_, err = NewFromSorted(t.Context(), Config{FPRate: 0.01}, 1000, slices.Values(ascending(digests)[:990]))
	require.EqualError(t, err, "static: invalid parameters: n = 1000, want the number of distinct digests, which is 990")
	for _, n := range []uint64{0, 9} {
		_, err = NewFromSorted(t.Context(), Config{FPRate: 0.01}, n, nil)
		require.EqualError(t, err, "static: invalid parameters: digests = <nil>, want an iterator")
	}
}

func TestNilContextsAreErrors(t *testing.T) {
	var none context.Context
	c := Config{FPRate: 0.01}
	_, err := New(none, c, nil)
	_, sorted := NewFromSorted(none, c, 0, slices.Values([]hashfam.Digest(nil)))
	_, exact := NewExact(none, c, nil, nil)
	_, frame := AppendFrame(none, nil, c, nil)
	for _, err := range []error{err, sorted, exact, frame} {
		require.EqualError(t, err, "static: invalid parameters: ctx = <nil>, want a context, for example context.Background()")
	}
}

// Otherwise a lookup would need another call.
func TestContainsIsInlined(t *testing.T) {
	machine.Inlined(t, "(*Filter).ContainsDigest")
}

// ascending returns the distinct digests, sorted by their probe sequences.
func ascending(digests []hashfam.Digest) []hashfam.Digest {
	slices.SortFunc(digests, func(a, b hashfam.Digest) int { return cmp.Compare(a.Probe(), b.Probe()) })
	return slices.Compact(digests)
}

// copied returns 120,000 digests, of which 70,000 are distinct.
func copied() []hashfam.Digest {
	digests, _ := universe(hashfam.Family{}, 70_000, 0)
	return append(digests, digests[:50_000]...)
}

func TestProgressEndsWithTheTotal(t *testing.T) {
	distinct := ascending(copied())
	for name, build := range map[string]func(Config) (*Filter, error){
		"New": func(c Config) (*Filter, error) { return New(t.Context(), c, copied()) },
		"NewFromSorted": func(c Config) (*Filter, error) {
			return NewFromSorted(t.Context(), c, 70_000, slices.Values(distinct))
		},
	} {
		var totals []uint64
		for _, c := range []Config{{FPRate: 0.01, Workers: 1}, {MemoryBytes: 57_650, Workers: 3}} {
			calls, last, all := 0, uint64(0), uint64(0)
			c.Progress = func(done, total uint64) {
				require.Greater(t, done, last)
				calls, last, all = calls+1, done, total
			}
			_, err := build(c)
			require.NoError(t, err)
			require.Equal(t, all, last, name)
			require.GreaterOrEqual(t, calls, 2, name)
			totals = append(totals, all)
		}
		require.Greater(t, totals[1], totals[0], "a filter must be built twice to fill its memory")
	}
}

// Even if the build fails, the slice should contain the same digests, because
// users can append digests and build again.
func TestBuildKeepsTheDigests(t *testing.T) {
	digests := append(copied(), 0)
	want := slices.Sorted(slices.Values(digests))
	for _, calls := range []int{2, 6, 1000} {
		ctx, cancel := context.WithCancel(t.Context())
		left := calls
		_, err := New(ctx, Config{FPRate: 0.01, Workers: 2, Progress: func(uint64, uint64) {
			if left--; left == 0 {
				cancel()
			}
		}}, digests)
		require.Equal(t, calls < 1000, errors.Is(err, context.Canceled))
		require.Equal(t, want, slices.Sorted(slices.Values(digests)))
		cancel()
	}
	for _, ratio := range []int{1, 9} { // at 9, there are several blocks of others
		members, others := universe(hashfam.Family{}, 4000, 4000*ratio)
		members, others = append(members, members[:100]...), append(others, others[:100]...)
		m, o := slices.Sorted(slices.Values(members)), slices.Sorted(slices.Values(others))
		_, err := NewExact(t.Context(), Config{FPRate: 1, Workers: 2}, members, others)
		require.NoError(t, err)
		require.Equal(t, m, slices.Sorted(slices.Values(members)), "ratio %d", ratio)
		require.Equal(t, o, slices.Sorted(slices.Values(others)), "ratio %d", ratio)
	}
}

// In addition to the digests, a build allocates the filter and the bumped
// digests, which should need less than 2 bytes per key. Each worker also needs
// temporary memory, but a small build does not need all of it.
func TestBuildsUseLittleMemory(t *testing.T) {
	if checks.Race {
		t.Skip("the race detector makes the pool drop memory")
	}
	n := 300_000
	if checks.Long(t, 0.5, 1) {
		n = 10_000_000
	}
	const work = 1_600_000
	digests := ascending(checks.Digests(rand.New(rand.NewPCG(5, 5)), n))
	c := Config{FPRate: 0.01, Workers: 1}
	small := checks.LeastAllocated(1, func() { mustBuild(t, c, digests[:5]) })
	require.Less(t, small, uint64(20_000))
	var f, g *Filter
	require.Less(t, checks.LeastAllocated(1, func() { f = mustBuild(t, c, digests) }), uint64(2*n)+work)
	bytes := checks.LeastAllocated(1, func() {
		g, _ = NewFromSorted(t.Context(), c, uint64(n), slices.Values(digests))
	})
	require.Less(t, bytes, f.SizeBytes()+uint64(n)/2+work)
	require.True(t, f.Equal(g))
}

// The header is enough to detect that the payload is too long for the keys.
// Users can therefore check SizeBytes before the payload is read.
func TestHeaderPayloadIsBoundedByKeys(t *testing.T) {
	f := golden(Config{FPRate: 0.01}, 1000)().(*Filter)
	good, err := f.MarshalBinary()
	require.NoError(t, err)
	p := f.Params()
	_, most := ribbon.Bounds(f.ribbon.Shape())
	for payload, ok := range map[uint64]bool{p.SizeBytes(): true, most: true, most + 8: false, 1 << 40: false} {
		b := frametest.Set(good, map[int]uint64{frametest.Payload: payload})
		q, err := ReadParams(bytes.NewReader(b), hashfam.Family{})
		require.Equal(t, !ok, errors.Is(err, hashfam.ErrCorrupt), "%d bytes", payload)
		require.True(t, !ok || q.SizeBytes() == payload)
	}
}

func TestAppendFrameKeepsDstAfterAnError(t *testing.T) {
	got, err := AppendFrame(t.Context(), []byte("before"), Config{}, nil)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.Equal(t, "before", string(got))
}
