package cuckoo

import (
	"math"
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func requireField(t *testing.T, err, sentinel error, field string) {
	t.Helper()
	require.ErrorIs(t, err, sentinel)
	var fe *hashfam.FieldError
	require.ErrorAs(t, err, &fe)
	require.Equal(t, field, fe.Field, "%v", err)
	require.Contains(t, err.Error(), field)
	require.NotEmpty(t, fe.Allowed)
}

// The error names the rate if it is too low for the widest fingerprints, and
// otherwise the capacity. With 32-bit fingerprints, a table has up to 2^41
// buckets. At a rate of 0.9 and the largest Expected, a page of 41,024 bits is
// planned for 3,872 keys.
func TestInvalidParamsReturnFieldErrors(t *testing.T) {
	machine.Matters(t)
	const many, pages = 1 << 43, uint64(sizing.MaxBits) / 41_024
	least, most := math.Ldexp(1, -32)+math.Ldexp(many, -64), uint64(sizing.MaxBits)/128&^1
	for field, configs := range map[string][]Config{
		"Config.Capacity": {{FPRate: 0.01}, {Capacity: 1 << 44, FPRate: 1e-6}, {Capacity: many, FPRate: least}},
		"Config.FPRate": {
			{Capacity: 10, FPRate: 1}, {Capacity: 10, FPRate: -0.5}, {Capacity: 10, FPRate: math.NaN()},
			{Capacity: 10, FPRate: math.SmallestNonzeroFloat64}, {Capacity: 1000, FPRate: 2e-10}, // wider than 32 bits
			{Capacity: 1 << 40, FPRate: 1.0 / (1 << 24)}, {Capacity: math.MaxUint64, FPRate: 0.999, Compact: true},
			{Capacity: many, FPRate: math.Nextafter(least, 0)},
		},
	} {
		for _, c := range configs {
			_, err := c.Params()
			requireField(t, err, hashfam.ErrParams, field)
		}
	}
	for field, params := range map[string][]Params{
		"Params.Buckets": {
			{Buckets: 0, FingerprintBits: 8}, {Buckets: 7, FingerprintBits: 8}, {Buckets: 1 << 47, FingerprintBits: 8},
			{Buckets: most + 2, FingerprintBits: 32}, {Buckets: math.MaxUint64 - 1, FingerprintBits: 8, Compact: true},
		},
		"Params.FingerprintBits": {
			{Buckets: 10, FingerprintBits: 3}, {Buckets: 10, FingerprintBits: 33, Compact: true},
			{Buckets: 1 << 20, FingerprintBits: 4}, // too narrow for so many
		},
	} {
		for _, p := range params {
			_, err := NewFromParams(p)
			requireField(t, err, hashfam.ErrParams, field)
			require.Zero(t, p.CapacityAt(1))
		}
	}
	for field, configs := range map[string][]ScalableConfig{
		"ScalableConfig.Expected": {{}, {FPRate: 0.01}, {Expected: pages*3872 + 1000, FPRate: 0.9}, {Expected: math.MaxUint64, FPRate: 0.01}},
		"ScalableConfig.FPRate":   {{Expected: 1}, {Expected: 1, FPRate: 1}, {Expected: 1, FPRate: 9e-7}, {Expected: 1, FPRate: math.NaN()}},
	} {
		for _, c := range configs {
			s, err := NewScalable(c)
			requireField(t, err, hashfam.ErrParams, field)
			require.Nil(t, s)
		}
	}
	require.NoError(t, Params{Buckets: most, FingerprintBits: 32}.check(hashfam.ErrParams))
	require.NoError(t, ScalableConfig{Expected: pages*3872 - 1000, FPRate: 0.9}.check(hashfam.ErrParams))
}

func TestParamsMeetTheirConfig(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Capacity: uint64(math.Exp(rapid.Float64Range(0, math.Log(1e8)).Draw(t, "ln n"))),
			FPRate:   math.Exp(rapid.Float64Range(math.Log(1e-8), math.Log(0.9)).Draw(t, "ln rate")),
			Compact:  rapid.Bool().Draw(t, "compact"),
		}
		p, err := c.Params()
		require.NoError(t, err)
		require.NoError(t, p.check(hashfam.ErrParams))
		require.LessOrEqual(t, p.RateAt(c.Capacity), c.FPRate)
		require.GreaterOrEqual(t, p.CapacityAt(1), c.Capacity)
		most := p.CapacityAt(c.FPRate)
		require.GreaterOrEqual(t, most, c.Capacity)
		require.True(t, most == p.CapacityAt(1) || p.RateAt(most+1) > c.FPRate)
		q := p // no smaller table is enough, except that sizes may be rounded to eleven bits
		q.Buckets -= max(2, q.Buckets/500&^1)
		if q.check(hashfam.ErrParams) == nil {
			require.True(t, q.CapacityAt(1) < c.Capacity || q.RateAt(c.Capacity) > c.FPRate, "%v is enough", q)
		}
	})
}

func TestRateAtMatchesKnownValues(t *testing.T) {
	machine.Matters(t)
	p := Params{Buckets: 2, FingerprintBits: 8}
	require.Zero(t, p.RateAt(0))
	require.InEpsilon(t, 1.0/255, p.RateAt(1), 1e-12) // two buckets of two: any fingerprint of 255
	require.InEpsilon(t, 1-math.Pow(254.0/255, 8), p.RateAt(8), 1e-12)
	require.InEpsilon(t, 0.02942, Params{Buckets: 1 << 20, FingerprintBits: 8}.RateAt(3_984_589), 3e-3, "Fan et al. count slots instead of keys")
}

func TestSizesDoNotOverflow(t *testing.T) {
	machine.Matters(t)
	for p, size := range map[Params]uint64{
		{Buckets: 2, FingerprintBits: 16}:               24,
		{Buckets: 1 << 57, FingerprintBits: 16}:         1<<60 + 8,
		{Buckets: 1<<60 - 2, FingerprintBits: 4}:        1<<61 + 8,
		{Buckets: 1 << 58, FingerprintBits: 16}:         math.MaxUint64,
		{Buckets: 1 << 62, FingerprintBits: 16}:         math.MaxUint64,
		{Buckets: 2, FingerprintBits: 0, Compact: true}: math.MaxUint64,
	} {
		require.Equal(t, size, p.SizeBytes(), "%v", p)
	}
}
