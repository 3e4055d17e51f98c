package budget_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A platform with 32-bit addresses can compute these plans, but cannot use
// them.
func TestPlansDoNotDependOnThePlatform(t *testing.T) {
	const n, rate = 1e10, 0.01
	b, err := bloom.Config{Capacity: n, FPRate: rate}.Params()
	require.NoError(t, err)
	k, err := cuckoo.Config{Capacity: n, FPRate: rate}.Params()
	require.NoError(t, err)
	w, err := countmin.Config{Epsilon: 1 / n, Delta: rate}.Params()
	require.NoError(t, err)
	scalable, rotating := bloom.ScalableConfig{Expected: n, FPRate: rate}, bloom.RotatingConfig{Keys: n, FPRate: rate}
	pages := cuckoo.ScalableConfig{Expected: n, FPRate: rate}
	of := func(size uint64, err error) uint64 {
		require.NoError(t, err)
		return size
	}
	planned := func(p interface{ SizeBytes() uint64 }, err error) uint64 { return of(p.SizeBytes(), err) }
	require.Equal(t, []uint64{
		11_991_193_824, 20_000_000_000, 47_964_775_272, 12_886_597_952, 543_656_365_700,
		13_793_346_360, 16_322_316_400, 8_460_533_368, 11_625_371_581, 10_000_000_001,
	}, []uint64{
		b.SizeBytes(), planned(bloom.Config{Capacity: n, MemoryBytes: 20e9, Layout: bloom.Blocked}.Params()),
		planned(counting.Config{Capacity: n, FPRate: rate}.Params()), k.SizeBytes(), w.SizeBytes(),
		of(scalable.InitialBytes()), of(pages.InitialBytes()), of(static.Config{FPRate: rate}.EstimatedBytes(n, 0)),
		b.CapacityAt(2 * rate), k.CapacityAt(1),
	})

	if sizing.MaxBytes > math.MaxUint32 {
		return
	}
	for what, err := range map[string]error{
		"bloom":    errorOf(bloom.NewFromParams(b)),
		"frame":    errorOf(bloom.AppendFrame(nil, bloom.Config{Capacity: n, FPRate: rate}, nil)),
		"counting": errorOf(counting.New(counting.Config{Capacity: n, FPRate: rate})),
		"cuckoo":   errorOf(cuckoo.NewFromParams(k)),
		"countmin": errorOf(countmin.NewFromParams(w)),
		"scalable": errorOf(bloom.NewScalable(scalable)),
		"rotating": errorOf(bloom.NewRotating(rotating)),
		"pages":    errorOf(cuckoo.NewScalable(pages)),
		"static":   errorOf(static.NewFromSorted(t.Context(), static.Config{FPRate: rate}, n, slices.Values([]hashfam.Digest(nil)))),
		"few bits": errorOf(static.NewFromSorted(t.Context(), static.Config{FPRate: 0.99}, n, slices.Values([]hashfam.Digest(nil)))),
	} {
		require.ErrorIs(t, err, hashfam.ErrParams, what)
		require.ErrorContains(t, err, "this platform", what)
	}
}

func errorOf[T any](_ T, err error) error { return err }
