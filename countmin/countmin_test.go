package countmin

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// cells returns the counters, whatever their size.
func (s *Sketch) cells() []uint64 {
	return slices.Concat(words(s.of8), words(s.of16), words(s.of32), s.of64)
}

func words[C counter](cells []C) (words []uint64) {
	for _, c := range cells {
		words = append(words, uint64(c))
	}
	return words
}

// A key's position in row i is the i-th value of its digest's probe sequence.
// Package hashfam tests that these values are independent.
func TestCountersAreAtTheDigestsPositions(t *testing.T) {
	const w, depth = 271, 5
	s := mustNew(t, Params{Width: w, Depth: depth, CounterBits: 32})
	want := make([]uint64, w*depth)
	for i := range uint64(1000) {
		d := hashfam.Family{}.SumUint64(i)
		s.AddDigest(d)
		for row, p := uint64(0), d.Probe(); row < depth; row, p = row+1, p.Next() {
			want[row*w+hashfam.Reduce(uint64(p), w)]++
		}
	}
	require.Equal(t, want, s.cells())
}

// A counter stops at its maximum. All of a key's counters, and no others,
// change.
func TestCountersSaturate(t *testing.T) {
	machine.Matters(t)
	for bits, most := range map[int]uint64{8: math.MaxUint8, 16: math.MaxUint16, 32: math.MaxUint32, 64: math.MaxUint64} {
		for _, careful := range []bool{false, true} {
			s := mustNew(t, Params{Width: 50, Depth: 4, CounterBits: bits, Conservative: careful})
			s.AddN([]byte("a"), most-1)
			require.Equal(t, most-1, s.CountString("a"))
			s.AddString("a")
			for range 3 {
				s.AddN([]byte("a"), 1<<40)
				require.Equal(t, most, s.CountString("a"), "does not wrap")
			}
			require.NoError(t, s.Merge(s))
			full := 0
			for _, c := range s.cells() {
				require.Contains(t, []uint64{0, most}, c)
				if c > 0 {
					full++
				}
			}
			require.Equal(t, 4, full, "one counter in every row")
			if bits < 64 {
				require.Equal(t, 2*(most+3<<40), s.Total())
			}
			require.EqualValues(t, uint64(math.MaxUint64), s.ErrorQuantile(0), "the maximum says no more than that")
			require.NoError(t, new(Sketch).UnmarshalBinary(must(s.MarshalBinary())))
		}
	}
}

// A total of 2^64-1 may be any higher number, so it bounds no error. Here the
// true total is about 2^71, and most other keys collide with a counted key.
func TestBoundsHoldWhenTheTotalSaturates(t *testing.T) {
	machine.Matters(t)
	s := must(New(Config{Width: 1000, Depth: 5, CounterBits: 64}))
	for key := range uint64(2000) {
		s.AddNDigest(s.Family().SumUint64(key), 1<<60)
	}
	require.EqualValues(t, uint64(math.MaxUint64), s.Total())
	require.EqualValues(t, uint64(math.MaxUint64), s.ErrorBound())
	for key := uint64(2000); key < 3000; key++ {
		require.LessOrEqual(t, s.CountDigest(s.Family().SumUint64(key)), s.ErrorBound())
	}
	s.total--
	require.Less(t, s.ErrorBound(), uint64(math.MaxUint64/300))
}

// An absent key has a count if counted keys share all of its counters. In a row
// of w counters, n keys share one with probability 1-(1-1/w)^n.
func TestSmallSketchesOfThousandsOfFamilies(t *testing.T) {
	const width, depth = 250, 3
	for _, conservative := range []bool{false, true} {
		checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
			s := must(New(Config{Width: width, Depth: depth, Conservative: conservative, Family: fam}))
			for _, d := range keys {
				s.AddDigest(d)
			}
			return checks.Rated{
				Contains: func(dst []bool, keys []hashfam.Digest) []bool {
					for _, n := range s.CountAll(nil, keys) {
						dst = append(dst, n > 0)
					}
					return dst
				},
				Rate: math.Pow(1-math.Pow(1-1.0/width, float64(len(keys))), depth),
			}
		})
	}
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	checks.ZeroValues(t, `^countmin: use of a zero \w.*: make it with New.*, or decode into it$`, new(Sketch), NewReceiver(keyed),
		new(HeavyHitters), NewHeavyReceiver(keyed), new(HeavyHitters), NewHeavyReceiver(keyed), new(Window), NewWindowReceiver(keyed))
}
