package pages

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
)

// small returns an empty Set using pages with 128 buckets.
func small(rate float64, compact bool) *Set { return New(NewShape(1, rate, compact), 1) }

// Eight copies of a key fill its buckets. A page of 128 buckets splits when 31
// of 32 slots are used: 496 of 512.
func TestPagesHaveRoomFor31Of32Slots(t *testing.T) {
	for _, compact := range []bool{false, true} {
		s := small(0.1, compact)
		for tail := uint8(minTail); tail <= maxTail; tail++ {
			p, k := s.newPage(0, tail), locus{address: math.MaxUint64 / 3, i: 5, j: 5 ^ s.moves[7], partner: 7}
			for n := range 2 * table.Slots {
				require.Equal(t, n, p.copies(k), "tail %d, compact %v", tail, compact)
				require.True(t, s.put(p, k, p.fingerprint(k, tail), false))
			}
			require.Equal(t, 8, p.copies(k))
			require.False(t, s.put(p, k, p.fingerprint(k, tail), true))
			for i := range s.Buckets {
				for n := range table.Slots {
					room := i != k.i && i != k.j && p.taken < 496
					require.Equal(t, room, s.put(p, locus{i: i, j: i}, p.fingerprint(locus{partner: 1}, tail), n%2 == 0))
				}
			}
			require.EqualValues(t, 496, p.taken)
		}
	}
}

// Encodings depend on the page size, which follows from the expected keys.
func TestPageSizeFollowsFromExpectedKeys(t *testing.T) {
	for expected, want := range map[uint64]uint64{
		1: 128, 1000: 128, 2063: 128, 2064: 256, 4111: 256, 4112: 512, 8208: 1024, 1 << 30: 1024,
	} {
		require.Equal(t, want, NewShape(expected, 0.1, false).Buckets, "%d keys", expected)
	}
}

// The first tail is the shortest that uses no more than two thirds of the rate.
// The rates of keys of all depths add up to less than the planned rate.
func TestPlannedTailsKeepTheRate(t *testing.T) {
	for tail := minTail; tail < 20; tail++ {
		require.EqualValues(t, tail, planTails(1.5 * tailRate(tail))[0])
		require.EqualValues(t, tail+1, planTails(1.499 * tailRate(tail))[0])
	}
	for rate := 1e-6; rate < 1; rate *= 1.07 {
		tails := planTails(rate)
		sum := tailRate(int(tails[0]))
		for d := 1; d <= maxDepth; d++ {
			require.GreaterOrEqual(t, tails[d], tails[d-1])
			sum += tailRate(int(tails[d])) / 2
		}
		require.LessOrEqual(t, sum, rate, "rate %g", rate)
	}
	g := NewShape(1, 1e-6, false)
	require.Equal(t, 32, g.tableShape(g.tails[maxDepth]).Bits, "the widest fingerprint")
}
