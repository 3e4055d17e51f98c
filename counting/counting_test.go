package counting

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/conformance"
)

var layouts = []Layout{Classic, Blocked}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

// Filters above 32 MiB use different code: batches prefetch counters, and
// lookups in a Classic filter stop at the first zero.
func TestLargeFiltersBehaveLikeSmallOnes(t *testing.T) {
	for _, layout := range layouts {
		f := mustNew(t, Params{Counters: (outOfCache + blockWords) * perWord, Hashes: 5, Layout: layout})
		single := f.Clone()
		digests := hashfam.Family{}.SumAllUint64(nil, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 1, 1, 1, 1, 1, 2, 11})
		for range 4 {
			digests = append(digests, digests...) // 288
		}
		for _, d := range digests {
			single.AddDigest(d)
		}
		require.False(t, f.Equal(single))
		f.AddAll(digests)
		require.True(t, f.Equal(single))

		digests = append(digests, hashfam.Family{}.SumAllUint64(nil, []uint64{100, 101, 102})...)
		counts, found := f.CountAll([]uint64{7}, digests), f.ContainsAll([]bool{true}, digests)
		require.Len(t, counts, 1+len(digests))
		require.Len(t, found, 1+len(digests))
		for i, d := range digests {
			require.Equal(t, single.CountDigest(d), counts[1+i])
			require.Equal(t, single.ContainsDigest(d), found[1+i])
			require.Equal(t, i < 288, found[1+i])
		}

		removed := 0
		for _, d := range digests {
			if single.DeleteDigest(d) {
				removed++
			}
		}
		require.Equal(t, removed, f.DeleteAll(digests))
		require.True(t, f.Equal(single))
		require.Less(t, removed, len(digests))
	}
}

// With 1,003 counters, five counters in the last word are unused. If the
// decoder accepted other values than zero, two filters of the same keys could
// differ, and the fill ratio could exceed 1.
func TestUnusedCountersMustBeZero(t *testing.T) {
	f := mustNew(t, Params{Counters: 1003, Hashes: 7})
	f.AddString("kept")
	before := f.Clone()
	for bit := range 20 {
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		b[len(b)-8-3+(4+bit)/8] |= 1 << ((4 + bit) % 8)
		conformance.Reseal(b)
		err = f.UnmarshalBinary(b)
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, fmt.Sprintf("counters beyond the last = %#x, want 0", 1<<bit))
	}
	require.True(t, f.Equal(before))
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	checks.ZeroValues(t, "^counting: use of a zero Filter: make it with New, or decode into it$", new(Filter), NewReceiver(hashfam.New(hashfam.Key{1})))
}

// Every key is added twice and deleted once.
func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
				n := uint64(len(keys))
				f, err := New(Config{Capacity: max(1, n), FPRate: 0.01, Layout: layout, Family: fam})
				require.NoError(t, err)
				f.AddAll(keys)
				f.AddAll(keys)
				require.EqualValues(t, n, f.DeleteAll(keys))
				return checks.Rated{Contains: f.ContainsAll, Rate: f.Params().RateAt(n)}
			})
		})
	}
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := uint64(50_000)
	if checks.Long(t, 3, 1.2) {
		n = 100_000_000
	}
	for _, layout := range layouts {
		t.Run(layout.String(), func(t *testing.T) {
			f, err := New(Config{Capacity: n, FPRate: 0.01, Layout: layout})
			require.NoError(t, err)
			add := func(keys []hashfam.Digest) error { f.AddAll(keys); return nil }
			checks.LargeSet(t, n, add, checks.Rated{Contains: f.ContainsAll, Rate: f.Params().RateAt(n)})
		})
	}
}
