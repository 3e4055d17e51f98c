package counting

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAllFormsOfDeleteAndCountAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		f := mustNew(t, p)
		numbers := make([]uint64, rapid.IntRange(0, 300).Draw(t, "n"))
		keys, texts := make([][]byte, len(numbers)), make([]string, len(numbers))
		for i := range numbers {
			numbers[i] = uint64(i) % 251
			f.AddUint64(numbers[i])
			numbers[i] += uint64(i%3) * 1000 // two thirds of them were not added
			keys[i] = binary.LittleEndian.AppendUint64(nil, numbers[i])
			texts[i] = string(keys[i])
		}
		digests := p.Family.SumAllUint64(nil, numbers)
		want := make([]uint64, len(keys))
		for i, d := range digests {
			want[i] = f.CountDigest(d)
			require.Equal(t, want[i], f.CountUint64(numbers[i]))
		}
		require.Equal(t, want, f.CountAll([]uint64{}, keys))
		require.Equal(t, want, f.CountAllStrings([]uint64{}, texts))
		require.Equal(t, want, f.CountAllUint64([]uint64{}, numbers))
		require.Equal(t, want, f.CountAllDigests([]uint64{}, digests))

		single, removed := f.Clone(), 0
		for i, n := range numbers {
			if i%2 == 0 && single.DeleteUint64(n) || i%2 == 1 && single.Delete(keys[i]) {
				removed++
			}
		}
		for form, remove := range map[string]func(*Filter) int{
			"bytes":    func(g *Filter) int { return g.DeleteAll(keys) },
			"strings":  func(g *Filter) int { return g.DeleteAllStrings(texts) },
			"integers": func(g *Filter) int { return g.DeleteAllUint64(numbers) },
			"digests":  func(g *Filter) int { return g.DeleteAllDigests(digests) },
		} {
			g := f.Clone()
			require.Equal(t, removed, remove(g), form)
			require.True(t, g.Equal(single), form)
		}
	})
}
