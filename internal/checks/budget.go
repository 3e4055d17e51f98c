package checks

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Budget tests how a structure is sized for a memory limit. P are its
// parameters.
type Budget[P interface {
	comparable
	SizeBytes() uint64
	RateAt(n uint64) float64
	CapacityAt(rate float64) uint64
}] struct {
	// Params returns the parameters for a Config with these fields.
	Params func(keys uint64, rate float64, bytes uint64) (P, error)
	// Neighbors returns other parameters for the same number of keys as in the
	// last call of Params. Invalid or too large parameters are ignored.
	Neighbors func(p P, bytes uint64) []P
}

// Run checks, for 1 to 10^9 keys and various memory limits, that the structure
// fits, and that no neighbor that fits has a lower rate. It also combines a
// rate and a limit. Without a limit, CapacityAt must return at least the
// capacity that was asked for.
func (b Budget[P]) Run(t *testing.T) {
	for n := uint64(1); n <= 1e9; n *= 1000 {
		found := 0
		for _, bits := range []uint64{1, 4, 7, 9, 12, 20, 45, 300} {
			for _, odd := range []uint64{0, 300} {
				if b.best(t, n, max(1, n*bits/8+odd)) {
					found++
				}
			}
		}
		require.Greater(t, found, 5)
	}
	for _, n := range []uint64{0, 1 << 60, 1 << 63, math.MaxUint64} {
		_, err := b.Params(n, 0, 1<<20)
		require.ErrorContains(t, err, "Config.Capacity") // since no rate is possible
	}
	_, err := b.Params(1, -1, 1<<20)
	require.ErrorContains(t, err, "Config.FPRate")
	p, err := b.Params(1, 0, math.MaxUint64)
	require.NoError(t, err)
	require.LessOrEqual(t, p.SizeBytes(), uint64(sizing.MaxBits/8))
	for beyond := 1.0; beyond > 1e-17; beyond /= 10 {
		b.capacity(t, min(1-beyond, math.Nextafter(1, 0)))
		b.capacity(t, beyond/2)
	}
}

// capacity checks that structures for this rate have their capacity. Rates that
// a structure cannot have are ignored.
func (b Budget[P]) capacity(t *testing.T, rate float64) {
	t.Helper()
	for n := uint64(1); n <= 1e6; n += 1 + n/7 {
		p, err := b.Params(n, rate, 0)
		if err == nil {
			require.GreaterOrEqual(t, p.CapacityAt(rate), n, "%v at a rate of %g", p, rate)
		}
	}
}

// best checks the best structure for n keys in a memory and reports whether
// there is one. Otherwise the error must name a sufficient memory.
func (b Budget[P]) best(t *testing.T, n, bytes uint64) bool {
	t.Helper()
	lowest := 1.0
	p, err := b.Params(n, 0, bytes)
	if err == nil {
		lowest = p.RateAt(n)
		require.LessOrEqual(t, p.SizeBytes(), bytes)
		require.Less(t, lowest, 1.0)
	}
	for _, q := range b.Neighbors(p, bytes) {
		if rate := q.RateAt(n); rate < lowest && q.SizeBytes() <= bytes {
			t.Fatalf("%d bytes for %d keys: %v has the rate %g, but %v has %g", bytes, n, p, lowest, q, rate)
		}
	}
	if err != nil {
		need, _ := needOf(t, err)
		require.Greater(t, need, bytes)
		return false
	}
	b.limit(t, n, bytes, lowest)
	return true
}

// needOf returns the memory and the rate in an error about MemoryBytes.
func needOf(t require.TestingT, err error) (bytes uint64, rate float64) {
	var fe *hashfam.FieldError
	require.ErrorAs(t, err, &fe)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.Equal(t, "Config.MemoryBytes", fe.Field)
	var wanted float64
	n, _ := fmt.Sscanf(fe.Allowed, "at least %d for FPRate %g, or FPRate %g", &bytes, &wanted, &rate)
	require.GreaterOrEqual(t, n, 2, fe.Allowed)
	return bytes, rate
}

// limit checks a rate combined with a memory. The lowest rate that is possible
// in this memory is lowest, so this rate must be accepted, but 0.7*lowest must
// be refused. Rates below 1e-7 are left out, since they take long and a cuckoo
// filter cannot have them.
func (b Budget[P]) limit(t *testing.T, n, bytes uint64, lowest float64) {
	t.Helper()
	for _, rate := range []float64{lowest, 1.2 * lowest, 2 * lowest} {
		if rate < 1 && rate > 1e-7 {
			q, err := b.Params(n, rate, bytes)
			require.NoError(t, err)
			require.LessOrEqual(t, q.SizeBytes(), bytes)
			require.LessOrEqual(t, q.RateAt(n), rate)
		}
	}
	lower := 0.7 * lowest
	if lower <= 1e-7 {
		return
	}
	try := func(rate float64, bytes uint64) error {
		_, err := b.Params(n, rate, bytes)
		return err
	}
	NamesWhatFits(t, try(lower, bytes), lower, try, bytes)
	least, err := b.Params(n, lower, 0)
	require.NoError(t, err)
	q, err := b.Params(n, lower, least.SizeBytes())
	require.NoError(t, err)
	require.Equal(t, least, q)
}

// NamesWhatFits checks the error for a rate and a memory that do not fit. The
// memory that it names must be enough for the rate, and the rate that it names
// must be possible in the given memory.
func NamesWhatFits(t *testing.T, err error, rate float64, try func(rate float64, bytes uint64) error, bytes uint64) {
	t.Helper()
	more, higher := needOf(t, err)
	require.Greater(t, more, bytes)
	require.NoError(t, try(rate, more))
	if higher > 0 {
		require.Greater(t, higher, rate)
		require.NoError(t, try(higher, bytes))
	}
}

// LeastAllocated returns how many bytes f allocates. Since other goroutines
// also allocate, it calls f several times and returns the minimum.
func LeastAllocated(runs int, f func()) uint64 {
	least := uint64(math.MaxUint64)
	for ; runs > 0 && least > 0; runs-- {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
