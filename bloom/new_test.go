package bloom

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFromWordsRebuildsAFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		f := mustNew(t, p)
		for i := range rapid.IntRange(0, 50).Draw(t, "n") {
			f.AddDigest(p.Family.SumUint64(uint64(i)))
		}
		g, err := FromWords(p, f.Clone().words)
		require.NoError(t, err)
		require.True(t, g.Equal(f))
		g.AddString("more")
		f.AddString("more")
		require.True(t, g.Equal(f))
	})
}

func TestFromWordsRejectsInvalidWords(t *testing.T) {
	for _, c := range []struct {
		field string
		p     Params
		words []uint64
	}{
		{"Params.Bits", Params{Hashes: 7}, nil},
		{"Params.Hashes", Params{Bits: 64}, make([]uint64, 1)},
		{"len(words)", Params{Bits: 64, Hashes: 7}, nil},
		{"len(words)", Params{Bits: 65, Hashes: 7}, make([]uint64, 1)},
		{"len(words)", Params{Bits: 64, Hashes: 7}, make([]uint64, 2)},
		{"len(words)", Params{Bits: 1 << 30, Hashes: 7}, make([]uint64, 2)},
		{"bits beyond the last", Params{Bits: 63, Hashes: 7}, []uint64{1 << 63}},
		{"bits beyond the last", Params{Bits: 65, Hashes: 7}, []uint64{0, 2}},
	} {
		_, err := FromWords(c.p, c.words)
		requireField(t, err, ErrParams, c.field)
	}
}
