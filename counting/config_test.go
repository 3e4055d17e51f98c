package counting

import (
	"fmt"
	"math"
	"testing"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Package fault tests the other errors of a Config.
func TestInvalidParametersReturnAFieldError(t *testing.T) {
	for _, c := range []struct {
		field  string
		config Config
	}{
		{"Config.Capacity", Config{Capacity: 0, FPRate: 0.01}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: 1}},
		{"Config.Capacity", Config{Capacity: 1 << 60, FPRate: 0.3}},
		{"Config.Capacity", Config{Capacity: maxCounters / 4, FPRate: 0.01}}, // enough for bloom, too many for counting
	} {
		for _, c.config.Layout = range layouts {
			_, err := New(c.config)
			requireField(t, err, hashfam.ErrParams, c.field)
		}
	}
	for _, layout := range []bloom.Layout{bloom.Partitioned, 3} {
		_, err := New(Config{Capacity: 10, FPRate: 0.01, MemoryBytes: 1 << 20, Layout: layout})
		requireField(t, err, hashfam.ErrParams, "Config.Layout")
	}
	for _, c := range []struct {
		field  string
		params Params
	}{
		{"Params.Counters", Params{Counters: 0, Hashes: 7}},
		{"Params.Counters", Params{Counters: maxCounters + 1, Hashes: 7}},
		{"Params.Counters", Params{Counters: 500, Hashes: 7, Layout: bloom.Blocked}},
		{"Params.Layout", Params{Counters: 70, Hashes: 7, Layout: bloom.Partitioned}},
		{"Params.Layout", Params{Counters: 64, Hashes: 7, Layout: 3}},
		{"Params.Hashes", Params{Counters: 64, Hashes: 0}},
		{"Params.Hashes", Params{Counters: 64, Hashes: 256}},
	} {
		_, err := NewFromParams(c.params)
		requireField(t, err, hashfam.ErrParams, c.field)
		require.True(t, math.IsNaN(c.params.RateAt(10)))
		require.Zero(t, c.params.CapacityAt(0.5))
	}
	for _, p := range []Params{
		{Counters: 1, Hashes: 1},
		{Counters: maxCounters, Hashes: sizing.MaxHashes},
		{Counters: maxCounters / blockCounters * blockCounters, Hashes: sizing.MaxHashes, Layout: bloom.Blocked},
	} {
		require.NoError(t, p.check(hashfam.ErrParams))
	}
	if sizing.MaxBytes == 1<<30 { // addresses have 32 bits
		_, err := NewFromParams(Params{Counters: 1<<31 + 1, Hashes: 1})
		requireField(t, err, hashfam.ErrParams, "Params.Counters")
	}
}

func requireField(t *testing.T, err, sentinel error, field string) {
	t.Helper()
	require.ErrorIs(t, err, sentinel)
	var fe *hashfam.FieldError
	require.ErrorAs(t, err, &fe)
	require.Equal(t, field, fe.Field, "%v", err)
	require.NotEmpty(t, fe.Allowed)
}

func TestFilterHasACounterForEachBitOfABloomFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := uint64(math.Exp(rapid.Float64Range(0, math.Log(min(1e9, maxCounters/128))).Draw(t, "ln n")))
		rate := math.Exp(rapid.Float64Range(math.Log(1e-7), math.Log(0.9)).Draw(t, "ln rate"))
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		p, err := Config{Capacity: n, FPRate: rate, Layout: layout}.Params()
		require.NoError(t, err)
		b, err := bloom.Config{Capacity: n, FPRate: rate, Layout: layout}.Params()
		require.NoError(t, err)
		require.Equal(t, bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: layout}, b)
		require.LessOrEqual(t, p.RateAt(n), rate)
		require.Equal(t, b.RateAt(n), p.RateAt(n))
		require.Equal(t, b.CapacityAt(rate), p.CapacityAt(rate))
		require.Equal(t, (4*b.Bits+63)/64, p.words())
		best, err := Config{Capacity: n, MemoryBytes: p.SizeBytes(), Layout: layout}.Params()
		require.NoError(t, err)
		require.LessOrEqual(t, best.SizeBytes(), p.SizeBytes())
		require.LessOrEqual(t, best.RateAt(n), p.RateAt(n))
	})
}

// The largest capacity needs all counters, 2^46 on 64-bit platforms, in steps
// of 8. If the capacity is larger, the error describes the valid range.
func TestTheLargestCapacityFillsTheLargestArray(t *testing.T) {
	machine.Matters(t)
	at := func(n uint64) (Params, error) { return Config{Capacity: n, FPRate: 0.9}.Params() }
	fits, most := Params{}, uint64(0)
	for step := uint64(1) << 50; step > 0; step /= 2 {
		if p, err := at(most + step); err == nil {
			fits, most = p, most+step
		}
	}
	require.Equal(t, uint64(maxCounters/8*8), fits.Counters)
	_, err := at(most + 1)
	require.ErrorContains(t, err, fmt.Sprintf("want a capacity that fits in %d counters at FPRate 0.9", uint64(maxCounters)))
}

// sticks returns the probability that a counter reaches 15 when a Poisson
// number of positions with the given mean select it.
func sticks(mean float64) (p float64) {
	for j := 15.0; j < 60; j++ {
		log, _ := math.Lgamma(j + 1)
		p += math.Exp(j*math.Log(mean) - mean - log)
	}
	return p
}

// Fan et al. 2000 show that a counter reaches j with a probability of at most
// (e*x/j)^j, where x is the mean number of positions per counter. With the
// optimal k, this is 3.06e-14 for j = 15. Since k is an integer, the limit
// holds only for rates up to 10%.
func TestCountersRarelyStickWithinTheCapacity(t *testing.T) {
	require.InEpsilon(t, 3.06e-14, math.Pow(math.E*math.Ln2/15, 15), 1e-3)
	for rate := 0.1; rate > 1e-9; rate *= 0.6 {
		for _, layout := range layouts {
			require.Less(t, sticksAt(t, rate, layout), 3.06e-14, "%v, rate %v", layout, rate)
		}
	}
	least, most := 1.0, 0.0
	for rate := 0.03; rate >= 0.0001; rate *= 0.97 {
		chance := sticksAt(t, rate, bloom.Blocked)
		least, most = min(least, chance), max(most, chance)
	}
	checks.Documented(t, "theory.md", "the probability is %.1e to %.1e for rates from 3%% to 0.01%%", least, most)
}

// sticksAt returns the probability that a counter reaches 15 in a filter that
// contains as many keys as it is planned for.
func sticksAt(t *testing.T, rate float64, layout bloom.Layout) float64 {
	const n = 1_000_000
	p, err := Config{Capacity: n, FPRate: rate, Layout: layout}.Params()
	require.NoError(t, err)
	if layout != bloom.Blocked {
		return sticks(n * float64(p.Hashes) / float64(p.Counters))
	}
	load, log, chance := n*blockCounters/float64(p.Counters), 0.0, 0.0
	for keys := 1.0; keys < 400; keys++ { // each block contains a Poisson number of keys
		log += math.Log(load / keys)
		chance += math.Exp(log-load) * sticks(keys*float64(p.Hashes)/blockCounters)
	}
	return chance
}
