package pages

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// small returns an empty Set of pages of 128 buckets at a rate.
func small(rate float64, compact bool) *Set { return New(NewGeometry(1, rate, compact), 1) }

// eachPage calls check with empty pages of all tails, plain and compact.
func eachPage(t *testing.T, check func(*testing.T, *Set, *page)) {
	for _, compact := range []bool{false, true} {
		s := small(0.1, compact)
		for tail := uint8(minTail); tail <= maxTail; tail++ {
			p := s.newPage(0, tail)
			t.Run(fmt.Sprintf("tail %d, compact %v", tail, compact), func(t *testing.T) { check(t, s, p) })
		}
	}
}

// A page of 128 buckets splits when 31 of 32 table.Slots are taken: 496 of 512.
func TestAPageTakes31Of32Slots(t *testing.T) {
	eachPage(t, func(t *testing.T, s *Set, p *page) {
		taken := 0
		for i := range s.Buckets {
			k := locus{i: i, j: i, partner: 1}
			for range table.Slots {
				if s.put(p, k, p.fingerprint(k, p.tail), false) {
					taken++
				}
			}
		}
		require.Equal(t, 496, taken)
		require.EqualValues(t, 496, p.taken)
	})
}

func TestAPageCountsCopies(t *testing.T) {
	eachPage(t, func(t *testing.T, s *Set, p *page) {
		k := locus{bits: math.MaxUint64 / 3, i: 5, j: 5 ^ s.moves[7], partner: 7}
		for n := range 2 * table.Slots {
			require.Equal(t, n, p.count(k))
			require.True(t, s.put(p, k, p.fingerprint(k, p.tail), false))
		}
		require.Equal(t, 8, p.count(k))
		require.False(t, s.put(p, k, p.fingerprint(k, p.tail), true))
	})
}

// A key goes to one of the first pages, whose size follows from Expected. An
// encoding depends on it.
func TestTheSizeOfAPage(t *testing.T) {
	for expected, want := range map[uint64]uint64{
		1: 128, 1000: 128, 2063: 128, 2064: 256, 4111: 256, 4112: 512, 8208: 1024, 1 << 30: 1024,
	} {
		g := NewGeometry(expected, 0.1, false)
		require.Equal(t, want, g.Buckets, "%d keys", expected)
	}
}

// The first tail is the least that takes two thirds of the rate or less, and
// none is longer than a slot has room for.
func TestTheTailsOfARate(t *testing.T) {
	for tail := minTail; tail < 20; tail++ {
		require.EqualValues(t, tail, planTails(1.5 * tailRate(tail))[0])
		require.EqualValues(t, tail+1, planTails(1.499 * tailRate(tail))[0])
	}
	g := NewGeometry(1, 1e-6, false)
	require.EqualValues(t, maxTail, g.tails[maxDepth])
	require.Equal(t, 32, g.shape(g.tails[maxDepth]).Bits)
}

// The rates of the keys of all depths add up to less than the planned rate.
func TestPlannedTailsKeepTheRate(t *testing.T) {
	for rate := 1e-6; rate < 1; rate *= 1.07 {
		tails := planTails(rate)
		sum := tailRate(int(tails[0]))
		for d := 1; d <= maxDepth; d++ {
			require.GreaterOrEqual(t, tails[d], tails[d-1])
			sum += tailRate(int(tails[d])) / 2
		}
		require.LessOrEqual(t, sum, rate, "rate %g", rate)
	}
}
