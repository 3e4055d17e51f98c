package static

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame/frametest"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// requireExact looks up every key, using single calls and a batch.
func requireExact(t require.TestingT, name string, e *Exact, members, others []hashfam.Digest) {
	all := append(members[:len(members):len(members)], others...)
	for i, found := range e.ContainsAll(nil, all) {
		if member := i < len(members); found != member || e.ContainsDigest(all[i]) != member {
			require.Fail(t, "a wrong result", "%s: key %d, %x", name, i, all[i])
		}
	}
}

// The table contains the number of rarer keys, the ratio, the columns of the
// first level, and the largest size allowed, as a multiple of the bound. The
// size of the scheme itself, R (r+1) + S/2^r, is 1.108 times the bound at ratio
// 4; ribbons add 1% to 2%, and more for few keys.
//
// A key in neither list is mistaken for a rarer key with probability 2^-(r+1).
// The tolerance is six standard errors, which a correct program exceeds with
// probability 2e-9, plus 3% for free slots.
func TestExactMeetsSizeAndRate(t *testing.T) {
	const queries = 50_000
	foreign := make([]hashfam.Digest, queries)
	for i := range foreign {
		foreign[i] = hashfam.Family{}.SumUint64(1<<40 + uint64(i))
	}
	for _, c := range []struct {
		rare, ratio, columns int
		most                 float64
	}{{20_000, 1, 0, 1.025}, {10_000, 3, 1, 1.12}, {10_000, 4, 2, 1.14}, {5_000, 5, 2, 1.13}, {5_000, 50, 5, 1.13}} {
		rare, common := universe(hashfam.Family{}, c.rare, c.rare*c.ratio)
		e, inverted := mustExact(t, hashfam.Family{}, rare, common), mustExact(t, hashfam.Family{}, common, rare)
		requireExact(t, "members are rarer", e, rare, common)
		requireExact(t, "others are rarer", inverted, common, rare)
		require.LessOrEqual(t, 8*float64(e.SizeBytes())/sizing.ExactBound(uint64(c.rare), uint64(len(common))), c.most, "%+v", c)
		require.Equal(t, e.SizeBytes(), inverted.SizeBytes())
		found, opposite, taken := e.ContainsAll(nil, foreign), inverted.ContainsAll(nil, foreign), 0
		for i, is := range found {
			require.True(t, c.ratio == 1 || is != opposite[i], "the result should change when the lists are exchanged")
			if is {
				taken++
			}
		}
		want := math.Exp2(-float64(c.columns + 1))
		sigma := math.Sqrt(want * (1 - want) / queries)
		require.InDelta(t, want, float64(taken)/queries, 6*sigma+0.03*want, "%+v", c)
	}
}

// universe returns two disjoint lists of digests.
func universe(fam hashfam.Family, a, b int) (members, others []hashfam.Digest) {
	digests := make([]hashfam.Digest, a+b)
	for i := range digests {
		digests[i] = fam.SumUint64(uint64(i))
	}
	return digests[:a:a], digests[a:]
}

// mustExact builds an Exact from copies of the digests.
func mustExact(t require.TestingT, fam hashfam.Family, members, others []hashfam.Digest) *Exact {
	e, err := NewExact(context.Background(), ExactConfig{Family: fam}, slices.Clone(members), slices.Clone(others))
	require.NoError(t, err)
	return e
}

func TestKeysInBothListsAreErrors(t *testing.T) {
	for _, n := range []int{1, 3} {
		members, others := universe(hashfam.Family{}, 10, 1000)
		copy(others[7:], members[3:3+n])
		_, err := NewExact(t.Context(), ExactConfig{}, members, others)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.EqualError(t, err, fmt.Sprintf(
			"static: invalid parameters: others = %d digests of members, want digests that are not in members", n))
	}
	both, e := []hashfam.Digest{7}, &Exact{params: ExactParams{Members: 1, Others: 1}}
	err := e.build(t.Context(), ribbon.Build{Workers: 1}, both, slices.Clone(both)) // the build ends even without the check
	require.ErrorIs(t, buildError(err), hashfam.ErrParams)
	require.ErrorIs(t, err, ribbon.ErrLayers)
	_, err = NewExact(t.Context(), ExactConfig{Workers: -1}, nil, nil)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.ErrorContains(t, err, "ExactConfig.Workers = -1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = NewExact(ctx, ExactConfig{}, []hashfam.Digest{1}, []hashfam.Digest{2})
	require.ErrorIs(t, err, context.Canceled)
}

// If someone chooses the digests, the result needs more memory, but the build
// ends and no result is wrong.
func TestChosenDigestsGiveRightResults(t *testing.T) {
	const n = 5000
	for name, digest := range map[string]func(i uint64) hashfam.Digest{
		"consecutive":            func(i uint64) hashfam.Digest { return hashfam.Digest(i) },
		"one prefix":             func(i uint64) hashfam.Digest { return hashfam.Digest(0xabcdef0123<<24 | i) },
		"one prefix of starts":   func(i uint64) hashfam.Digest { return checks.Probing(0xabcdef0123<<24 | i) },
		"consecutive from zero":  checks.Probing,
		"high bits":              func(i uint64) hashfam.Digest { return hashfam.Digest(i << 40) },
		"high bits of the start": func(i uint64) hashfam.Digest { return checks.Probing(i << 40) },
	} {
		for _, share := range []uint64{2, 8} {
			var lists [2][]hashfam.Digest
			for i := range uint64(n) {
				list := &lists[min(1, i%share)]
				*list = append(*list, digest(i))
			}
			members, others := lists[0], lists[1]
			e := mustExact(t, hashfam.Family{}, members, others)
			requireExact(t, name, e, members, others)
			require.Less(t, e.SizeBytes(), uint64(8*n), name)
			f := mustBuild(t, Config{FPRate: 0.01}, slices.Clone(members))
			require.NotContains(t, f.ContainsAll(nil, members), false, name)
			require.LessOrEqual(t, f.SizeBytes(), uint64(4*len(members)), name)
		}
	}
}

// A frame with correct checksums is corrupt if its numbers contradict each
// other, or if an unused bit is set, since two equal structures could otherwise
// differ. Decoders and views must reject it. If the header is enough to detect
// this, ReadExactParams should also return an error.
func TestContradictoryNumbersAreCorrupt(t *testing.T) {
	machine.Matters(t)
	e := goldenExact(hashfam.Family{}, 100, 1000)().(*Exact) // 3 columns
	good, err := e.MarshalBinary()
	require.NoError(t, err)
	for _, c := range []struct {
		at   int
		n    uint64
		text string
	}{
		{24, 1<<48 + 1, "members = "}, {32, 1<<48 + 1, "others = "}, {24, 0, "keys that pass = "},
		{40, 99, "keys that pass = 99, want 100 to 1100"},
		{40, 1101, "keys that pass = 1101, want 100 to 1100"},
		{32, 190, "keys that pass = "}, // ratio 1: all keys pass
		{40, 1100, "payload length"}, {16, 4096, "payload length"}, {16, 1 << 40, "payload length"},
		{48, 0, "layers = 0"}, {48, 33, "layers = 33"}, {48, 1, "layers = 0"},
		{48, 1<<16 | uint64(e.class.Shape().Layers)<<8 | uint64(e.filter.Shape().Layers), "parameters = "},
	} {
		b := frametest.Set(good, map[int]uint64{c.at: c.n})
		_, err = ReadExactParams(bytes.NewReader(b), hashfam.Family{})
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, c.text)
		require.ErrorIs(t, new(Exact).UnmarshalBinary(b), hashfam.ErrCorrupt, c.text)
		_, err = NewExactView(b, hashfam.Family{})
		require.ErrorIs(t, err, hashfam.ErrCorrupt, c.text)
	}
	longer := frametest.Set(good, map[int]uint64{frametest.Payload: e.params.bytes + 8})
	longer = frametest.Seal(slices.Insert(longer, len(longer)-8, make([]byte, 8)...))
	require.ErrorContains(t, new(Exact).UnmarshalBinary(longer), "payload length")
	for level, at := range map[*ribbon.Ribbon]int{&e.filter: 64, &e.class: 64 + int(e.filter.PayloadBytes())} {
		at += 8*(level.Shape().Layers-1) + 7 // the last byte of the first layer's thresholds
		b := bytes.Clone(good)
		b[at] |= 0x80
		b = frametest.Seal(b)
		require.ErrorContains(t, new(Exact).UnmarshalBinary(b), "bits after the last threshold")
		if v, err := NewExactView(b, hashfam.Family{}); !errors.Is(err, errors.ErrUnsupported) {
			require.ErrorIs(t, v.Verify(), hashfam.ErrCorrupt)
		}
	}
}

// If these rules change, existing frames can no longer be decoded.
func TestLimitsOfTheExactFormat(t *testing.T) {
	machine.Matters(t)
	require.True(t, ExactParams{Members: 5, Others: 5}.direct(), "at equal numbers, the members count as the rarer class")
	require.NoError(t, exactShape{ExactParams: ExactParams{Others: ribbon.MaxKeys}}.check())
}

func TestEqualComparesBothLevels(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)().(*Exact)
	members, others := universe(hashfam.Family{}, 100, 1000)
	other := mustExact(t, hashfam.Family{}, members, others)
	filter, class := *e, *e
	filter.filter, class.class = other.filter, other.class
	require.True(t, e.Equal(e))
	require.False(t, e.Equal(&filter))
	require.False(t, e.Equal(&class))
}
