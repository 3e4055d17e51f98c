package countmin

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// cellsOf returns the counters of each row.
func cellsOf(s *Sketch) (list [][]uint64) {
	for row := range uint64(s.params.Depth) {
		var cells []uint64
		for i := range s.params.Width {
			at := row*s.params.Width + i
			switch s.params.CounterBits {
			case 8:
				cells = append(cells, uint64(s.of8[at]))
			case 16:
				cells = append(cells, uint64(s.of16[at]))
			case 32:
				cells = append(cells, uint64(s.of32[at]))
			default:
				cells = append(cells, s.of64[at])
			}
		}
		list = append(list, cells)
	}
	return list
}

// exceeding returns the probability that random counters of all rows exceed t.
func exceeding(rows [][]uint64, t uint64) float64 {
	p := 1.0
	for _, row := range rows {
		n := 0
		for _, x := range row {
			if x > t {
				n++
			}
		}
		p *= float64(n) / float64(len(row))
	}
	return p
}

func TestErrorQuantileIsTheLeastThatSuffices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := mustNew(t, drawParams(t, hashfam.Family{}))
		for i := range rapid.IntRange(0, 300).Draw(t, "keys") {
			s.AddNDigest(s.Family().SumUint64(uint64(i)), rapid.Uint64Range(0, 1000).Draw(t, "times"))
		}
		delta := rapid.Float64Range(0, 1).Draw(t, "delta")
		rows := cellsOf(s)
		got := s.ErrorQuantile(delta)
		if got == math.MaxUint64 {
			got = slices.Max(rows[0]) // the error has no bound
			require.True(t, s.params.stuck(got))
			require.Greater(t, exceeding(rows, got-1), delta)
			return
		}
		require.LessOrEqual(t, exceeding(rows, got), delta)
		if got > 0 {
			require.Greater(t, exceeding(rows, got-1), delta)
		}
	})
}

func TestErrorQuantileAtTheLimits(t *testing.T) {
	s := mustNew(t, Params{Width: 4, Depth: 2, CounterBits: 64})
	require.Zero(t, s.ErrorQuantile(0))
	s.AddN([]byte("a"), 5)
	for delta, want := range map[float64]uint64{1: 0, 2: 0, 1.0 / 16: 0, 0.06: 5, 0: 5, -1: 5} {
		require.Equal(t, want, s.ErrorQuantile(delta), "delta %g", delta)
	}
	require.EqualValues(t, 5, s.ErrorQuantile(math.NaN()))
	s.AddN([]byte("a"), math.MaxUint64)
	require.EqualValues(t, uint64(math.MaxUint64), s.ErrorQuantile(0))
	require.Zero(t, testing.AllocsPerRun(10, func() { s.ErrorQuantile(0.01) }))
}

// In a novel, the quantile is close to the error that one word in a hundred
// exceeds, and far below Epsilon times the total, which is 727. The families are
// fixed.
func TestErrorQuantileOfRealCounts(t *testing.T) {
	const families = 10
	for _, c := range []struct {
		conservative bool
		most         float64
	}{{false, 160}, {true, 70}} {
		sum, above := 0.0, 0.0
		for i := range families {
			s := mustNew(t, Params{
				Width: 16 << 10 / 4 / 5, Depth: 5, CounterBits: 32, Conservative: c.conservative,
				Family: hashfam.Family{}.Derive(fmt.Sprint("quantile ", i)),
			})
			for _, word := range mobyDick().Keys {
				s.AddString(word)
			}
			require.InDelta(t, 727, s.ErrorBound(), 1)
			bound := s.ErrorQuantile(0.01)
			sum += float64(bound)
			for word, n := range mobyDick().Counts {
				if s.CountString(word)-n > bound {
					above += 1 / float64(len(mobyDick().Counts))
				}
			}
		}
		t.Logf("conservative %v: quantile %.0f, exceeded by %.2f%%", c.conservative, sum/families, 100*above/families)
		require.LessOrEqual(t, sum/families, c.most)
		require.LessOrEqual(t, above/families, 0.011)
	}
}
