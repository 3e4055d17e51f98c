package counting

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// requireProjection checks that the projection of f is, bit for bit, the filter
// that package bloom builds from the keys that each yields, plus the bits of
// stuck counters, and that it shares no memory with f.
func requireProjection(t require.TestingT, f *Filter, each func(add func(hashfam.Digest))) {
	p := f.Params()
	words := make([]uint64, (p.Counters+63)/64)
	for i := range p.Counters {
		if f.counters.at(i) == stuck {
			words[i/64] |= 1 << (i % 64)
		}
	}
	want, err := bloom.FromWords(bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family}, words)
	require.NoError(t, err)
	each(func(d hashfam.Digest) { want.AddDigest(d) })
	got, clone := f.Bloom(), f.Clone()
	require.True(t, got.Equal(want), "the projection has other bits")
	got.AddString("the projection shares no memory")
	require.True(t, f.Equal(clone))
}

func TestBloomIsTheFilterOfTheRemainingKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		f, n := mustNew(t, p), rapid.IntRange(0, 100).Draw(t, "n")
		kept := map[hashfam.Digest]bool{}
		for i := range n {
			f.AddDigest(p.Family.SumUint64(uint64(i)))
		}
		for i := range n {
			d := p.Family.SumUint64(uint64(i))
			if kept[d] = rapid.Bool().Draw(t, "keep"); !kept[d] {
				require.True(t, f.DeleteDigest(d))
			}
		}
		requireProjection(t, f, func(add func(hashfam.Digest)) {
			for d, kept := range kept {
				if kept {
					add(d)
				}
			}
		})
		b := f.Bloom()
		require.InDelta(t, f.FillRatio(), b.FillRatio(), 1e-12)
		require.InDelta(t, f.FalsePositiveRate(), b.FalsePositiveRate(), 1e-12)
		require.Equal(t, b.EstimatedLen(), f.EstimatedLen())
		for i := range 2 * n {
			d := p.Family.SumUint64(uint64(i))
			require.Equal(t, f.ContainsDigest(d), b.ContainsDigest(d))
		}
	})
}

func TestBloomEqualsTheFilterOfTheSameConfig(t *testing.T) {
	for _, n := range []uint64{1, 7, 1000, 100_003} {
		for _, rate := range []float64{0.3, 0.01, 1e-6} {
			for _, layout := range layouts {
				f, err := New(Config{Capacity: n, FPRate: rate, Layout: layout})
				require.NoError(t, err)
				g, err := bloom.New(bloom.Config{Capacity: n, FPRate: rate, Layout: layout})
				require.NoError(t, err)
				for i := range n {
					d := hashfam.Family{}.SumUint64(i)
					f.AddDigest(d)
					g.AddDigest(d)
				}
				require.True(t, f.Bloom().Equal(g))
				require.Zero(t, f.Stuck())
			}
		}
	}
}
