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
		keys := rapid.SliceOfN(rapid.StringN(-1, -1, 300), 1, 20).Draw(t, "keys")
		for i, key := range keys {
			at = append(at, record(len(l)+linkBytes))
			l = appendRecord(l, uint64(i), uint64(i)<<40, hashfam.Digest(i)<<50, key)
			require.EqualValues(t, uint64(at[i]-linkBytes)+recordBytes(uint64(len(key))), len(l))
		}
		i := 0
		for r := range l.all() {
			require.Equal(t, at[i], r)
			require.Equal(t, keys[i], string(l.key(r)))
			require.EqualValues(t, i, l.count(r))
			require.Equal(t, uint64(i)<<40, l.guess(r))
			require.Equal(t, hashfam.Digest(i)<<50, l.digest(r))
			require.Equal(t, none, l.next(r))
			l.setNext(r, at[0])
			require.Equal(t, at[0], l.next(r))
			require.Equal(t, keys[i], string(l.encoded(r)[headBytes:]))
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
		filling := func(bar uint64) (size uint64) {
			for r := range l.all() {
				if l.count(r) <= bar {
					size += l.size(r)
				}
			}
			return size
		}
		size := rapid.Uint64Range(1, uint64(len(l))).Draw(t, "size")
		bar := l.countFreeing(size, low)
		require.GreaterOrEqual(t, filling(bar), size)
		require.GreaterOrEqual(t, bar, low)
		require.True(t, bar == low || filling(bar-1) < size)
	})
}
