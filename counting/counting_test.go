package counting

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

var layouts = []bloom.Layout{bloom.Classic, bloom.Blocked}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

// A model is a simple filter: an array of saturating counters. It computes the
// positions of keys, but does not pack counters into words.
type model []uint64

// positions returns how often each counter is used by a key.
func positions(params Params, d hashfam.Digest) map[uint64]uint64 {
	times, p := map[uint64]uint64{}, d.Probe()
	base, size := uint64(0), params.Counters
	if params.Layout == bloom.Blocked {
		base, size = 512*hashfam.Reduce(uint64(p), params.Counters/512), 512
		p = p.Next()
	}
	for range params.Hashes {
		times[base+hashfam.Reduce(uint64(p), size)]++
		p = p.Next()
	}
	return times
}

func (m model) add(positions map[uint64]uint64) {
	for i, times := range positions {
		m[i] = min(stuck, m[i]+times)
	}
}

// delete removes a copy of a key if the counters are large enough.
func (m model) delete(positions map[uint64]uint64) bool {
	for i, times := range positions {
		if m[i] < min(times, stuck) {
			return false
		}
	}
	for i, times := range positions {
		if m[i] < stuck {
			m[i] -= times
		}
	}
	return true
}

// check compares every counter of f with the model's.
func (m model) check(t require.TestingT, f *Filter) {
	inUse, full, counters := 0, uint64(0), make(model, len(m))
	for i, c := range m {
		counters[i] = f.counters.At(uint64(i))
		inUse += int(min(c, 1))
		full += c / stuck
	}
	require.True(t, slices.Equal(m, counters), "counters %v, want %v", counters, m)
	require.Equal(t, full, f.Stuck())
	require.Equal(t, float64(inUse)/float64(len(m)), f.FillRatio())
}

// After any sequence of adds, deletes and merges, every counter should equal
// the model's counter.
func TestFilterMatchesModel(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, hashfam.Family{})
		if p.Layout == bloom.Classic {
			p.Counters = 1 + p.Counters%3000
		}
		f, m := mustNew(t, p), make(model, p.Counters)
		for range rapid.IntRange(0, 40).Draw(t, "operations") {
			d := p.Family.SumUint64(rapid.Uint64Range(0, 30).Draw(t, "key"))
			at, least := positions(p, d), uint64(stuck)
			switch rapid.SampledFrom([]string{"add", "add", "delete", "merge"}).Draw(t, "operation") {
			case "add":
				for range rapid.IntRange(1, 17).Draw(t, "copies") {
					f.AddDigest(d)
					m.add(at)
				}
			case "delete":
				require.Equal(t, m.delete(at), f.DeleteDigest(d))
			case "merge":
				require.NoError(t, f.Merge(f))
				for i, c := range m {
					m[i] = min(stuck, 2*c)
				}
			}
			m.check(t, f)
			for i := range at {
				least = min(least, m[i])
			}
			require.Equal(t, least, f.CountDigest(d))
			require.Equal(t, least > 0, f.ContainsDigest(d))
			if p.Layout == bloom.Classic { // ContainsDigest calls hasFar only in large filters
				require.Equal(t, least > 0, hasFar(f.counters, p.Counters, p.Hashes, d))
			}
		}
	})
}

// A filter can be merged with itself, once or several times and in any place:
// the result has the counters of a filter built from all keys.
func TestAFilterCanBeAmongTheMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, hashfam.Family{})
		f := mustNew(t, p)
		all := mustNew(t, p)
		parts := []*Filter{f, mustNew(t, p), mustNew(t, p)}
		keys := make([][]hashfam.Digest, len(parts))
		for i, part := range parts {
			keys[i] = p.Family.SumAllUint64(nil, rapid.SliceOfN(rapid.Uint64Range(0, 30), 0, 5).Draw(t, "keys"))
			part.AddAll(keys[i])
		}
		all.AddAll(keys[0])
		var others []*Filter
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, 2), 0, 5).Draw(t, "others") {
			others = append(others, parts[i])
			all.AddAll(keys[i])
		}
		require.NoError(t, f.Merge(others...))
		require.True(t, f.Equal(all))
		for i := range 2 {
			other := mustNew(t, p)
			other.AddAll(keys[1+i])
			require.True(t, parts[1+i].Equal(other), "an argument changed")
		}
	})
}

// Filters above 32 MiB use different code: batches prefetch counters, and
// lookups in a Classic filter stop at the first zero.
func TestLargeFiltersBehaveLikeSmallOnes(t *testing.T) {
	for _, layout := range layouts {
		f := mustNew(t, Params{Counters: (outOfCache + blockWords) * perWord, Hashes: 5, Layout: layout})
		single, removed := f.Clone(), 0
		keys := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 1, 1, 1, 1, 1, 2, 11}
		added := slices.Repeat(hashfam.Family{}.SumAllUint64(nil, keys), 16)
		for _, d := range added {
			single.AddDigest(d)
		}
		f.AddAll(added)
		require.True(t, f.Equal(single))

		digests := hashfam.Family{}.SumAllUint64(added, []uint64{100, 101, 102})
		counts, found := f.CountAll([]uint64{7}, digests), f.ContainsAll([]bool{true}, digests)
		require.Len(t, counts, 1+len(digests))
		require.Len(t, found, 1+len(digests))
		for i, d := range digests {
			require.Equal(t, single.CountDigest(d), counts[1+i])
			require.Equal(t, i < len(added), single.ContainsDigest(d))
			require.Equal(t, i < len(added), found[1+i])
		}
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

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	checks.ZeroValues(t, "^counting: use of a zero Filter: make it with New, or decode into it$", new(Filter), NewReceiver(hashfam.New(hashfam.Key{1})))
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

// If a filter has many more counters than it needs, false positives are keys
// with the digest of a member, or near it in the probe sequence, as in RateAt.
func TestRateIncludesEqualDigests(t *testing.T) {
	for _, layout := range layouts {
		f := mustNew(t, Params{Counters: 1 << 21, Hashes: 8, Layout: layout})
		for i := range uint64(10) {
			f.AddDigest(f.Family().SumUint64(i))
		}
		require.Greater(t, f.FalsePositiveRate(), 5e-19, "10 keys of 2^64")
		require.InEpsilon(t, f.params.RateAt(10), f.FalsePositiveRate(), 0.2)
	}
}
