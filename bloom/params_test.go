package bloom

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// mostKeys is a number of keys that fit in a filter on every platform.
const mostKeys = min(1e9, sizing.MaxBits/128)

var layouts = []Layout{Classic, Partitioned, Blocked}

func TestInvalidParametersReturnAFieldError(t *testing.T) {
	for _, c := range []struct {
		field  string
		config Config
	}{
		{"Config.Capacity", Config{Capacity: 0, FPRate: 0.01}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: 0}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: 1}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: -0.5}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.NaN()}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.Inf(1)}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.Inf(-1)}},
		{"Config.FPRate", Config{Capacity: 10, FPRate: math.SmallestNonzeroFloat64}},
		{"Config.FPRate", Config{Capacity: 1 << 40, FPRate: 1.0 / (1 << 24)}}, // n/2^64 exactly
		{"Config.FPRate", Config{Capacity: math.MaxUint64, FPRate: 0.999}},
		{"Config.Capacity", Config{Capacity: 1 << 60, FPRate: 0.3}},
		{"Config.Layout", Config{Capacity: 10, FPRate: 0.01, Layout: 3}},
	} {
		for _, layout := range layouts {
			if c.field != "Config.Layout" {
				c.config.Layout = layout
			}
			_, err := New(c.config)
			requireField(t, err, ErrParams, c.field)
		}
	}
	for _, c := range []struct {
		field  string
		params Params
	}{
		{"Params.Bits", Params{Bits: 0, Hashes: 7}},
		{"Params.Bits", Params{Bits: sizing.MaxBits + 1, Hashes: 7}},
		{"Params.Bits", Params{Bits: math.MaxUint64, Hashes: 7}},
		{"Params.Bits", Params{Bits: 64, Hashes: 7, Layout: Partitioned}},
		{"Params.Bits", Params{Bits: 500, Hashes: 7, Layout: Blocked}},
		{"Params.Hashes", Params{Bits: 64, Hashes: 0}},
		{"Params.Hashes", Params{Bits: 64, Hashes: -1, Layout: Partitioned}},
		{"Params.Hashes", Params{Bits: 64, Hashes: 256}},
		{"Params.Layout", Params{Bits: 64, Hashes: 7, Layout: 3}},
	} {
		_, err := NewFromParams(c.params)
		requireField(t, err, ErrParams, c.field)
	}
}

func requireField(t *testing.T, err, sentinel error, field string) {
	t.Helper()
	require.ErrorIs(t, err, sentinel)
	var fe *FieldError
	require.True(t, errors.As(err, &fe), "%v is not a FieldError", err)
	require.Equal(t, field, fe.Field, "%v", err)
	require.Contains(t, err.Error(), field)
	require.NotEmpty(t, fe.Allowed)
}

func TestEveryConfigMeetsItsRateWithTheBestNumberOfHashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := uint64(math.Exp(rapid.Float64Range(0, math.Log(mostKeys)).Draw(t, "ln n")))
		rate := math.Exp(rapid.Float64Range(math.Log(1e-7), math.Log(0.9)).Draw(t, "ln rate"))
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		p, err := Config{Capacity: n, FPRate: rate, Layout: layout}.Params()
		require.NoError(t, err)
		require.NoError(t, p.check(ErrParams))
		require.LessOrEqual(t, p.RateAt(n), rate)
		for _, k := range []int{p.Hashes - 1, p.Hashes + 1} {
			q := p
			q.Hashes = k
			if layout == Partitioned && k > 0 {
				q.Bits -= q.Bits % (8 * uint64(k)) // slices are multiples of 8 bits
			}
			if q.check(ErrParams) == nil {
				require.LessOrEqual(t, p.RateAt(n), q.RateAt(n)*(1+1e-9), "k = %d is better", k)
			}
		}
	})
}

func TestClassicNeedsTheTextbookBitsPerKey(t *testing.T) {
	worst := 0.0
	for n := uint64(10_000); n <= 100_000_000; n *= 10 {
		for rate := 0.03; rate > 1e-8; rate *= 0.97 {
			p, err := Config{Capacity: n, FPRate: rate}.Params()
			require.NoError(t, err)
			excess := float64(p.Bits)/float64(n)/sizing.BloomBitsPerKey(rate) - 1
			worst = max(worst, excess)
			require.Less(t, excess, 0.003, "n = %d, rate = %g", n, rate)
		}
	}
	t.Logf("worst excess over 1.4427 log2(1/rate): %.3f %%", 100*worst)
}

func TestPrintingAFilterNeverShowsItsKey(t *testing.T) {
	key := hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	f, err := New(Config{Capacity: 10, FPRate: 0.01, Family: hashfam.New(key)})
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
		for _, v := range []any{f, f.Params(), *f} {
			s := fmt.Sprintf(verb, v)
			for _, half := range []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908} {
				require.NotContains(t, s, fmt.Sprint(half), "%s of %T", verb, v)
				require.NotContains(t, s, fmt.Sprintf("%x", half), "%s of %T", verb, v)
			}
		}
	}
}

func TestCapacityAtInvertsRateAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		if rapid.Bool().Draw(t, "large") {
			c := Config{
				Capacity: uint64(math.Exp(rapid.Float64Range(0, math.Log(mostKeys)).Draw(t, "ln n"))),
				FPRate:   math.Exp(rapid.Float64Range(math.Log(1e-6), math.Log(0.5)).Draw(t, "ln rate")),
				Layout:   p.Layout,
			}
			var err error
			p, err = c.Params()
			require.NoError(t, err)
			require.GreaterOrEqual(t, p.CapacityAt(c.FPRate), c.Capacity)
		}
		rate := math.Exp(rapid.Float64Range(math.Log(1e-7), math.Log(0.99)).Draw(t, "ln asked"))
		n := p.CapacityAt(rate)
		require.LessOrEqual(t, p.RateAt(n), rate)
		require.Greater(t, p.RateAt(n+1), rate)
	})
	p := Params{Bits: 1024, Hashes: 7}
	require.Zero(t, p.CapacityAt(0))
	require.Zero(t, p.CapacityAt(-1))
	require.Zero(t, p.CapacityAt(math.NaN()))
	require.Zero(t, p.CapacityAt(math.Inf(-1)))
	require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(1))
	require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(math.Inf(1)))
	require.Zero(t, Params{}.CapacityAt(0.5))
}

// In a classic filter, a digest that is a member's times a small power of the
// multiplier has most of the member's positions. This test queries the positive
// powers in a half-full filter. Those found, twice to count the negative powers
// as well, plus one for the member itself, make up the factor that RateAt
// applies to n/2^64.
func TestRateAtCountsDigestsNearAMember(t *testing.T) {
	const multiplier, n = 0xD1342543DE82EF95, 50_000
	p, err := Config{Capacity: n, FPRate: 0.001}.Params()
	require.NoError(t, err)
	f, r := mustNew(t, p), rand.New(rand.NewPCG(1, 2))
	members := make([]uint64, n)
	for i := range members {
		members[i] = r.Uint64()
		f.AddDigest(hashfam.Digest(members[i]))
	}
	found := 0.0
	for _, x := range members {
		for s, d := 1, x*multiplier; s < p.Hashes; s, d = s+1, d*multiplier {
			if f.ContainsDigest(hashfam.Digest(d)) {
				found += 2.0 / n // as many before the member as after it
			}
		}
	}
	added := sizing.ClassicDigestRate(p.Bits, p.Hashes, n) / sizing.DigestRate(n)
	t.Logf("%.3f digests found per member, %.3f by the formula", 1+found, added)
	// Half of the digests after a member's are found. The standard deviation
	// is about 1/sqrt(n) each; 6 of them are below 0.1.
	require.InDelta(t, added, 1+found, 0.1)
	require.InDelta(t, 3, added, 0.1)

	// Near the floor, Params takes it into account or returns an error.
	for _, floors := range []float64{0.9, 1, 1.05, 1.5, 2.9, 3.1, 10} {
		c := Config{Capacity: 1e6, FPRate: floors * 1e6 / (1 << 64)}
		p, err := c.Params()
		if floors <= 1 {
			require.ErrorIs(t, err, ErrParams)
			continue
		}
		require.NoError(t, err, "%g times n/2^64", floors)
		require.LessOrEqual(t, p.RateAt(c.Capacity), c.FPRate)
		require.GreaterOrEqual(t, p.RateAt(c.Capacity), sizing.ClassicDigestRate(p.Bits, p.Hashes, c.Capacity))
	}
}

func TestTheTextOfALayoutIsItsName(t *testing.T) {
	for _, l := range []Layout{Classic, Partitioned, Blocked} {
		text, err := l.MarshalText()
		require.NoError(t, err)
		require.Equal(t, l.String(), string(text))
		got := Layout(7)
		require.NoError(t, got.UnmarshalText(text))
		require.Equal(t, l, got)
		require.ErrorIs(t, (*Layout)(nil).UnmarshalText(text), ErrParams)
	}
	_, err := Layout(3).MarshalText()
	require.ErrorIs(t, err, ErrParams)
	l := Blocked
	for _, text := range []string{"", "Classic", "Layout(3)", "classic "} {
		require.ErrorIs(t, l.UnmarshalText([]byte(text)), ErrParams)
		require.Equal(t, Blocked, l)
	}
}

// Sums of chances may round up, but no rate is above 1. So CapacityAt(1) is any
// number.
func TestRatesAreAtMostOne(t *testing.T) {
	for _, layout := range []Layout{Classic, Partitioned, Blocked} {
		for _, k := range []int{1, 7, 14, 30, 255} {
			for size := 12; size < 48; size += 12 {
				p := Params{Bits: 1 << size, Hashes: k, Layout: layout}
				if layout == Partitioned {
					p.Bits -= p.Bits % uint64(k)
				}
				if p.check(ErrParams) != nil { // too large for 32 bits
					continue
				}
				for n := p.Bits / 64; n < 4*p.Bits; n *= 2 {
					rate := p.RateAt(n)
					require.True(t, rate >= 0 && rate <= 1, "%v: %g at %d", p, rate, n)
				}
				require.Equal(t, uint64(math.MaxUint64), p.CapacityAt(1), "%v", p)
			}
		}
	}
}
