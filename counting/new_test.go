package counting

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// requireProjection checks that the projection of f is, bit for bit, the filter
// that package bloom builds from the keys that each yields, plus the bits of
// stuck counters, that both estimate the same, and that it shares no memory
// with f.
func requireProjection(t require.TestingT, f *Filter, each func(add func(hashfam.Digest))) {
	p := f.Params()
	words := make([]uint64, (p.Counters+63)/64)
	for i := range p.Counters {
		if f.counters.At(i) == stuck {
			words[i/64] |= 1 << (i % 64)
		}
	}
	want, err := bloom.FromWords(bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family}, words)
	require.NoError(t, err)
	each(func(d hashfam.Digest) { want.AddDigest(d) })
	got, clone := f.Bloom(), f.Clone()
	require.True(t, got.Equal(want), "the projection has other bits")
	require.InDelta(t, got.FillRatio(), f.FillRatio(), 1e-12)
	require.InDelta(t, got.FalsePositiveRate(), f.FalsePositiveRate(), 1e-12)
	require.Equal(t, got.EstimatedLen(), f.EstimatedLen())
	for d := range hashfam.Digest(100) {
		require.Equal(t, got.ContainsDigest(d<<57), f.ContainsDigest(d<<57))
	}
	got.AddString("the projection shares no memory")
	require.True(t, f.Equal(clone))
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

func TestBloomOfADamagedViewDoesNotPanic(t *testing.T) {
	f := mustNew(t, Params{Counters: 1000, Hashes: 3})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	b[len(b)-9] = 0xff // the last two counters of the payload, beyond the last of the filter
	v, err := NewView(b, hashfam.Family{})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("there are no views here")
	}
	require.NoError(t, err)
	require.ErrorIs(t, v.Verify(), ErrCorrupt)
	require.True(t, v.Bloom().Equal(f.Bloom()))
}
