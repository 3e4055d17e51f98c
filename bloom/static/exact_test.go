package static

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
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

// A sizeCase is a universe of random digests: the number of rarer keys, the
// ratio, whether the rarer keys are the others, and the largest size allowed,
// as a multiple of the bound. The size of the scheme itself, R (r+1) + S/2^r,
// is 1.108 times the bound at ratios 2 and 4 and 1.104 times at 8; ribbons add
// 1% to 2%, and more for few keys, because of whole words and layers of a few
// digests.
type sizeCase struct {
	rare, ratio int
	inverted    bool
	most        float64
}

var randomCases = []sizeCase{
	{10_000, 1, false, 1.035}, {20_000, 1, false, 1.025}, {100_000, 1, false, 1.025}, {100_000, 1, true, 1.025},
	{50_000, 2, true, 1.12}, {30_000, 3, false, 1.12}, {50_000, 4, false, 1.13}, {50_000, 5, false, 1.12},
	{20_000, 6, true, 1.12}, {20_000, 8, false, 1.13}, {10_000, 32, true, 1.12},
	{10_000, 50, false, 1.12}, {10_000, 50, true, 1.12}, {1_000, 1000, false, 1.16},
}

// All keys in both classes are looked up.
func TestExactIsSmallAndRight(t *testing.T) {
	for _, c := range randomCases {
		name := fmt.Sprintf("%d keys, ratio %d, inverted %v", c.rare, c.ratio, c.inverted)
		members, others := universe(hashfam.Family{}, c.rare, c.rare*c.ratio)
		if c.inverted {
			members, others = others, members
		}
		e := mustExact(t, hashfam.Family{}, members, others)
		requireExact(t, name, e, members, others)
		size, bound := 8*float64(e.SizeBytes()), sizing.ExactBound(e.Params().classes())
		require.LessOrEqual(t, size/bound, c.most, name)
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

// A key in neither list is mistaken for a rarer key with probability 2^-(r+1),
// r = floor(log2(ratio)). The error of the mean over 100,000 keys is at most
// 0.0016; the tolerance is five times as large, plus 3% for free slots.
func TestRateOfForeignKeys(t *testing.T) {
	for _, c := range []struct {
		rare, ratio, columns int
	}{{20_000, 1, 0}, {20_000, 3, 1}, {20_000, 5, 2}, {5_000, 50, 5}} {
		rare, common := universe(hashfam.Family{}, c.rare, c.rare*c.ratio)
		e, inverted := mustExact(t, hashfam.Family{}, rare, common), mustExact(t, hashfam.Family{}, common, rare)
		const queries = 100_000
		taken := 0
		for i := range uint64(queries) {
			d := hashfam.Family{}.SumUint64(1<<40 + i)
			if c.ratio > 1 && e.ContainsDigest(d) == inverted.ContainsDigest(d) {
				require.Fail(t, "the result should change when the lists are exchanged", "%x", d)
			}
			if e.ContainsDigest(d) {
				taken++
			}
		}
		want := math.Exp2(-float64(c.columns + 1))
		sigma := math.Sqrt(want * (1 - want) / queries)
		require.InDelta(t, want, float64(taken)/queries, 5*sigma+0.03*want)
	}
}

func TestKeysInBothListsAreErrors(t *testing.T) {
	for _, n := range []int{1, 3} {
		members, others := universe(hashfam.Family{}, 10, 1000)
		copy(others[7:], members[3:3+n])
		_, err := NewExact(t.Context(), ExactConfig{}, members, others)
		require.ErrorIs(t, err, ErrParams)
		require.EqualError(t, err, fmt.Sprintf(
			"static: invalid parameters: others = %d digests of members, want digests that are not in members", n))
	}
	both, e := []hashfam.Digest{7}, &Exact{exactReader{params: ExactParams{Members: 1, Others: 1}}}
	err := e.fill(t.Context(), ribbon.Build{Workers: 1}, both, slices.Clone(both)) // the build ends even without the check
	require.ErrorIs(t, buildError(err, 0), ErrParams)
	require.ErrorIs(t, err, ribbon.ErrLayers)
	_, err = NewExact(t.Context(), ExactConfig{Workers: -1}, nil, nil)
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "ExactConfig.Workers = -1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	members, others := universe(hashfam.Family{}, 1000, 5000)
	_, err = NewExact(ctx, ExactConfig{}, members, others)
	require.ErrorIs(t, err, context.Canceled)
}

// If someone chooses the digests, the result needs more memory, but the build
// ends and no result is wrong.
func TestChosenDigestsGiveRightResults(t *testing.T) {
	const n = 20_000
	for name, digest := range map[string]func(i uint64) hashfam.Digest{
		"consecutive":            func(i uint64) hashfam.Digest { return hashfam.Digest(i) },
		"one prefix":             func(i uint64) hashfam.Digest { return hashfam.Digest(0xabcdef0123<<24 | i) },
		"one prefix of starts":   func(i uint64) hashfam.Digest { return conformance.Probing(0xabcdef0123<<24 | i) },
		"consecutive from zero":  conformance.Probing,
		"high bits":              func(i uint64) hashfam.Digest { return hashfam.Digest(i << 40) },
		"high bits of the start": func(i uint64) hashfam.Digest { return conformance.Probing(i << 40) },
	} {
		for _, ratio := range []int{1, 7} {
			var members, others []hashfam.Digest
			for i := range uint64(n) {
				if i%uint64(ratio+1) == 0 {
					members = append(members, digest(i))
				} else {
					others = append(others, digest(i))
				}
			}
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
// differ. Decoders and views must reject it, and the receiver must not change.
// If the header is enough to detect this, ReadExactParams should also return an
// error.
func TestContradictoryNumbersAreCorrupt(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)() // 3 columns
	good, err := e.MarshalBinary()
	require.NoError(t, err)
	set := func(at int, n uint64) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[at:], n)
			return b
		}
	}
	unused := func(level, layers int) func([]byte) []byte { // the last byte of the first layer's thresholds
		return func(b []byte) []byte {
			b[64+level+8*(layers-1)+7] |= 0x80
			return b
		}
	}
	for _, c := range []struct {
		change func([]byte) []byte
		text   string
		header bool
	}{
		{set(24, 1<<48+1), "keys = ", true},
		{set(32, 1<<48+1), "keys = ", true},
		{set(24, 0), "keys that pass = ", true},
		{set(40, 99), "keys that pass = 99, want 100 to 1100", true},
		{set(40, 1101), "keys that pass = 1101, want 100 to 1100", true},
		{set(32, 190), "keys that pass = ", true}, // ratio 1: all keys pass
		{set(40, 1100), "payload length", true},
		{set(16, 4096), "payload length", true},
		{set(16, 1<<40), "payload length", true},
		{set(48, 0), "layers = 0", true},
		{set(48, 33), "layers = 33", true},
		{set(48, 1), "layers = 0", true},
		{set(48, 1<<16|uint64(e.class.Shape().Layers)<<8|uint64(e.filter.Shape().Layers)), "parameters = ", true},
		{func(b []byte) []byte { // an additional word
			return slices.Insert(set(16, e.params.Bytes+8)(b), len(b)-8, make([]byte, 8)...)
		}, "payload length", false},
		{func(b []byte) []byte { // a missing word
			return slices.Delete(set(16, e.params.Bytes-8)(b), len(b)-16, len(b)-8)
		}, "payload length", false},
		{unused(0, e.filter.Shape().Layers), "bits after the last threshold", false},
		{unused(int(e.filter.PayloadBytes()), e.class.Shape().Layers), "bits after the last threshold", false},
	} {
		b := c.change(bytes.Clone(good))
		conformance.Reseal(b)
		_, params := ReadExactParams(bytes.NewReader(b), hashfam.Family{})
		g := goldenExact(hashfam.Family{}, 3, 4)()
		_, read := g.ReadFrom(bytes.NewReader(b))
		v, view := NewExactView(b, hashfam.Family{})
		if view == nil {
			view = v.Verify()
		}
		for i, err := range []error{params, g.UnmarshalBinary(b), read, view} {
			if !errors.Is(err, errors.ErrUnsupported) && (i > 0 || c.header) {
				require.ErrorIs(t, err, ErrCorrupt, c.text)
				require.True(t, i > 0 && c.header || strings.Contains(err.Error(), c.text), "%v, want %s", err, c.text)
			}
		}
		require.True(t, g.Equal(goldenExact(hashfam.Family{}, 3, 4)()), "the receiver must not change")
	}
}

// If these rules change, existing frames can no longer be decoded.
func TestLimitsOfTheExactFormat(t *testing.T) {
	require.True(t, ExactParams{Members: 5, Others: 5}.direct(), "at equal numbers, the members count as the rarer class")
	require.NoError(t, exactShape{ExactParams: ExactParams{Others: ribbon.MaxKeys}}.check())
}

func TestEqualComparesBothLevels(t *testing.T) {
	e := goldenExact(hashfam.Family{}, 100, 1000)()
	members, others := universe(hashfam.Family{}, 100, 1000)
	other := mustExact(t, hashfam.Family{}, members, others)
	filter, class := *e, *e
	filter.filter, class.class = other.filter, other.class
	require.True(t, e.Equal(e))
	require.False(t, e.Equal(&filter))
	require.False(t, e.Equal(&class))
}
