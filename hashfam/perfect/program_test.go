package perfect

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/fault"
)

// universe is the number of keys of the filters that programs use.
const universe = 600

// members is the suite of filters as sets within a universe: all its keys are
// deleted at first, and to restore a key is to insert it.
var members = conformance.Suite[*Filter]{
	Encoded:      filterSuite.Encoded,
	Like:         empty,
	Clone:        (*Filter).Clone,
	Delete:       (*Filter).Delete,
	InsertString: func(f *Filter, key string) error { return restored(f.RestoreString(key)) },
	Programs: conformance.Programs[*Filter]{
		Keys:  universe,
		Fresh: drawUniverse,
		More:  []func(*conformance.Run[*Filter]){setValue},
		Check: checkValues,
	},
}

func init() {
	members.Insert = func(f *Filter, key []byte) error { return restored(f.Restore(key)) }
}

// restored returns an error if a key was not restored: it was not deleted.
func restored(was bool) error {
	if !was {
		return fault.ErrFull
	}
	return nil
}

// empty returns a copy of f of which all keys are deleted.
func empty(f *Filter) *Filter {
	c := f.Clone()
	for i := range universe {
		c.Delete(conformance.ProgramKey(i))
	}
	return c
}

// drawUniverse draws a filter of the universe. At these rates every slot has a
// fingerprint.
func drawUniverse(t *rapid.T, fam hashfam.Family) *Filter {
	keys := make([][]byte, universe)
	for i := range keys {
		keys[i] = conformance.ProgramKey(i)
	}
	f, err := NewFilter(FilterConfig{
		FPRate:    rapid.SampledFrom([]float64{0.5, 0.1, 0.01, 1e-6}).Draw(t, "rate"),
		ValueBits: rapid.SampledFrom([]int{0, 1, 8, 32}).Draw(t, "bits of a value"),
		Compact:   rapid.Bool().Draw(t, "compact"),
		Family:    fam,
	}, keys)
	require.NoError(t, err)
	return empty(f)
}

// valueOf returns the value that programs give to a key.
func valueOf(f *Filter, d hashfam.Digest) uint64 { return uint64(d) & f.slots.valueMask() }

// setValue sets the value of a key, which fails if it is deleted.
func setValue(r *conformance.Run[*Filter]) {
	key := r.Key()
	d := r.Family.Sum(key)
	value, is := valueOf(r.F, d), r.Counts[string(key)] > 0
	r.Note("set the value of %x", key)
	switch r.Intn(3) {
	case 0:
		require.Equal(r, is, r.F.SetValue(key, value))
	case 1:
		require.Equal(r, is, r.F.SetValueString(string(key), value))
	case 2:
		require.Equal(r, is, r.F.SetValueDigest(d, value))
	}
	require.Equal(r, is, r.Twin.SetValue(key, value))
	got, found := r.F.Value(key)
	require.Equal(r, is, found)
	require.True(r, !is || got == value, "the value was not set")
	require.False(r, r.F.SetValue(key, r.F.slots.valueMask()+1), "set a value that is too large")
}

// checkValues checks that a program finds exactly the keys of its set, and that
// every value is the one of its key, or 0 if it was never set.
func checkValues(r *conformance.Run[*Filter]) {
	for i := range universe {
		key := conformance.ProgramKey(i)
		value, found := r.F.Value(key)
		require.Equal(r, r.Counts[string(key)] == 1, found, "key %x", key)
		require.True(r, value == 0 || value == valueOf(r.F, r.Family.Sum(key)), "another value of key %x", key)
	}
}

func TestPrograms(t *testing.T) { rapid.Check(t, members.Program) }

func FuzzFilterProgram(f *testing.F) { members.FuzzProgram(f) }
