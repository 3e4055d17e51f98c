package budget_test

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/budget"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/sizing"
)

type params interface {
	SizeBytes() uint64
	RateAt(n uint64) float64
	CapacityAt(rate float64) uint64
}

// A structure describes a kind of filter. params returns the parameters for a
// Config. neighbors returns similar parameters that use all of a memory, some
// of which are invalid or too large. slack returns how much larger a plan
// without MemoryBytes can be than necessary, because it rounds up to eight
// lines or to a byte per slice, or by 0.1% in cuckoo tables with narrow
// fingerprints.
type structure struct {
	params    func(n uint64, rate float64, bytes uint64) (params, error)
	neighbors func(p params, bytes uint64) []params
	slack     func(bytes uint64) uint64
}

func fixed(slack uint64) func(uint64) uint64 { return func(uint64) uint64 { return slack } }

var structures = map[string]structure{
	"classic":          ofBloom(bloom.Classic, 64),
	"partitioned":      ofBloom(bloom.Partitioned, 1),
	"blocked":          ofBloom(bloom.Blocked, 512),
	"counting":         ofCounting(bloom.Classic, 16),
	"counting blocked": ofCounting(bloom.Blocked, 512),
	"cuckoo":           ofCuckoo(false),
	"compact cuckoo":   ofCuckoo(true),
}

func ofBloom(layout bloom.Layout, whole uint64) structure {
	return structure{func(n uint64, rate float64, bytes uint64) (params, error) {
		return bloom.Config{Capacity: n, FPRate: rate, MemoryBytes: bytes, Layout: layout}.Params()
	}, func(p params, bytes uint64) (list []params) {
		best := p.(bloom.Params)
		for k := max(1, best.Hashes-8); k <= min(best.Hashes+8, sizing.MaxHashes); k++ {
			if layout == bloom.Partitioned {
				whole = uint64(k)
			}
			list = append(list, bloom.Params{Bits: bytes / 8 * 64 / whole * whole, Hashes: k, Layout: layout})
		}
		return list
	}, fixed([]uint64{bloom.Classic: 0, bloom.Partitioned: 255, bloom.Blocked: 7 * 64}[layout])}
}

func ofCounting(layout bloom.Layout, whole uint64) structure {
	return structure{func(n uint64, rate float64, bytes uint64) (params, error) {
		return counting.Config{Capacity: n, FPRate: rate, MemoryBytes: bytes, Layout: layout}.Params()
	}, func(p params, bytes uint64) (list []params) {
		best := p.(counting.Params)
		for k := max(1, best.Hashes-8); k <= min(best.Hashes+8, sizing.MaxHashes); k++ {
			list = append(list, counting.Params{Counters: bytes * 2 / whole * whole, Hashes: k, Layout: layout})
		}
		return list
	}, fixed([]uint64{bloom.Classic: 0, bloom.Blocked: 7 * 256}[layout])}
}

func ofCuckoo(compact bool) structure {
	return structure{func(n uint64, rate float64, bytes uint64) (params, error) {
		return cuckoo.Config{Capacity: n, FPRate: rate, MemoryBytes: bytes, Compact: compact}.Params()
	}, func(p params, bytes uint64) (list []params) {
		best := p.(cuckoo.Params).Buckets
		for f := sizing.MinFingerprintBits; f <= sizing.MaxFingerprintBits; f++ {
			bucket := uint64(4 * f)
			if compact {
				bucket -= 4
			}
			most := (bytes - min(8, bytes)) / 8 * 64 / bucket &^ 1
			for _, buckets := range []uint64{most + 2, most, most - 2, most - 4, most / 64 * 64, 1 << (bits.Len64(most|1) - 1), best + 2, best + 4} {
				list = append(list, cuckoo.Params{Buckets: buckets, FingerprintBits: f, Compact: compact})
			}
		}
		return list
	}, func(bytes uint64) uint64 { return bytes / 900 }}
}

func TestMemoryAndRateGiveTheLargestCapacity(t *testing.T) {
	names := slices.Sorted(maps.Keys(structures))
	rapid.Check(t, func(t *rapid.T) {
		s := structures[rapid.SampledFrom(names).Draw(t, "structure")]
		bytes := uint64(math.Exp(rapid.Float64Range(math.Log(300), math.Log(min(1<<34, sizing.MaxBits/8))).Draw(t, "ln bytes")))
		rate := math.Exp(rapid.Float64Range(math.Log(1e-10), math.Log(0.95)).Draw(t, "ln rate"))
		p, err := s.params(0, rate, bytes)
		require.NoError(t, err)
		n := p.CapacityAt(rate)
		require.Positive(t, n)
		require.LessOrEqual(t, p.RateAt(n), rate)
		require.LessOrEqual(t, p.SizeBytes(), bytes)
		for _, q := range s.neighbors(p, bytes) {
			if q.SizeBytes() <= bytes {
				require.LessOrEqual(t, q.CapacityAt(rate), n, "%v holds more than %v", q, p)
			}
		}
		same, err := s.params(n, rate, bytes)
		require.NoError(t, err)
		require.LessOrEqual(t, same.SizeBytes(), bytes)
		_, err = s.params(n+1, rate, bytes)
		require.ErrorIs(t, err, hashfam.ErrParams)
		if least, err := s.params(n, rate, 0); err == nil {
			require.LessOrEqual(t, least.SizeBytes(), bytes+s.slack(bytes))
		} else {
			require.Less(t, rate, 2.4e-10) // fingerprints have 32 bits
		}
	})
}

// Of all parameters that fit in a memory, none has a lower rate.
func TestMemoryGivesTheLowestRate(t *testing.T) {
	for name, s := range structures {
		for n := uint64(1); n <= 1e9; n *= 1000 {
			found := 0
			for i, bits := range []uint64{1, 4, 7, 9, 12, 20, 45, 300} {
				odd := 300 * uint64(i%2)
				bytes := max(1, n*bits/8+odd)
				lowest := s.lowest(t, name, n, bytes)
				if lowest < 1 {
					found++
					s.accepts(t, n, bytes, lowest)
				}
			}
			require.Greater(t, found, 2, name)
		}
	}
}

// anyRate is the highest rate below 1.
var anyRate = math.Nextafter(1, 0)

// lowest returns the lowest rate for n keys in a memory, and 1 if there is
// none. The error must then name a sufficient memory.
func (s structure) lowest(t *testing.T, name string, n, bytes uint64) float64 {
	t.Helper()
	lowest := 1.0
	p, err := s.params(n, 0, bytes)
	if err == nil {
		lowest = p.RateAt(n)
		require.Less(t, lowest, 1.0)
		require.LessOrEqual(t, p.SizeBytes(), bytes)
		require.GreaterOrEqual(t, p.CapacityAt(anyRate), n)
	} else {
		s.namesWhatFits(t, err, n, 0.5, bytes)
	}
	for _, q := range s.neighbors(p, bytes) {
		if q.SizeBytes() <= bytes && q.CapacityAt(anyRate) >= n { // a cuckoo table may be too small
			require.False(t, q.RateAt(n) < lowest, "%s: %d keys in %d bytes: %v has a lower rate than %v", name, n, bytes, q, p)
		}
	}
	return lowest
}

// accepts checks rates in a memory whose lowest rate is given. This rate and
// higher ones must be accepted, and 0.7*lowest must be refused. Rates below
// 1e-7 are left out, since they take long and a cuckoo filter cannot have them.
func (s structure) accepts(t *testing.T, n, bytes uint64, lowest float64) {
	t.Helper()
	for _, rate := range []float64{lowest, 1.2 * lowest, 2 * lowest} {
		if rate < 1 && rate > 1e-7 {
			q, err := s.params(n, rate, bytes)
			require.NoError(t, err)
			require.LessOrEqual(t, q.SizeBytes(), bytes)
			require.LessOrEqual(t, q.RateAt(n), rate)
		}
	}
	lower := 0.7 * lowest
	if lower <= 1e-7 {
		return
	}
	_, err := s.params(n, lower, bytes)
	s.namesWhatFits(t, err, n, lower, bytes)
	least, err := s.params(n, lower, 0)
	require.NoError(t, err)
	same, err := s.params(n, lower, least.SizeBytes())
	require.NoError(t, err)
	require.Equal(t, least, same)
}

// namesWhatFits checks the error for n keys at a rate in a memory.
func (s structure) namesWhatFits(t require.TestingT, err error, n uint64, rate float64, bytes uint64) {
	checks.NamesWhatFits(t, err, rate, func(rate float64, bytes uint64) error {
		_, err := s.params(n, rate, bytes)
		return err
	}, bytes)
}

// Without a limit, CapacityAt returns at least the capacity in the Config.
// Rates that a structure cannot have are ignored.
func TestParamsHaveTheirCapacity(t *testing.T) {
	rates := []float64{anyRate}
	for beyond := 1.0; beyond > 1e-17; beyond /= 10 {
		rates = append(rates, 1-beyond, beyond/2)
	}
	for name, s := range structures {
		found := 0
		for _, rate := range rates {
			for n := uint64(1); n <= 1e6; n += 1 + n/7 {
				p, err := s.params(n, rate, 0)
				if err == nil {
					found++
					require.GreaterOrEqual(t, p.CapacityAt(rate), n, "%s: %v at a rate of %g", name, p, rate)
				}
			}
		}
		require.Greater(t, found, 1000, name)
	}
}

func TestTooManyKeysHaveNoRate(t *testing.T) {
	for name, s := range structures {
		for _, n := range []uint64{1 << 60, 1 << 63, math.MaxUint64} {
			_, err := s.params(n, 0, 1<<20)
			require.ErrorContains(t, err, "Config.Capacity", name)
		}
	}
}

func TestAnyMemoryIsPossible(t *testing.T) {
	for name, s := range structures {
		p, err := s.params(1, 0, math.MaxUint64)
		require.NoError(t, err, name)
		require.LessOrEqual(t, p.SizeBytes(), uint64(sizing.MaxBits/8), name)
	}
}

// The error names the memory that a single key needs, or the impossible rate.
func TestExtremeMemoriesAndRates(t *testing.T) {
	for name, s := range structures {
		for _, rate := range []float64{0x1p-64, 0x1p-62, 0.01, math.Nextafter(1, 0)} {
			for _, bytes := range []uint64{1, 8, 63, 64, 300, 700, math.MaxUint64} {
				p, err := s.params(0, rate, bytes)
				var fe *hashfam.FieldError
				switch {
				case err == nil:
					require.LessOrEqual(t, p.SizeBytes(), bytes, "%s, rate %g", name, rate)
					require.Positive(t, p.CapacityAt(rate), "%s, rate %g, %v", name, rate, p)
				case rate <= 0x1p-64:
					require.ErrorContains(t, err, "Config.FPRate")
				default:
					require.ErrorAs(t, err, &fe)
					require.Contains(t, []string{"Config.FPRate", "Config.MemoryBytes"}, fe.Field, "%s: %v", name, err)
					require.True(t, bytes < 700 || rate < 1e-12, "%s: %v", name, err)
				}
			}
		}
	}
}

// At the lowest rates, equal digests limit the capacity. A Config accepts it,
// at the same rate.
func TestCapacitiesAtTheDigestFloorArePossible(t *testing.T) {
	for name, s := range structures {
		for _, rate := range []float64{0x1p-62, 0x1p-60, 0x1p-50, 0x1.8p-45, 0x1p-40} {
			p, err := s.params(0, rate, math.MaxUint64)
			if err != nil {
				continue // with so few keys there is no such filter
			}
			n := p.CapacityAt(rate)
			_, err = s.params(n, rate, math.MaxUint64)
			require.NoError(t, err, "%s: %d keys, rate %g", name, n, rate)
		}
	}
}

// The memory and the rate that an error names are accepted. Only slack allows
// less memory.
func TestErrorsNameWhatIsNeeded(t *testing.T) {
	names := slices.Sorted(maps.Keys(structures))
	rapid.Check(t, func(t *rapid.T) {
		s := structures[rapid.SampledFrom(names).Draw(t, "structure")]
		n := uint64(math.Exp(rapid.Float64Range(0, 18).Draw(t, "ln n")))
		rate := math.Exp(rapid.Float64Range(math.Log(1e-9), math.Log(0.95)).Draw(t, "ln rate"))
		p, err := s.params(n, rate, 0)
		require.NoError(t, err)
		bytes := uint64(float64(p.SizeBytes()) * rapid.Float64Range(0, 0.99).Draw(t, "part of the memory"))
		_, err = s.params(n, rate, max(1, bytes))
		if err == nil {
			require.GreaterOrEqual(t, bytes+s.slack(p.SizeBytes()), p.SizeBytes())
			return
		}
		require.ErrorContains(t, err, fmt.Sprintf("at least %d for ", p.SizeBytes()))
		s.namesWhatFits(t, err, n, rate, max(1, bytes))
	})
}

// An error never names a rate of 1, which is not allowed.
func TestErrorsNameNoRateOfOne(t *testing.T) {
	for _, rate := range []float64{0.99, 0.9934, 0.9935, 0.9936, 0.994, 1} {
		_, fits, found := strings.Cut(budget.NeedBytes(592, 0.03, rate), ", or FPRate ")
		if found {
			named, err := strconv.ParseFloat(fits, 64)
			require.NoError(t, err)
			require.Less(t, named, 1.0)
			require.GreaterOrEqual(t, named, rate)
		}
	}
}

func TestOneFieldIsNotEnough(t *testing.T) {
	for name, s := range structures {
		for _, c := range []struct {
			keys  uint64
			rate  float64
			bytes uint64
			want  string
		}{
			{0, 0, 0, "Config.Capacity = 0, want at least 1, or both FPRate and MemoryBytes"},
			{0, 0.01, 0, "Config.Capacity = 0, want at least 1, or both FPRate and MemoryBytes"},
			{0, 0, 1000, "Config.Capacity = 0, want at least 1, or both FPRate and MemoryBytes"},
			{1000, 0, 0, "Config.FPRate = 0, want above 0 and below 1, or MemoryBytes"},
			{0, 1, 1000, "Config.FPRate = 1, want above 0 and below 1"},
			{0, math.NaN(), 1000, "Config.FPRate = NaN, want above 0 and below 1"},
		} {
			_, err := s.params(c.keys, c.rate, c.bytes)
			require.ErrorIs(t, err, hashfam.ErrParams, name)
			require.ErrorContains(t, err, c.want, name)
		}
	}
}
