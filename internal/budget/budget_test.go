package budget_test

import (
	"fmt"
	"maps"
	"math"
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
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/budget"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/sizing"
)

type params interface {
	SizeBytes() uint64
	RateAt(n uint64) float64
	CapacityAt(rate float64) uint64
}

// A structure returns the parameters for a Config, and parameters for about the
// same number of keys. A plan without MemoryBytes can be larger by slack,
// because it rounds up to eight lines, or to a byte per slice. Cuckoo tables
// with narrow fingerprints are rounded up by 0.1%.
type structure struct {
	params    func(n uint64, rate float64, bytes uint64) (params, error)
	neighbors func(p params) []params
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
	}, func(p params) (list []params) {
		for q, k := p.(bloom.Params), -4; k <= 4; k++ {
			q.Hashes += k
			if layout == bloom.Partitioned {
				whole = uint64(max(1, q.Hashes))
			}
			q.Bits = p.SizeBytes() / 8 * 64 / whole * whole
			list = append(list, q)
			q.Hashes -= k
		}
		return list
	}, fixed([]uint64{bloom.Classic: 0, bloom.Partitioned: 255, bloom.Blocked: 7 * 64}[layout])}
}

func ofCounting(layout bloom.Layout, whole uint64) structure {
	return structure{func(n uint64, rate float64, bytes uint64) (params, error) {
		return counting.Config{Capacity: n, FPRate: rate, MemoryBytes: bytes, Layout: layout}.Params()
	}, func(p params) (list []params) {
		for q, k := p.(counting.Params), -4; k <= 4; k++ {
			q.Hashes += k
			q.Counters = p.SizeBytes() * 2 / whole * whole
			list = append(list, q)
			q.Hashes -= k
		}
		return list
	}, fixed([]uint64{bloom.Classic: 0, bloom.Blocked: 7 * 256}[layout])}
}

func ofCuckoo(compact bool) structure {
	return structure{func(n uint64, rate float64, bytes uint64) (params, error) {
		return cuckoo.Config{Capacity: n, FPRate: rate, MemoryBytes: bytes, Compact: compact}.Params()
	}, func(p params) (list []params) {
		for f := 4; f <= 32; f++ {
			q := cuckoo.Params{FingerprintBits: f, Compact: compact}
			bucket := uint64(4 * f)
			if compact {
				bucket -= 4
			}
			most := (p.SizeBytes() - 8) * 8 / bucket &^ 1
			for i := range uint64(3) {
				q.Buckets = most + 2 - 2*i
				list = append(list, q)
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
		for _, q := range s.neighbors(p) {
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
		var fe *hashfam.FieldError
		require.ErrorAs(t, err, &fe)
		var least uint64
		var same, fits float64
		found, _ := fmt.Sscanf(fe.Allowed, "at least %d for FPRate %g, or FPRate %g", &least, &same, &fits)
		require.GreaterOrEqual(t, found, 1, fe.Allowed)
		require.Equal(t, p.SizeBytes(), least)
		_, err = s.params(n, rate, least)
		require.NoError(t, err)
		if found == 3 {
			_, err = s.params(n, fits, max(1, bytes))
			require.NoError(t, err, "%v", fe)
		}
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

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	fam := hashfam.New(hashfam.Key{1})
	const filter = "use of a zero Filter( or View: make it with New or NewView|: make it with New), or decode into it$"
	checks.ZeroValues(t, "^cuckoo: "+filter, new(cuckoo.Filter), cuckoo.NewReceiver(fam), new(cuckoo.View))
	checks.ZeroValues(t, "^cuckoo: use of a zero Scalable: make it with NewScalable, or decode into it$",
		new(cuckoo.Scalable), cuckoo.NewScalableReceiver(fam))
	checks.ZeroValues(t, "^sharded: use of a zero Of: make it with New$", new(sharded.Of[int]))
}
