package counting

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// What random programs do besides what every structure does.

func init() {
	suite.Programs = conformance.Programs[*Filter]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Filter {
			p := drawParams(t)
			p.Counters *= rapid.SampledFrom([]uint64{1, 10}).Draw(t, "times")
			p.Family = fam
			return mustNew(t, p)
		},
		// A counter that has saturated stays as it is.
		Canonical: func(f *Filter) bool { return f.Stuck() == 0 },
		Share: func(f *Filter) (conformance.Shared[*Filter], error) {
			if f.params.Layout != Blocked {
				return conformance.Shared[*Filter]{}, errors.ErrUnsupported
			}
			c, err := NewConcurrentFrom(f)
			return conformance.Shared[*Filter]{Form: c, Has: c.Contains, Snapshot: c.Snapshot}, err
		},
		More: []func(*conformance.Run[*Filter]){project, shareWhole, addMany},
		Check: func(r *conformance.Run[*Filter]) {
			for key, n := range r.Counts {
				require.GreaterOrEqual(r, r.F.CountString(key), min(n, 15), "copies of %x", key)
			}
		},
	}
}

// project checks that the Bloom filter of what is left has every key, and no
// other bit unless a counter is stuck.
func project(r *conformance.Run[*Filter]) {
	r.Note("project")
	got, p := r.F.Bloom(), r.F.Params()
	want, err := bloom.NewFromParams(bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family})
	require.NoError(r, err)
	for key, n := range r.Counts {
		if n > 0 {
			want.AddString(key)
			require.True(r, got.ContainsString(key), "the projection lost key %x", key)
		}
	}
	if r.F.Stuck() == 0 {
		require.True(r, got.Equal(want), "the projection has other bits")
	}
	got.AddString("the projection shares no memory")
}

// addMany adds up to 31 copies of a key, so that counters saturate.
func addMany(r *conformance.Run[*Filter]) {
	key, n := r.Key(), r.Intn(32)
	r.Note("add %x %d times", key, n)
	for range n {
		r.F.AddString(string(key))
		r.Twin.Add(key)
		r.Count(key, 1)
	}
}

// shareWhole uses the methods of a concurrent filter on the whole.
func shareWhole(r *conformance.Run[*Filter]) {
	if r.F.params.Layout != Blocked {
		return
	}
	c, err := NewConcurrentFrom(r.F)
	require.NoError(r, err)
	r.ShareWhole(c, func(plain *Filter, key []byte) {
		require.Equal(r, plain.ContainsOrAdd(key), c.ContainsOrAdd(key))
		require.Equal(r, plain.Count(key), c.Count(key))
		require.Equal(r, plain.Delete(key), c.Delete(key))
	})
}

func FuzzProgram(f *testing.F) { suite.FuzzProgram(f) }
