package tracker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// The model of a log is a list of keys.
func TestLogMatchesAList(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		var l log
		var at []record
		keys := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return rapid.StringN(-1, -1, rapid.SampledFrom([]int{0, 7, 8, 20, 254, 255, 300}).Draw(t, "most")).Draw(t, "key")
		}), 1, 20).Draw(t, "keys")
		for i, key := range keys {
			at = append(at, record(len(l)))
			l = appendRecord(l, uint64(i), uint64(i)<<30, hashfam.Digest(i)<<50, key)
			require.EqualValues(t, at[i]+record(recordWords(len(key))), len(l))
		}
		i := 0
		for r, end := range l.all() {
			require.Equal(t, at[i], r)
			require.Equal(t, keys[i], string(l.appendKey(nil, r)))
			require.EqualValues(t, i, l.count(r))
			require.EqualValues(t, min(uint64(i)<<30, maxGuess), l.guess(r))
			require.Equal(t, hashfam.Digest(i)<<50, l.digest(r))
			require.Equal(t, none, l.next(r))
			l.setNext(r, end)
			require.Equal(t, end, l.next(r))
			require.EqualValues(t, min(uint64(i)<<30, maxGuess), l.guess(r))
			require.Equal(t, l[r+recordHead:end], log(l.key(r)))
			i++
		}
		require.Len(t, keys, i)
	})
}

func TestCountFreeingIsTheLowestCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l log
		low := rapid.Uint64().Draw(t, "low") >> rapid.IntRange(0, 63).Draw(t, "shift")
		counts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64().Draw(t, "count") >> rapid.IntRange(0, 63).Draw(t, "shift")
		}), 1, 40).Draw(t, "counts")
		for i, count := range counts {
			l = appendRecord(l, count, 0, hashfam.Digest(i), strings.Repeat("k", int(count%50)))
		}
		filling := func(bar uint64) (words uint64) {
			for r, end := range l.all() {
				if l.count(r) <= bar {
					words += uint64(end - r)
				}
			}
			return words
		}
		words := rapid.Uint64Range(1, uint64(len(l))).Draw(t, "words")
		bar := l.countFreeing(words, low)
		require.GreaterOrEqual(t, filling(bar), words)
		require.GreaterOrEqual(t, bar, low)
		if bar > low {
			require.Less(t, filling(bar-1), words)
		}
	})
}
