package ring

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// The parts always contain the window, and no more than one additional part.
func TestWindowOfKeys(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.Uint64Range(1, 50).Draw(t, "window")
		parts := rapid.IntRange(1, 9).Draw(t, "parts")
		r := OfKeys(window, parts)
		require.Less(t, (r.Keys()-1)*uint64(parts), window, "no more than needed")
		kept := make([][]uint64, parts+1)
		for key := range 5 * window {
			if r.Count() {
				clear(Turn(kept, 1))
			}
			kept[parts] = append(kept[parts], key)
			all := slices.Concat(kept...)
			require.GreaterOrEqual(t, uint64(len(all)), min(key+1, window))
			require.LessOrEqual(t, uint64(len(all)), uint64(parts+1)*r.Keys())
			require.Equal(t, key, all[len(all)-1])
			require.Equal(t, uint64(len(kept[parts])), r.Word())
		}
	})
}

func TestWindowOfTime(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Int64Range(1, 50).Draw(t, "span")
		parts := rapid.IntRange(1, 9).Draw(t, "parts")
		r := OfTime(time.Duration(span), parts)
		length := (span + int64(parts) - 1) / int64(parts)
		kept, seen := make([][]int64, parts+1), []int64(nil)
		now := rapid.Int64Range(-100, 100).Draw(t, "start")
		for range 40 {
			now += rapid.Int64Range(0, 20).Draw(t, "step")
			clear(Turn(kept, r.Advance(time.Unix(0, now))))
			kept[parts] = append(kept[parts], now)
			seen = append(seen, now)
			all := slices.Concat(kept...)
			for _, at := range seen {
				if now-at < span {
					require.Contains(t, all, at)
				}
			}
			require.Less(t, now-all[0], int64(parts+1)*length)
		}
	})
}

func TestTimeNeverMovesBack(t *testing.T) {
	r := OfTime(time.Hour, 4)
	assert.False(t, r.Known())
	at := time.Unix(1e9, 0)
	assert.Zero(t, r.Advance(at), "the first time")
	assert.True(t, r.Known())
	before := r
	assert.Zero(t, r.Advance(at.Add(-time.Hour)))
	assert.Zero(t, r.Advance(time.Time{}))
	assert.Equal(t, before, r)
	assert.Equal(t, uint64(5), r.Advance(at.Add(75*time.Minute)))
	r.Reset()
	assert.Equal(t, OfTime(time.Hour, 4), r)
}

// The position can always be encoded, and does not depend on how wrong the
// clock is.
func TestWrongClocksGiveValidPositions(t *testing.T) {
	machine.Matters(t)
	latest := []time.Time{time.Date(2263, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt64/2, 0)}
	earliest := []time.Time{time.Date(1677, 1, 1, 0, 0, 0, 0, time.UTC), {}, time.Unix(math.MinInt64/2, 0)}
	for _, span := range []time.Duration{1, 2, 3, time.Hour, math.MaxInt64} {
		for _, parts := range []int{1, 3, 255} {
			first, last := OfTime(span, parts), OfTime(span, parts)
			first.Advance(earliest[0])
			last.Advance(latest[0])
			for _, at := range earliest {
				r := OfTime(span, parts)
				r.Advance(at)
				assert.Equal(t, first, r, "%v, %v", span, at)
			}
			for _, at := range latest {
				r := first
				begun := r.Advance(at)
				assert.Equal(t, last, r, "%v, %v", span, at)
				assert.Equal(t, last.Word()-first.Word(), begun)
			}
			for _, r := range []Ring{first, last} {
				decoded := OfTime(span, parts)
				assert.True(t, decoded.SetWord(r.Word()))
				assert.Equal(t, r, decoded)
			}
		}
	}
}

func TestInvalidWordsAreRejected(t *testing.T) {
	machine.Matters(t)
	keys := OfKeys(10, 3)
	assert.True(t, keys.SetWord(4))
	before := keys
	assert.False(t, keys.SetWord(5))
	assert.Equal(t, before, keys)
	assert.True(t, keys.Count(), "the part is full")

	hours := OfTime(time.Hour, 1)
	first, last := int64(math.MinInt64)/int64(time.Hour)-1, int64(math.MaxInt64)/int64(time.Hour)
	for _, part := range []int64{first, -1, 0, last, unknown} {
		assert.True(t, hours.SetWord(uint64(part)), part)
		assert.Equal(t, uint64(part), hours.Word())
	}
	before = hours
	for _, part := range []int64{first - 1, last + 1, unknown + 1, math.MaxInt64} {
		assert.False(t, hours.SetWord(uint64(part)), part)
		assert.Equal(t, before, hours)
	}
}

func TestKeysAndTimeDoNotMix(t *testing.T) {
	keys, hours := OfKeys(10, 3), OfTime(time.Hour, 3)
	before := keys
	assert.Zero(t, keys.Advance(time.Now()))
	assert.Equal(t, before, keys)
	assert.False(t, keys.Known())
	assert.False(t, hours.Count())
	assert.Equal(t, OfTime(time.Hour, 3), hours)
}

func TestTurnLosesNoPart(t *testing.T) {
	for n, want := range map[uint64][]int{
		0: {0, 1, 2, 3}, 1: {1, 2, 3, 0}, 3: {3, 2, 1, 0}, 4: {0, 1, 2, 3}, math.MaxUint64: {0, 1, 2, 3},
	} {
		parts := []int{0, 1, 2, 3}
		begun := Turn(parts, n)
		require.Len(t, begun, int(min(n, 4)))
		kept := len(parts) - len(begun)
		assert.Equal(t, want[:kept], parts[:kept], "the newer parts, in order")
		assert.ElementsMatch(t, want, parts, "no part is lost")
		assert.Empty(t, Turn(parts[:0], n))
	}
}
