package counting

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

func TestMergingManyEqualsMergingEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.Counters *= rapid.SampledFrom([]uint64{1, 1, 20}).Draw(t, "times") // more than mergeWords
		each, all := mustNew(t, p), mustNew(t, p)
		var others []*Filter
		for range rapid.IntRange(0, 20).Draw(t, "filters") {
			other := mustNew(t, p)
			for range rapid.IntRange(0, 10).Draw(t, "keys") {
				other.AddDigest(hashfam.Family{}.SumUint64(rapid.Uint64Range(0, 3).Draw(t, "key")))
			}
			others = append(others, other)
			require.NoError(t, each.Merge(other))
		}
		require.NoError(t, all.Merge(others...))
		require.True(t, all.Equal(each))
	})
}

// Errors about several filters name the package and the reason once, and say
// which filter they are about. Those of a single one do not.
func TestMergeErrorsNameTheFieldAndThePlace(t *testing.T) {
	p := Params{Counters: 1024, Hashes: 4}
	f := mustNew(t, p)
	f.AddString("kept")
	before := f.Clone()
	for want, q := range map[string]Params{
		"Params.Counters = 2048, want 1024":  {Counters: 2048, Hashes: 4},
		"Params.Hashes = 5, want 4":          {Counters: 1024, Hashes: 5},
		"Params.Layout = blocked, want cla":  {Counters: 1024, Hashes: 4, Layout: Blocked},
		"Params.Family = keyed:eaa13d439aaa": {Counters: 1024, Hashes: 4, Family: hashfam.New(hashfam.Key{9})},
	} {
		other := mustNew(t, q)
		for place, err := range map[string]error{
			"":            f.Merge(other),
			"others[0]: ": f.Merge(other, f),
			"others[2]: ": f.Merge(f, f, other),
		} {
			require.ErrorIs(t, err, ErrIncompatible)
			require.ErrorAs(t, err, new(*FieldError))
			require.ErrorContains(t, err, "counting: incompatible structures: "+place+want)
		}
		require.False(t, f.Equal(other))
	}
	require.True(t, f.Equal(before), "a failed merge changed the filter")
}
