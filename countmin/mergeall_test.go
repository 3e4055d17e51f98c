package countmin

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Merging sketches at once gives what merging them in turn gives, the sketch
// itself among them too.
func TestMergeAllOfSketchesIsMergeInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, rapid.Bool().Draw(t, "conservative"))
		p.Width *= rapid.SampledFrom([]uint64{1, 100}).Draw(t, "wider")
		s := must(NewFromParams(p))
		others := make([]*Sketch, rapid.IntRange(0, 5).Draw(t, "others"))
		for i := range others {
			if others[i] = must(NewFromParams(p)); rapid.IntRange(0, 4).Draw(t, "itself") == 0 {
				others[i] = s
			}
			for range 20 {
				others[i].AddNUint64(rapid.Uint64Range(0, 50).Draw(t, "key"), 1<<rapid.IntRange(0, 62).Draw(t, "n"))
			}
		}
		turn := s.Clone()
		for _, other := range others {
			if other == s {
				other = turn
			}
			require.NoError(t, turn.Merge(other))
		}
		require.NoError(t, s.MergeAll(others...))
		require.True(t, turn.Equal(s))
	})
}

// Merging the parts of real streams at once is at least as exact as merging
// them in turn: no upper bound is higher in the sum, as many heavy hitters are
// found, and the bound on the missed is no higher. All bounds hold.
func TestMergeAllIsAtLeastAsExactAsMerges(t *testing.T) {
	const parts = 10
	for _, s := range []*streams.Stream{streams.MobyDick(), streams.Web12(), streams.Weblog()} {
		for _, config := range []HeavyConfig{{Phi: 0.001}, {Phi: 0.002, MemoryBytes: 8 << 10}, {Phi: 0.01, MemoryBytes: 32 << 10}} {
			shards, tops := partsOf(s, parts, config)
			once, turn := must(NewHeavyHitters(config)), must(NewHeavyHitters(config))
			require.NoError(t, once.MergeAll(shards...))
			topOnce, topTurn := must(NewTopK(tops[0].Params())), must(NewTopK(tops[0].Params()))
			require.NoError(t, topOnce.MergeAll(tops...))
			for i := range shards {
				require.NoError(t, turn.Merge(shards[i]))
				require.NoError(t, topTurn.Merge(tops[i]))
			}
			width := func(estimate func(string) Estimate) (sum uint64) {
				for key, n := range s.Counts() {
					e := estimate(key)
					bounded(t, key, n, e)
					sum += e.High - e.Low
				}
				return sum
			}
			a, b := width(once.EstimateString), width(turn.EstimateString)
			t.Logf("%s, %v: sum of intervals %d at once, %d in turn; missed %d, %d; tracked exactly %v, %v",
				s.Name, config, a, b, once.MissBound(), turn.MissBound(), once.Complete(), turn.Complete())
			require.LessOrEqual(t, a, b+b/50)
			require.LessOrEqual(t, once.MissBound(), turn.MissBound())
			require.LessOrEqual(t, width(topOnce.EstimateString), width(topTurn.EstimateString)*51/50)
			require.Equal(t, uint64(len(s.IDs)), once.Total())
			require.Equal(t, uint64(len(s.IDs)), topOnce.Total())
			for key, n := range s.Counts() {
				if once.Complete() && n >= once.Threshold() {
					require.GreaterOrEqual(t, once.EstimateString(key).Low, uint64(0))
				}
			}
		}
	}
}

// partsOf returns heavy hitters and top ks of consecutive parts of a stream.
func partsOf(s *streams.Stream, parts int, config HeavyConfig) (hs []*HeavyHitters, ks []*TopK) {
	for part := range parts {
		h := must(NewHeavyHitters(config))
		k := must(NewTopK(TopKConfig{K: 20, MemoryBytes: config.MemoryBytes}))
		for _, id := range s.IDs[part*len(s.IDs)/parts : (part+1)*len(s.IDs)/parts] {
			h.Add(s.Keys[id])
			k.Add(s.Keys[id])
		}
		hs, ks = append(hs, h), append(ks, k)
	}
	return hs, ks
}

// With one other, MergeAll is Merge; with none it changes nothing; and errors
// leave the receiver unchanged, whichever of the others is to blame.
func TestErrorsOfMergeAll(t *testing.T) {
	s, h, k := must(New(Config{Width: 9, Depth: 2})), must(NewHeavyHitters(HeavyConfig{Phi: 0.1})), must(NewTopK(TopKConfig{K: 2}))
	for _, add := range []func(string){s.AddString, h.AddString, k.AddString} {
		add("a")
	}
	require.NoError(t, s.MergeAll())
	require.NoError(t, h.MergeAll())
	require.NoError(t, k.MergeAll())
	require.ErrorIs(t, s.MergeAll(s, must(New(Config{Width: 8, Depth: 2}))), ErrIncompatible)
	require.ErrorIs(t, s.MergeAll(s, nil), ErrIncompatible)
	require.ErrorIs(t, h.MergeAll(h, must(NewHeavyHitters(HeavyConfig{Phi: 0.2}))), ErrIncompatible)
	require.ErrorIs(t, h.MergeAll(h, nil), ErrIncompatible)
	require.ErrorIs(t, k.MergeAll(k, must(NewTopK(TopKConfig{K: 3}))), ErrIncompatible)
	require.ErrorIs(t, k.MergeAll(k, nil), ErrIncompatible)
	require.Equal(t, []uint64{1, 1, 1}, []uint64{s.Total(), h.Total(), k.Total()})
	require.ErrorIs(t, (*Sketch)(nil).MergeAll(), ErrParams)
	require.ErrorIs(t, (*HeavyHitters)(nil).MergeAll(), ErrParams)
	require.ErrorIs(t, (*TopK)(nil).MergeAll(), ErrParams)

	require.NoError(t, h.MergeAll(h, h, must(NewHeavyHitters(HeavyConfig{Phi: 0.1}))))
	require.Equal(t, uint64(3), h.Total())
	require.Equal(t, Estimate{3, 3, 3}, h.EstimateString("a"))
}

// BenchmarkMergeAll reports the time of MergeAll of ten over that of ten
// merges.
func BenchmarkMergeAll(b *testing.B) {
	shards, _ := partsOf(streams.MobyDick(), 10, HeavyConfig{Phi: 0.001})
	var sketches []*Sketch
	for range 10 {
		sketches = append(sketches, must(New(Config{Width: 1 << 18, Depth: 4})))
	}
	whole := must(New(Config{Width: 1 << 18, Depth: 4}))
	b.Run("heavy hitters", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n / 20_000 {
				h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001}))
				for _, shard := range shards {
					h.Merge(shard)
				}
			}
		}, func(n int) {
			for range n / 20_000 {
				must(NewHeavyHitters(HeavyConfig{Phi: 0.001})).MergeAll(shards...)
			}
		})
	})
	b.Run("sketches", func(b *testing.B) {
		conformance.Ratio(b, func(n int) {
			for range n / 20_000 {
				for _, s := range sketches {
					whole.Merge(s)
				}
			}
		}, func(n int) {
			for range n / 20_000 {
				whole.MergeAll(sketches...)
			}
		})
	})
}

// Errors about several structures name the package and the reason once, and say
// which structure they are about. Those of a single one do not.
func TestTheTextOfMergeErrors(t *testing.T) {
	s, other, zero := must(New(Config{Width: 20, Depth: 2})), must(New(Config{Width: 30, Depth: 2})), new(Sketch)
	h, h2 := must(NewHeavyHitters(HeavyConfig{Phi: 0.5})), must(NewHeavyHitters(HeavyConfig{Phi: 0.2}))
	k, k2 := must(NewTopK(TopKConfig{K: 5})), must(NewTopK(TopKConfig{K: 2}))
	_, product := s.InnerProduct(other)
	_, ofZero := zero.InnerProduct(s)
	join := func(shards ...*HeavyHitters) error { _, err := JoinHeavyHitters(shards); return err }
	top := func(shards ...*TopK) error { _, err := JoinTopK(shards); return err }
	for _, e := range []struct {
		err    error
		reason error
		text   string
	}{
		{s.Merge(other), ErrIncompatible, "Params.Width = 30, want 20"},
		{product, ErrIncompatible, "Params.Width = 30, want 20"},
		{s.MergeAll(s, s, other), ErrIncompatible, "others[2]: Params.Width = 30, want 20"},
		{s.Merge(nil), ErrIncompatible, "other = nil, want a sketch"},
		{s.MergeAll(nil), ErrIncompatible, "others[0] = nil, want a sketch"},
		{s.Merge(zero), ErrIncompatible, "other = a zero Sketch, want one made by New or by decoding"},
		{s.MergeAll(s, zero), ErrIncompatible, "others[1] = a zero Sketch, want one made by New or by decoding"},
		{zero.Merge(s), ErrParams, "receiver = a zero Sketch, want one made by New or by decoding"},
		{zero.MergeAll(s), ErrParams, "receiver = a zero Sketch, want one made by New or by decoding"},
		{ofZero, ErrParams, "receiver = a zero Sketch, want one made by New or by decoding"},

		{h.Merge(h2), ErrIncompatible, "HeavyConfig.Phi = 0.2, want 0.5"},
		{h.MergeAll(h, h2), ErrIncompatible, "others[1]: HeavyConfig.Phi = 0.2, want 0.5"},
		{h.Merge(nil), ErrIncompatible, "other = nil, want heavy hitters"},
		{h.MergeAll(h, nil), ErrIncompatible, "others[1] = nil, want heavy hitters"},
		{h.Merge(new(HeavyHitters)), ErrIncompatible, "other = a zero HeavyHitters, want one made by NewHeavyHitters or by decoding"},
		{h.MergeAll(new(HeavyHitters)), ErrIncompatible, "others[0] = a zero HeavyHitters, want one made by NewHeavyHitters or by decoding"},
		{new(HeavyHitters).MergeAll(h), ErrParams, "receiver = a zero HeavyHitters, want one made by NewHeavyHitters or by decoding"},
		{(*HeavyHitters)(nil).Merge(h), ErrParams, "receiver = nil, want a pointer to a structure"},

		{k.Merge(k2), ErrIncompatible, "TopKConfig.K = 2, want 5"},
		{k.MergeAll(k, k2), ErrIncompatible, "others[1]: TopKConfig.K = 2, want 5"},
		{k.Merge(nil), ErrIncompatible, "other = nil, want a top k"},
		{k.MergeAll(k, nil), ErrIncompatible, "others[1] = nil, want a top k"},
		{k.Merge(new(TopK)), ErrIncompatible, "other = a zero TopK, want one made by NewTopK or by decoding"},
		{k.MergeAll(new(TopK)), ErrIncompatible, "others[0] = a zero TopK, want one made by NewTopK or by decoding"},
		{new(TopK).MergeAll(k), ErrParams, "receiver = a zero TopK, want one made by NewTopK or by decoding"},
		{(*TopK)(nil).Merge(k), ErrParams, "receiver = nil, want a pointer to a structure"},

		{join(h, h2), ErrIncompatible, "shards[1]: HeavyConfig.Phi = 0.2, want 0.5"},
		{join(h, h, nil), ErrParams, "shards[2] = nil, want heavy hitters"},
		{join(new(HeavyHitters), h), ErrParams, "shards[0] = a zero HeavyHitters, want one made by NewHeavyHitters or by decoding"},
		{join(h, new(HeavyHitters)), ErrParams, "shards[1] = a zero HeavyHitters, want one made by NewHeavyHitters or by decoding"},
		{top(k, k2), ErrIncompatible, "shards[1]: TopKConfig.K = 2, want 5"},
		{top(nil, k), ErrParams, "shards[0] = nil, want a top k"},
		{top(k, new(TopK)), ErrParams, "shards[1] = a zero TopK, want one made by NewTopK or by decoding"},
	} {
		require.EqualError(t, e.err, "countmin: "+e.reason.Error()+": "+e.text)
		require.ErrorIs(t, e.err, e.reason)
		require.ErrorAs(t, e.err, new(*FieldError))
	}
	require.True(t, zero.Equal(new(Sketch)), "a failed merge changed the sketch")
}
