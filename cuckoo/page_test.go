package cuckoo

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing"
)

// eachPage calls check with empty pages of all tails, plain and compact.
func eachPage(t *testing.T, check func(*testing.T, *Scalable, *page)) {
	for _, compact := range []bool{false, true} {
		s := newScalable(ScalableConfig{Expected: 1, FPRate: 0.1, Compact: compact})
		for tail := uint8(minTail); tail <= maxTail; tail++ {
			p := s.newPage(0, tail)
			t.Run(s.pageParams(tail).String(), func(t *testing.T) { check(t, s, p) })
		}
	}
}

// A page of 128 buckets splits when 31 of 32 slots are taken: 496 of 512.
func TestAPageTakes31Of32Slots(t *testing.T) {
	eachPage(t, func(t *testing.T, s *Scalable, p *page) {
		taken := 0
		for i := range s.buckets {
			k := locus{i: i, j: i, partner: 1}
			for range slots {
				if s.put(p, k, p.fingerprint(k, p.tail)) {
					taken++
				}
			}
		}
		require.Equal(t, 496, taken)
		require.EqualValues(t, 496, p.taken)
	})
}

func TestAPageCountsCopies(t *testing.T) {
	eachPage(t, func(t *testing.T, s *Scalable, p *page) {
		k := locus{bits: math.MaxUint64 / 3, i: 5, j: 5 ^ s.moves[7], partner: 7}
		for n := range 2 * slots {
			require.Equal(t, n, p.count(k))
			require.True(t, s.put(p, k, p.fingerprint(k, p.tail)))
		}
		require.Equal(t, 8, p.count(k))
		require.False(t, s.fit(p, k, p.fingerprint(k, p.tail)))
	})
}

// A queue of six buckets has room for the two of the key and for those that the
// four fingerprints of the first can move to. All six are used.
func TestTheShortestSearchInAPage(t *testing.T) {
	eachPage(t, func(t *testing.T, s *Scalable, p *page) {
		for partner := range uint64(slots) {
			k := locus{i: 4, j: 4, partner: partner + 1}
			require.True(t, s.put(p, k, p.fingerprint(k, p.tail)))
		}
		require.Zero(t, s.search(p, []uint64{4, 4, 0, 0, 0}))
		queue := []uint64{4, 4, 0, 0, 0, 0}
		require.Equal(t, 2, s.search(p, queue))
		for _, other := range queue[2:] {
			require.NotContains(t, []uint64{0, 4}, other)
		}
	})
}

// A key goes to one of the first pages, whose size follows from Expected. An
// encoding depends on it.
func TestTheSizeOfAPage(t *testing.T) {
	for expected, want := range map[uint64]uint64{
		1: 128, 1000: 128, 2063: 128, 2064: 256, 4111: 256, 4112: 512, 8208: 1024, 1 << 30: 1024,
	} {
		g := ScalableConfig{Expected: expected, FPRate: 0.1}.geometry()
		require.Equal(t, want, g.buckets, "%d keys", expected)
	}
}

// The first tail is the least that takes two thirds of the rate or less, and
// none is longer than a slot has room for.
func TestTheTailsOfARate(t *testing.T) {
	for tail := minTail; tail < 20; tail++ {
		require.EqualValues(t, tail, planTails(1.5 * tailRate(tail))[0])
		require.EqualValues(t, tail+1, planTails(1.499 * tailRate(tail))[0])
	}
	tails := planTails(minScalableRate)
	require.EqualValues(t, maxTail, tails[maxDepth])
	require.EqualValues(t, 32, (&geometry{}).pageParams(tails[maxDepth]).FingerprintBits)
}

// The largest Expected at a rate of 0.9 leaves 3.5 roots of the 4,096 slots of
// each page free, 3,872 keys a page of 41,024 bits.
func TestTheLargestScalable(t *testing.T) {
	const keys, bits = 3872, 41_024
	most := uint64(sizing.MaxBits) / bits
	require.Equal(t, bits, 8*int((&geometry{buckets: 1024}).pageBytes(4)))
	require.NoError(t, ScalableConfig{Expected: most*keys - 1000, FPRate: 0.9}.check(ErrParams))
	requireField(t, ScalableConfig{Expected: most*keys + 1000, FPRate: 0.9}.check(ErrParams), ErrParams, "ScalableConfig.Expected")
}
