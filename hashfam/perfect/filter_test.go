package perfect

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// filterOf builds a filter without values for digests without changing the
// slice.
func filterOf(t require.TestingT, c FilterConfig, digests []hashfam.Digest) *Filter {
	f, err := NewFilter(context.Background(), c, slices.Clone(digests), nil)
	require.NoError(t, err)
	return f
}

// The measured rate must match FalsePositiveRate and must not exceed FPRate.
// The standard deviation for m queries is sqrt(rate/m) or less. A correct
// program is off by 6 standard deviations with probability 1e-9 on each side,
// so one of the 30 comparisons fails with probability 3e-8.
func TestRates(t *testing.T) {
	const queries = 100_000
	for _, rate := range []float64{0.9, 0.3, 0.017, 0.01, 1. / 128} {
		for _, n := range []int{1, 9, 4095, 4096, 20_000} {
			f := filterOf(t, FilterConfig{FPRate: rate}, random(n, 1))
			require.LessOrEqual(t, f.FalsePositiveRate(), rate*(1+1e-9))
			hits := 0
			for _, found := range f.ContainsAll(nil, random(queries, uint64(n))) {
				if found {
					hits++
				}
			}
			got, sigma := float64(hits)/queries, math.Sqrt(rate*(1-rate)/queries)
			require.Less(t, got, rate+6*sigma, "n = %d", n)
			require.True(t, n < 4095 || math.Abs(f.FalsePositiveRate()-got) < 6*sigma, "n = %d, rate %g", n, rate)
		}
	}
}

func TestMixedWidthsMeetTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := math.Exp(-rapid.Float64Range(1e-9, 23).Draw(t, "ln(1/rate)"))
		value := rapid.IntRange(0, 20).Draw(t, "bits of a value")
		s := newSlotSize(rate, value, minMixed)
		require.LessOrEqual(t, s.rate(), rate*(1+1e-12))
		require.GreaterOrEqual(t, s.rate(), rate*(1-1e-4), "no more than 1/65536 bits too many")
		bits := float64(s.width)/one - float64(value)
		require.InDelta(t, -math.Log2(rate), bits, 0.0861+1e-4, "the overhead of whole bits")

		// The slots must have this rate, and never a higher one.
		n := rapid.Uint64Range(1, 100_000).Draw(t, "n")
		sum := 0.
		for i := range n {
			fingerprint := s.start(i+1) - s.start(i) - uint64(value)
			sum += math.Ldexp(1, -int(fingerprint))
		}
		require.LessOrEqual(t, sum/float64(n), s.rate()*(1+1e-9))
		require.GreaterOrEqual(t, s.bytes(n)*8, s.start(n)+63)
		whole := newSlotSize(rate, value, minMixed-1)
		require.Zero(t, whole.width%one)
		require.LessOrEqual(t, whole.rate(), rate*(1+1e-12))
	})
}

func TestInvalidFilterConfigs(t *testing.T) {
	for field, c := range map[string]FilterConfig{
		"FilterConfig.FPRate = 0, want above 0":      {},
		"FilterConfig.FPRate = 1, want above 0":      {FPRate: 1},
		"FilterConfig.FPRate = NaN":                  {FPRate: math.NaN()},
		"FilterConfig.FPRate = 1e-17, want at least": {FPRate: 1e-17},
		"FilterConfig.FPRate = 1e-18, want at least": {FPRate: 1e-18, ValueBits: 64},
		"FilterConfig.ValueBits = -1, want 0 to 64":  {FPRate: 0.1, ValueBits: -1},
		"FilterConfig.ValueBits = 65, want 0 to 64":  {FPRate: 0.1, ValueBits: 65},
	} {
		_, err := NewFilter(t.Context(), c, []hashfam.Digest{1}, nil)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, field)
	}
}

// The rate must be above n/2^64 and not below 2^-56, whatever ValueBits is.
func TestTheLowestRateIsPossibleWithAllValues(t *testing.T) {
	for _, bits := range []int{0, 1, 32, 33, 64} {
		c := FilterConfig{FPRate: math.Ldexp(1001, -64), ValueBits: bits}
		require.NoError(t, c.check(1000))
		require.NoError(t, newSlotSize(c.FPRate, bits, 1000).check(frame.PerfectFilter))
		c.FPRate = math.Ldexp(1000, -64)
		require.EqualError(t, c.check(1000), "perfect: invalid parameters: FilterConfig.FPRate = 5.421010862427522e-17, want at least 5.43e-17")
		c.FPRate = math.Nextafter(0x1p-56, 0)
		require.EqualError(t, c.check(100), "perfect: invalid parameters: FilterConfig.FPRate = 1.3877787807814455e-17, want at least 1.39e-17")

		c.FPRate = 0x1p-56
		digests, values := random(100, 1), make([]uint64, 100)
		for i := range values {
			values[i] = math.MaxUint64 >> (64 - bits)
		}
		if bits == 0 {
			values = nil
		}
		f, err := NewFilter(t.Context(), c, slices.Clone(digests), values)
		require.NoError(t, err)
		require.Equal(t, 0x1p-56, f.FalsePositiveRate())
		data, err := f.MarshalBinary()
		require.NoError(t, err)
		var g Filter
		require.NoError(t, g.UnmarshalBinary(data))
		for _, d := range digests {
			value, found := g.ValueDigest(d)
			require.True(t, found)
			require.Equal(t, uint64(math.MaxUint64)>>(64-bits), value)
		}
	}
}

// A slot in a frame must have a fingerprint of more than 0 and up to 56 bits.
func TestSlotSizeLimits(t *testing.T) {
	machine.Matters(t)
	for size, want := range map[slotSize]string{
		{56 * one, 32}:        "",
		{3*one + 1, 3}:        "",
		{3 * one, 3}:          "bits per slot in 1/65536 = 196608, want 196609 to 3866624",
		{0, 0}:                "bits per slot in 1/65536 = 0, want 1 to 3670016",
		{56*one + 1, 0}:       "bits per slot in 1/65536 = 3670017, want 1 to 3670016",
		{88 * one, 32}:        "",
		{88*one + 1, 32}:      "bits per slot in 1/65536 = 5767169, want 2097153 to 5767168",
		{33*one + 1, 33}:      "",
		{33 * one, 33}:        "bits per slot in 1/65536 = 2162688, want 2162689 to 5832704",
		{120 * one, 64}:       "",
		{120*one + 1, 64}:     "bits per slot in 1/65536 = 7864321, want 4194305 to 7864320",
		{120 * one, 65}:       "Params.ValueBits = 65, want at most 64",
		{math.MaxUint32, 255}: "Params.ValueBits = 255, want at most 64",
	} {
		if err := size.check(frame.PerfectFilter); want == "" {
			require.NoError(t, err, "%+v", size)
		} else {
			require.EqualError(t, err, "perfect: corrupt encoding: "+want)
		}
	}
}

// Slots of all sizes must contain what was stored, without changing others. The
// last one must not need bytes after the end.
func TestSlotsKeepFingerprintsAndValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.IntRange(0, maxValue).Draw(t, "bits of a value")
		length := rapid.Uint64Range(one, maxFingerprint*one).Draw(t, "fingerprint in 1/65536 bits")
		size := slotSize{uint64(value)*one + length, uint(value)}
		n := rapid.Uint64Range(1, 100).Draw(t, "n")
		s := newSlots(size, make([]byte, size.bytes(n)))
		thirds := rapid.SliceOfN(rapid.Uint64(), int(n), int(n)).Draw(t, "third values")
		for i := range n {
			s.set(i, thirds[i], thirds[i]*spread&s.valueMask())
		}
		for i, third := range thirds {
			i := uint64(i)
			word := s.word(i)
			require.True(t, s.match(word, i, third))
			require.False(t, s.match(word, i, third^1<<63), "the highest bit of a fingerprint")
			lowest := 64 - (s.widthOf(i) - s.value)
			require.False(t, s.match(word, i, third^1<<lowest), "the lowest bit of a fingerprint")
			value := s.valueAt(word, i)
			require.Equal(t, third*spread&s.valueMask(), value)
		}
		require.NoError(t, checkZeros("", s.bits, s.start(n)))
	})
}

// Three slots of three bits end in the second byte; eight slots fill three
// bytes.
func TestBitsAfterTheLastSlotAreCorrupt(t *testing.T) {
	machine.Matters(t)
	size := slotSize{width: 3 * one}
	for _, n := range []uint64{3, 8} {
		for bit := range 8 * size.bytes(n) {
			b := make([]byte, size.bytes(n))
			b[bit/8] |= 1 << (bit % 8)
			if err := checkZeros("", b, size.start(n)); bit < 3*n {
				require.NoError(t, err, "bit %d", bit)
			} else {
				require.ErrorIs(t, err, hashfam.ErrCorrupt, "bit %d", bit)
			}
		}
	}
	b, err := filterOf(t, FilterConfig{FPRate: 0.1}, random(3, 1)).MarshalBinary()
	require.NoError(t, err)
	b[len(b)-9] = 1 // before the checksum
	require.ErrorIs(t, new(Filter).UnmarshalBinary(frametest.Seal(b)), hashfam.ErrCorrupt)
}

func TestFilterWithoutKeysContainsNothing(t *testing.T) {
	for _, rate := range []float64{0.1, 0.9} {
		f := filterOf(t, FilterConfig{FPRate: rate}, nil)
		require.False(t, f.ContainsDigest(0))
		require.Equal(t, []bool{true, false, false}, f.ContainsAll([]bool{true}, []hashfam.Digest{0, 1}))
		_, found := f.ValueDigest(0)
		require.False(t, found)
		values, all := f.ValueAll([]uint64{7}, []bool{true}, []hashfam.Digest{0, 1})
		require.Equal(t, []uint64{7, 0, 0}, values)
		require.Equal(t, []bool{true, false, false}, all)
		require.Zero(t, f.FalsePositiveRate())
	}
}

// At a rate above 1/2, some keys have no fingerprint. They still have values.
func TestEachKeyHasItsValue(t *testing.T) {
	for _, c := range []FilterConfig{
		{FPRate: 0.9, ValueBits: 1}, {FPRate: 0.9, ValueBits: 13, Compact: true}, {FPRate: 0.01, ValueBits: 32}, {FPRate: 0x1p-50, ValueBits: 6},
		{FPRate: 0x1p-50, ValueBits: 7}, {FPRate: 0x1p-32, ValueBits: 64}, {FPRate: 0.9, ValueBits: 33}, {FPRate: 0.003, ValueBits: 57}, {FPRate: 0x1p-50, ValueBits: 64},
	} {
		for _, n := range []int{0, 1, 9, 300, minMixed} {
			digests, values := random(n, 1), make([]uint64, n)
			for i := range values {
				values[i] = uint64(i) * spread >> (64 - c.ValueBits)
			}
			before := slices.Clone(digests)
			f, err := NewFilter(t.Context(), c, digests, values)
			require.NoError(t, err)
			require.Equal(t, before, digests)
			for i, d := range digests {
				value, found := f.ValueDigest(d)
				require.True(t, found)
				require.Equal(t, values[i], value, "digest %d of %d", i, n)
			}
			slices.Reverse(digests)
			slices.Reverse(values)
			all, found := f.ValueAll([]uint64{1}, []bool{true}, digests)
			require.Equal(t, append([]uint64{1}, values...), all)
			require.NotContains(t, found, false)
			require.Len(t, found, n+1)
			again, err := NewFilter(t.Context(), c, append(digests, digests...), append(values, values...))
			require.NoError(t, err)
			require.True(t, again.Equal(f))
		}
	}
}

func TestInvalidValues(t *testing.T) {
	c := FilterConfig{FPRate: 0.1, ValueBits: 8}
	for want, values := range map[string][]uint64{
		"number of values = 0, want 30, because ValueBits is 8":  nil,
		"number of values = 31, want 30, because ValueBits is 8": make([]uint64, 31),
		"value 29 = 256, want at most 255":                       append(make([]uint64, 29), 256),
		"digest 25 = equal to digest 5, values 7 and 9, want one value for each digest; if the keys differ, use another family": {5: 7, 25: 9, 29: 0},
	} {
		digests := random(30, 1)
		digests[25] = digests[5]
		_, err := NewFilter(t.Context(), c, digests, values)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.EqualError(t, err, "perfect: invalid parameters: "+want)
	}
	_, err := NewFilter(t.Context(), FilterConfig{FPRate: 0.1}, random(3, 1), []uint64{1, 2, 3})
	require.EqualError(t, err, "perfect: invalid parameters: number of values = 3, want 0, because ValueBits is 0")
}
