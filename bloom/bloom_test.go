package bloom

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// drawParams draws a small filter of any layout.
func drawParams(t *rapid.T) Params {
	p := Params{
		Hashes: rapid.IntRange(1, 20).Draw(t, "hashes"),
		Layout: rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family: hashfam.Family{}.Derive(rapid.StringN(0, 3, -1).Draw(t, "family")),
	}
	size := uint64(rapid.IntRange(1, 200).Draw(t, "size"))
	switch p.Layout {
	case Partitioned:
		size *= uint64(p.Hashes)
	case Blocked:
		size *= lineBits
	}
	p.Bits = size
	return p
}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

func TestBatchesEqualSingleCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		n := rapid.IntRange(0, 3*batch.Size).Draw(t, "n")
		keys := make([][]byte, n)
		for i := range keys {
			keys[i] = fmt.Appendf(nil, "key %d", i)
		}
		single, all := mustNew(t, p), mustNew(t, p)
		for _, key := range keys {
			single.Add(key)
		}
		all.AddAll(keys)
		require.True(t, all.Equal(single))

		queries := append(keys, []byte("absent"), nil)
		answers := all.ContainsAll([]bool{true, false}, queries)
		require.Equal(t, []bool{true, false}, answers[:2], "the answers in dst stay")
		require.Len(t, answers, 2+len(queries))
		for i, q := range queries {
			require.Equal(t, single.Contains(q), answers[2+i])
		}
	})
}

func TestFoldEqualsBuildingTheSmallerFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := drawParams(t)
		full := half
		full.Bits *= 2
		small, large := mustNew(t, half), mustNew(t, full)
		for i := range rapid.IntRange(0, 200).Draw(t, "n") {
			d := half.Family.SumUint64(uint64(i))
			small.AddDigest(d)
			large.AddDigest(d)
		}
		require.NoError(t, large.Fold())
		require.True(t, large.Equal(small))
	})
}

func TestFoldRejectsOddLengths(t *testing.T) {
	for _, p := range []Params{
		{Bits: 63, Hashes: 3},
		{Bits: 63, Hashes: 3, Layout: Partitioned},
		{Bits: 512 * 3, Hashes: 3, Layout: Blocked},
	} {
		f := mustNew(t, p)
		f.AddString("kept")
		before := f.Clone()
		requireField(t, f.Fold(), ErrParams, "Params.Bits")
		require.True(t, f.Equal(before))
	}
	require.ErrorIs(t, new(Filter).Fold(), ErrParams)
}

func TestConfiguredFiltersFoldThreeTimes(t *testing.T) {
	for _, layout := range layouts {
		f, err := New(Config{Capacity: 100_003, FPRate: 0.01, Layout: layout})
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, f.Fold())
		}
	}
}

func TestIntersectKeepsCommonKeysAndDoesNotRaiseTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		a, b, common := mustNew(t, p), mustNew(t, p), mustNew(t, p)
		for i := range rapid.IntRange(0, 100).Draw(t, "n") {
			d := p.Family.SumUint64(uint64(i))
			in := rapid.IntRange(1, 3).Draw(t, "in")
			if in&1 != 0 {
				a.AddDigest(d)
			}
			if in&2 != 0 {
				b.AddDigest(d)
			}
			if in == 3 {
				common.AddDigest(d)
			}
		}
		both := a.Clone()
		require.NoError(t, both.Intersect(b))
		for i, w := range common.words {
			require.Equal(t, w, w&both.words[i], "a bit of the common keys is missing")
		}
		require.LessOrEqual(t, both.FalsePositiveRate(), min(a.FalsePositiveRate(), b.FalsePositiveRate()))
	})
}

func TestFiltersWithDifferentParamsAreNotCombined(t *testing.T) {
	p := Params{Bits: 1024, Hashes: 4}
	f := mustNew(t, p)
	f.AddString("kept")
	before := f.Clone()
	for field, q := range map[string]Params{
		"Params.Bits":   {Bits: 2048, Hashes: 4},
		"Params.Hashes": {Bits: 1024, Hashes: 5},
		"Params.Layout": {Bits: 1024, Hashes: 4, Layout: Blocked},
		"Params.Family": {Bits: 1024, Hashes: 4, Family: hashfam.Family{}.Derive("other")},
	} {
		other := mustNew(t, q)
		requireField(t, f.Merge(other), ErrIncompatible, field)
		requireField(t, f.Intersect(other), ErrIncompatible, field)
		_, err := f.Jaccard(other)
		requireField(t, err, ErrIncompatible, field)
		_, err = f.Cosine(other)
		requireField(t, err, ErrIncompatible, field)
		_, err = f.EstimatedUnionLen(other)
		requireField(t, err, ErrIncompatible, field)
		require.False(t, f.Equal(other))
	}
	require.ErrorIs(t, f.Merge(nil), ErrIncompatible)
	require.True(t, f.Equal(before))
}

func TestTheZeroFilterContainsEverythingAndNeverPanics(t *testing.T) {
	for _, f := range []*Filter{{}, NewReceiver(hashfam.Random())} {
		f.AddString("a")
		require.True(t, f.ContainsString("a"))
		require.True(t, f.ContainsOrAddString("b"))
		f.AddAll([][]byte{nil})
		require.Equal(t, []bool{true}, f.ContainsAll(nil, [][]byte{nil}))
		require.Equal(t, 1.0, f.FalsePositiveRate())
		require.Equal(t, 1.0, f.FillRatio())
		require.True(t, math.IsInf(f.EstimatedLen(), 1))
		require.True(t, f.Equal(f.Clone()))
		require.Zero(t, f.SizeBytes())
		_, err := f.MarshalBinary()
		require.ErrorIs(t, err, ErrParams)
		f.Reset()
	}
}

// The sets have 30,000 and 20,000 keys, 10,000 of them in common. At fill 1/2
// and k = 7 the standard error of an estimated size is below 0.2 % of that
// size. Six standard errors on each of three terms are less than 1,000 keys.
func TestEstimatesOfSetsUnionsAndIntersections(t *testing.T) {
	for _, layout := range layouts {
		p, err := Config{Capacity: 50_000, FPRate: 0.01, Layout: layout}.Params()
		require.NoError(t, err)
		a, b := mustNew(t, p), mustNew(t, p)
		for i := range uint64(40_000) {
			d := p.Family.SumUint64(i)
			if i < 30_000 {
				a.AddDigest(d)
			}
			if i >= 20_000 {
				b.AddDigest(d)
			}
		}
		union, err := a.EstimatedUnionLen(b)
		require.NoError(t, err)
		both, err := a.EstimatedIntersectionLen(b)
		require.NoError(t, err)
		jaccard, err := a.Jaccard(b)
		require.NoError(t, err)
		require.InDelta(t, 30_000, a.EstimatedLen(), 400)
		require.InDelta(t, 20_000, b.EstimatedLen(), 400)
		require.InDelta(t, 40_000, union, 500)
		require.InDelta(t, 10_000, both, 1000)
		require.InDelta(t, 0.25, jaccard, 0.025, "the ratio of set bits is 0.385")

		merged := a.Clone()
		require.NoError(t, merged.Merge(b))
		require.Equal(t, union, merged.EstimatedLen())
	}
}

func TestEstimatesOfEmptyAndFullFilters(t *testing.T) {
	for _, layout := range layouts {
		p := Params{Bits: 1024, Hashes: 4, Layout: layout}
		empty, full := mustNew(t, p), mustNew(t, p)
		for i := range full.words {
			full.words[i] = ^uint64(0)
		}
		require.Zero(t, empty.EstimatedLen())
		require.Zero(t, empty.FillRatio())
		require.Zero(t, empty.FalsePositiveRate())
		require.True(t, math.IsInf(full.EstimatedLen(), 1))
		require.Equal(t, 1.0, full.FalsePositiveRate())
		same, err := empty.Jaccard(empty)
		require.NoError(t, err)
		require.Equal(t, 1.0, same)
		unknown, err := full.Jaccard(empty)
		require.NoError(t, err)
		require.True(t, math.IsNaN(unknown))
		none, err := empty.Cosine(full)
		require.NoError(t, err)
		require.Zero(t, none)
		one, err := full.Cosine(full)
		require.NoError(t, err)
		require.Equal(t, 1.0, one)
	}
}

func TestFalsePositiveRateMatchesTheMeasuredRate(t *testing.T) {
	for _, layout := range layouts {
		f, err := New(Config{Capacity: 20_000, FPRate: 0.02, Layout: layout})
		require.NoError(t, err)
		for i := range uint64(20_000) {
			f.AddDigest(f.Params().Family.SumUint64(i))
		}
		hits, queries := 0, uint64(1_000_000)
		for i := range queries {
			if f.ContainsDigest(f.Params().Family.SumUint64(i | 1<<40)) {
				hits++
			}
		}
		rate := f.FalsePositiveRate()
		sd := math.Sqrt(rate * (1 - rate) / float64(queries)) // binomial: the filter is fixed
		require.InDelta(t, rate, float64(hits)/float64(queries), sigmas*sd, "%v", layout)
	}
}

func TestOnesInCountsTheBitsOfARange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Uint64(), 1, 5).Draw(t, "words")
		end := rapid.IntRange(0, 64*len(words)).Draw(t, "end")
		start := rapid.IntRange(0, end).Draw(t, "start")
		want := uint64(0)
		for i := start; i < end; i++ {
			want += words[i/64] >> (i % 64) & 1
		}
		require.Equal(t, want, onesIn(words, uint64(start), uint64(end)))
	})
}

// A 32-bit bit index would confine the keys to the first 512 MiB.
func TestFiltersAboveFourGigabitsUseAllTheirBits(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 640 MiB")
	}
	for _, layout := range layouts {
		f := mustNew(t, Params{Bits: 5 << 30, Hashes: 4, Layout: layout})
		var key [8]byte
		n := uint64(100_000)
		for i := range n {
			binary.LittleEndian.PutUint64(key[:], i)
			f.Add(key[:])
		}
		for i := range n {
			binary.LittleEndian.PutUint64(key[:], i)
			require.True(t, f.Contains(key[:]))
		}
		// A fifth of the positions is above 2^32: 80,000 of 400,000. The
		// standard deviation is below 600 even if four share a line.
		above := ones(f.words[1<<32/64:])
		require.InDelta(t, 80_000, float64(above), 6*600, "%v", layout)
		require.InDelta(t, float64(n), f.EstimatedLen(), 100)
	}
}

func TestCosineOfEqualFiltersIsOne(t *testing.T) {
	for n := uint64(1); n < 50; n++ {
		f, err := New(Config{Capacity: n, FPRate: 0.4})
		require.NoError(t, err)
		for i := range n {
			f.AddDigest(f.Params().Family.SumUint64(i))
		}
		c, err := f.Cosine(f.Clone())
		require.NoError(t, err)
		require.Equal(t, 1.0, c)
	}
}
