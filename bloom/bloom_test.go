package bloom

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// drawParams draws the parameters of a filter, usually a small one.
func drawParams(t *rapid.T, fam hashfam.Family) Params {
	p := Params{
		Hashes: rapid.IntRange(1, 20).Draw(t, "hashes"),
		Layout: rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family: fam,
	}
	size := uint64(rapid.OneOf(rapid.IntRange(1, 200), rapid.IntRange(1, 200), rapid.IntRange(2000, 20_000)).Draw(t, "size"))
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

// sum returns an integer's digest, computed by the family of f.
func sum(f interface{ Family() hashfam.Family }, i uint64) hashfam.Digest {
	return f.Family().SumUint64(i)
}

// sums returns the digests of all integers below n.
func sums(f interface{ Family() hashfam.Family }, n uint64) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range n {
		digests[i] = sum(f, i)
	}
	return digests
}

// With 32-bit indexes, only the first 512 MiB would be used. The filters use
// the same array, in which their bits hardly ever overlap.
func TestFiltersAboveFourGigabitsUseAllTheirBits(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 640 MiB")
	}
	words := make([]uint64, 5<<30/64)
	for _, layout := range layouts {
		f, before := newFilter(Params{Bits: 5 << 30, Hashes: 4, Layout: layout}, words), ones(words[1<<32/64:])
		keys := sums(f, 20_000)
		f.AddAll(keys[:10_000])
		for _, d := range keys[10_000:] {
			f.AddDigest(d)
		}
		for i, found := range f.ContainsAll(nil, keys) {
			require.True(t, found && f.ContainsDigest(keys[i]))
		}
		// Of the 80,000 positions, 16,000 are above 2^32. The standard
		// deviation is below 270 even if four positions are in the same line.
		require.InDelta(t, 16_000, float64(ones(words[1<<32/64:])-before), 6*270, "%v", layout)
	}
}
