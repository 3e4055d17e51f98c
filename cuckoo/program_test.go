package cuckoo

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// What random programs do besides what every structure does.

func init() {
	suite.Programs = conformance.Programs[*Filter]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Filter {
			p := drawParams(t)
			p.Buckets *= rapid.SampledFrom([]uint64{1, 1, 10, 100}).Draw(t, "times")
			p.Family = fam
			return mustNew(t, p)
		},
		// The place of keys depends on their order. An empty table has none.
		Canonical: func(f *Filter) bool { return f.Len() == 0 },
		Share: func(f *Filter) (conformance.Shared[*Filter], error) {
			c, err := NewConcurrentFrom(f)
			return conformance.Shared[*Filter]{Form: c, Has: c.Contains, Snapshot: c.Snapshot}, err
		},
		Check: func(r *conformance.Run[*Filter]) {
			requireCopies(r, r.Counts, r.F.Len(), r.F.CountString)
		},
	}
	scalableSuite.Programs = conformance.Programs[*Scalable]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Scalable {
			return mustScale(t, ScalableConfig{
				Expected: uint64(rapid.SampledFrom([]int{1, 1, 10, 1000}).Draw(t, "expected")),
				FPRate:   math.Pow(10, rapid.Float64Range(-6, -0.1).Draw(t, "digits")),
				Compact:  rapid.Bool().Draw(t, "compact"),
				Family:   fam,
			})
		},
		Check: func(r *conformance.Run[*Scalable]) {
			requireCopies(r, r.Counts, r.F.Len(), r.F.CountString)
		},
	}
}

// requireCopies checks that a filter has exactly the given number of keys, and
// of each at least its copies.
func requireCopies(t require.TestingT, want map[string]uint64, length uint64, count func(string) uint64) {
	sum := uint64(0)
	for key, n := range want {
		require.GreaterOrEqual(t, count(key), n, "copies of %x", key)
		sum += n
	}
	require.Equal(t, sum, length)
}

func FuzzProgram(f *testing.F)         { suite.FuzzProgram(f) }
func FuzzScalableProgram(f *testing.F) { scalableSuite.FuzzProgram(f) }
