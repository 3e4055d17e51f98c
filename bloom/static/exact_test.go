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
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame/frametest"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// requireExact looks up every key, using single calls and a batch.
func requireExact(t require.TestingT, name string, f *Filter, members, absent []hashfam.Digest) {
	all := append(members[:len(members):len(members)], absent...)
	for i, found := range f.ContainsAll(nil, all) {
		if member := i < len(members); found != member || f.ContainsDigest(all[i]) != member {
			require.Fail(t, "a wrong result", "%s: key %d, %x", name, i, all[i])
		}
	}
}

// universe returns two disjoint lists of digests.
func universe(fam hashfam.Family, a, b int) (members, absent []hashfam.Digest) {
	digests := make([]hashfam.Digest, a+b)
	for i := range digests {
		digests[i] = fam.SumUint64(uint64(i))
	}
	return digests[:a:a], digests[a:]
}

// strangers returns digests of keys in no universe.
func strangers(fam hashfam.Family, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = fam.SumUint64(1<<40 + uint64(i))
	}
	return digests
}

// mustExact builds a filter from copies of the digests.
func mustExact(t require.TestingT, c Config, members, absent []hashfam.Digest) *Filter {
	f, err := NewExact(context.Background(), c, slices.Clone(members), slices.Clone(absent))
	require.NoError(t, err)
	return f
}

// Each of up to 100 families has its own numbers of keys and its own rate. No
// result for a key in a list may be wrong. The number of strangers that are
// found has a binomial distribution with the filter's rate, so it differs from
// the mean by more than six standard deviations plus one with probability below
// 1e-8. The rate must not exceed FPRate by more than 3%.
func TestListsAreRightAndStrangersAreRare(t *testing.T) {
	machine.Matters(t)
	families := 100
	if testing.Short() {
		families = 20
	}
	const queries = 20_000
	sizes := []int{0, 1, 3, 10, 100, 1000, 10_000, 100_000}
	rates := []float64{0.5, 0.9, 0.3, 0.1, 0.01, 1. / 128, 1e-3, 1e-4, 1e-6, 1}
	for i := range families {
		fam := hashfam.New(hashfam.Key{byte(i), 7})
		c := Config{FPRate: rates[i%len(rates)], Family: fam}
		members, absent := universe(fam, sizes[i%len(sizes)], sizes[(i/2+i/8)%len(sizes)])
		name := fmt.Sprintf("family %d, rate %g, %d and %d keys", i, c.FPRate, len(members), len(absent))
		f := mustExact(t, c, members, absent)
		requireExact(t, name, f, members, absent)
		require.Equal(t, uint64(len(members)), f.Len(), name)
		require.Equal(t, uint64(len(absent)), f.Params().Absent, name)
		found := 0
		for _, is := range f.ContainsAll(nil, strangers(fam, queries)) {
			if is {
				found++
			}
		}
		rate := f.FalsePositiveRate()
		sigma := math.Sqrt(queries * rate * (1 - rate))
		require.InDelta(t, queries*rate, found, 6*sigma+1, name)
		if c.FPRate < 1 {
			require.LessOrEqual(t, rate, c.FPRate*1.03, name) // lower if there are few keys
		}
	}
}

// If the first ribbon of a filter has c columns for R members, and S p of S
// absent keys pass it, the filter needs R (c+1) + S p bits. The ribbons need up
// to 2% and a few segments more.
func TestSizeFollowsFromBothLists(t *testing.T) {
	for _, rate := range []float64{0.4, 0.1, 0.01, 1e-3, 1e-6} {
		for _, members := range []int{10_000, 30_000} {
			for _, absent := range []int{0, 1000, 10_000, 100_000, 300_000} {
				c := Config{FPRate: rate}
				a, b := universe(hashfam.Family{}, members, absent)
				f := mustExact(t, c, a, b)
				bits := float64(8 * f.Params().SizeBytes())
				want := float64(members) * float64(f.Params().columns) / 65536
				if absent > 0 {
					columns, _ := sizing.RibbonColumns(2*rate, 0)
					require.GreaterOrEqual(t, f.Params().columns, columns)
					want += float64(members) + float64(absent)*sizing.RibbonRate(f.Params().columns, 0)
				}
				require.LessOrEqual(t, bits, 1.02*want+0.02*float64(members)+600, "rate %g, %d and %d keys", rate, members, absent)
				estimate, err := c.EstimatedBytes(uint64(members), uint64(absent))
				require.NoError(t, err)
				require.InEpsilon(t, bits, float64(8*estimate), 0.02, "rate %g, %d and %d keys", rate, members, absent)
			}
		}
	}
}

// docs/theory.md contains these sizes. With as many absent keys as members, a
// filter needs at most 6.80 bits per member, and 7.03 with ten times as many.
func TestBitsPerMemberAreDocumented(t *testing.T) {
	machine.Matters(t)
	const members, rate = 1_000_000, 0.01
	for _, c := range []struct {
		absent int
		text   string
		most   float64
	}{{0, "0", 6.77}, {100_000, "100,000", 6.79}, {1_000_000, "1,000,000", 6.80}, {10_000_000, "10,000,000", 7.03}} {
		if testing.Short() && c.absent > members {
			continue
		}
		a, b := universe(hashfam.Family{}, members, c.absent)
		f := mustExact(t, Config{FPRate: rate}, a, b)
		bits := 8 * float64(f.Params().SizeBytes()) / members
		t.Logf("%s absent keys: %.3f bits per member", c.text, bits)
		require.LessOrEqual(t, bits, c.most)
		checks.Documented(t, "theory.md", "| %s | %.2f | %.2f |", c.text, sizing.ListsBound(members, uint64(c.absent), rate)/members, bits)
	}
}

// With FPRate 1, a filter that is right about both lists needs up to 1.108
// times the least possible size, depending on the ratio of their lengths, and
// 1% to 2% more for the ribbons. If the lists are exchanged, all results
// change, but the size does not.
func TestSmallestFilterDependsOnTheRatio(t *testing.T) {
	queries := strangers(hashfam.Family{}, 50_000)
	for _, c := range []struct {
		rare, ratio, columns int
		most                 float64
	}{{20_000, 1, 0, 1.025}, {10_000, 3, 1, 1.12}, {10_000, 4, 2, 1.14}, {5_000, 5, 2, 1.13}, {5_000, 50, 5, 1.13}} {
		rare, common := universe(hashfam.Family{}, c.rare, c.rare*c.ratio)
		f := mustExact(t, Config{FPRate: 1}, rare, common)
		inverse := mustExact(t, Config{FPRate: 1}, common, rare)
		requireExact(t, "members are rarer", f, rare, common)
		requireExact(t, "absent keys are rarer", inverse, common, rare)
		require.LessOrEqual(t, 8*float64(f.SizeBytes())/sizing.ExactBound(uint64(c.rare), uint64(len(common))), c.most, "%+v", c)
		require.Equal(t, f.SizeBytes(), inverse.SizeBytes())
		opposite := inverse.ContainsAll(nil, queries)
		for i, is := range f.ContainsAll(nil, queries) {
			require.True(t, c.ratio == 1 || is != opposite[i], "the result should change when the lists are exchanged")
		}
		require.InEpsilon(t, math.Exp2(-float64(c.columns+1)), f.FalsePositiveRate(), 0.03, "%+v", c)
	}
}

// If all keys pass the first ribbon, it has no columns and no layers, so String
// does not print their numbers.
func TestStringOfAFilterWithoutColumns(t *testing.T) {
	members, absent := universe(hashfam.Family{}, 500, 500)
	for _, c := range []struct {
		rate            float64
		members, absent []hashfam.Digest
		want            string
	}{
		{1, members, absent, "500 keys, 500 absent keys, exact for these keys, 160 bytes"},
		{0.9, members, absent[:100], "500 keys, 100 absent keys, exact for these keys, 112 bytes"},
		{1, members, nil, "500 keys, exact for these keys, 0 bytes"},
		{1, nil, absent, "0 keys, 500 absent keys, exact for these keys, 0 bytes"},
		{1, members, absent[:100], "500 keys, 100 absent keys, 2 columns, 1 layers, 104 bytes"},
		{1, nil, nil, "0 keys, 1 columns, 0 layers, 0 bytes"},
	} {
		f := mustExact(t, Config{FPRate: c.rate}, c.members, c.absent)
		require.Equal(t, "static.Filter("+c.want+", family public)", f.String())
	}
	require.Equal(t, "static.Filter(0 keys, 0 columns, 0 layers, 0 bytes, family public)", Filter{}.String())
}

// Without absent keys, NewExact returns the filter that New returns.
func TestNoAbsentKeysGiveAPlainFilter(t *testing.T) {
	for _, c := range []Config{{FPRate: 0.01}, {FPRate: 0.9}, {MemoryBytes: 2000}} {
		for _, n := range []int{0, 1, 2000} {
			members, _ := universe(hashfam.Family{}, n, 0)
			f := mustExact(t, c, members, nil)
			require.True(t, f.Equal(mustBuild(t, c, slices.Clone(members))))
		}
	}
}

// If the memory determines the rate, the filter uses at least 97% of it, or has
// the highest number of columns.
func TestMemoryDeterminesTheRateBesideAbsentKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members, absent := universe(hashfam.Family{}, rapid.IntRange(0, 3000).Draw(t, "members"), rapid.IntRange(1, 3000).Draw(t, "absent"))
		c := Config{MemoryBytes: rapid.Uint64Range(0, 12_000).Draw(t, "memory")}
		f, err := NewExact(context.Background(), c, slices.Clone(members), slices.Clone(absent))
		smallest := mustExact(t, Config{FPRate: 0.9}, members, absent).Params().SizeBytes()
		if err != nil {
			require.ErrorIs(t, err, hashfam.ErrParams)
			require.Less(t, c.MemoryBytes, smallest+smallest/20+256)
			return
		}
		requireExact(t, "filled", f, members, absent)
		size := f.Params().SizeBytes()
		require.LessOrEqual(t, size, c.MemoryBytes)
		if f.Params().columns < ribbon.MaxColumns && len(members) > 0 {
			require.GreaterOrEqual(t, size+size/33+600, c.MemoryBytes)
		}
	})
}

func TestMemoryLimitsBothRibbons(t *testing.T) {
	members, absent := universe(hashfam.Family{}, 10_000, 100_000)
	c := Config{FPRate: 0.001}
	size := mustExact(t, c, members, absent).Params().SizeBytes()
	c.MemoryBytes = size
	mustExact(t, c, members, absent)
	c.MemoryBytes--
	_, err := NewExact(t.Context(), c, slices.Clone(members), slices.Clone(absent))
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.ErrorContains(t, err, fmt.Sprintf("want at least %d for FPRate 0.001, or FPRate 0.00", size))
}

func TestInvalidArgumentsOfNewExact(t *testing.T) {
	for n, want := range map[int]string{
		1: "absent = 1 digest that is also in members, want digests that are not in members",
		3: "absent = 3 digests that are also in members, want digests that are not in members",
	} {
		members, absent := universe(hashfam.Family{}, 10, 1000)
		copy(absent[7:], members[3:3+n])
		_, err := NewExact(t.Context(), Config{FPRate: 0.1}, members, absent)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.EqualError(t, err, "static: invalid parameters: "+want)
	}
	both := []hashfam.Digest{7}
	_, err := ribbon.Separated(t.Context(), ribbon.Build{Workers: 1}, 0, both, slices.Clone(both), false) // the build ends even without the check
	require.ErrorIs(t, err, ribbon.ErrLayers)
	require.ErrorIs(t, buildError(err), hashfam.ErrParams)
	for want, c := range map[string]Config{
		"Config.Workers = -1": {FPRate: 1, Workers: -1},
		"Config.FPRate = 0":   {},
		"Config.FPRate = 1.5": {FPRate: 1.5},
		"Config.FPRate = NaN": {FPRate: math.NaN()},
	} {
		_, err := NewExact(t.Context(), c, nil, nil)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, want)
	}
	_, err = NewExact(nil, Config{FPRate: 0.1}, nil, nil) //nolint:staticcheck
	require.ErrorIs(t, err, hashfam.ErrParams)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = NewExact(ctx, Config{FPRate: 0.1}, []hashfam.Digest{1}, []hashfam.Digest{2})
	require.ErrorIs(t, err, context.Canceled)
	_, err = Config{FPRate: 0.1}.EstimatedBytes(1, ribbon.MaxKeys+1)
	require.ErrorContains(t, err, "absent = 281474976710657")
}

func TestProgressOfNewExact(t *testing.T) {
	for _, c := range []Config{{FPRate: 0.01}, {FPRate: 1}, {MemoryBytes: 3000}} {
		members, absent := universe(hashfam.Family{}, 1000, 2000)
		last, total := uint64(0), uint64(0)
		c.Progress = func(done, of uint64) {
			require.Greater(t, done, last)
			last = done
			total = of
		}
		_, err := NewExact(t.Context(), c, members, absent)
		require.NoError(t, err)
		require.Equal(t, total, last)
	}
}

// If someone chooses the digests, the result needs more memory, but the build
// ends and no result is wrong. The first and the last digest make all bits
// differ, since digests with a constant bit are refused.
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
			lists := [2][]hashfam.Digest{{math.MaxUint64, 1 << 23}, {math.MaxUint64 - 1, 1<<23 + 1}}
			for i := range uint64(n) {
				list := &lists[min(1, i%share)]
				*list = append(*list, digest(i))
			}
			members, absent := lists[0], lists[1]
			for _, rate := range []float64{1, 0.01} {
				f := mustExact(t, Config{FPRate: rate}, members, absent)
				requireExact(t, name, f, members, absent)
				require.Less(t, f.SizeBytes(), uint64(8*n), name)
			}
			f := mustBuild(t, Config{FPRate: 0.01}, slices.Clone(members))
			require.NotContains(t, f.ContainsAll(nil, members), false, name)
			require.LessOrEqual(t, f.SizeBytes(), uint64(4*len(members)), name)
		}
	}
}

// Numbers are not digests: a filter of 2,000 multiples of 2^40 would find
// every other multiple.
func TestDigestsMustBeHashes(t *testing.T) {
	numbers := func(n int) (digests []hashfam.Digest) {
		for i := range n {
			digests = append(digests, hashfam.Digest(i)<<40)
		}
		return digests
	}
	hashes, _ := universe(hashfam.Family{}, 200, 0)
	c := Config{FPRate: 0.01}
	for name, build := range map[string]func([]hashfam.Digest) error{
		"New":     func(d []hashfam.Digest) error { _, err := New(t.Context(), c, d); return err },
		"a frame": func(d []hashfam.Digest) error { _, err := AppendFrame(t.Context(), nil, c, d); return err },
		"members": func(d []hashfam.Digest) error {
			_, err := NewExact(t.Context(), c, d, slices.Clone(hashes))
			return err
		},
		"absent": func(d []hashfam.Digest) error {
			_, err := NewExact(t.Context(), c, slices.Clone(hashes), d)
			return err
		},
		"a stream": func(d []hashfam.Digest) error {
			_, err := NewFromSorted(t.Context(), c, uint64(len(d)), slices.Values(ascending(d)))
			return err
		},
	} {
		require.NoError(t, build(numbers(99)), name)
		err := build(numbers(100))
		require.ErrorIs(t, err, hashfam.ErrParams, name)
		require.ErrorContains(t, err, "digests = 100 values with the same bit 0, want hashes", name)
	}
	shard := make([]hashfam.Digest, 0, 200)
	for _, d := range hashes {
		shard = append(shard, d&(1<<48-1))
	}
	require.NoError(t, newError(t, c, shard), "digests of a shard have the same highest bits")
	require.NoError(t, newError(t, c, slices.Repeat(hashes[:1], 1000)), "copies of a digest are one digest")
}

// newError returns the error of New.
func newError(t *testing.T, c Config, digests []hashfam.Digest) error {
	_, err := New(t.Context(), c, digests)
	return err
}

// A frame with correct checksums is corrupt if its numbers contradict each
// other, or if an unused bit is set, since two equal structures could otherwise
// differ. Decoders and views must reject it. If the header is enough to detect
// this, ReadParams should also return an error.
func TestContradictoryNumbersAreCorrupt(t *testing.T) {
	machine.Matters(t)
	f := goldenExact(Config{FPRate: 1}, 100, 1000)().(*Filter) // 3 columns
	good, err := f.MarshalBinary()
	require.NoError(t, err)
	const keys, columns, absent, passed = 24, 32, 40, 48
	layers := uint64(f.Params().layers)<<32 | uint64(f.ribbon.Class().Shape().Layers)<<40
	for _, c := range []struct {
		at   int
		n    uint64
		text string
	}{
		{keys, 1<<48 + 1, "keys = "},
		{absent, 1<<48 + 1, "absent keys = "},
		{keys, 0, "keys that pass = "},
		{passed, 99, "keys that pass = 99, want 100 to 1100"},
		{passed, 1101, "keys that pass = 1101, want 100 to 1100"},
		{columns, layers, "keys that pass = "}, // without columns all keys pass
		{absent, 0, "keys that pass = "},       // a plain filter has no second ribbon
		{passed, 1100, "payload length"},
		{16, 4096, "payload length"},
		{16, 1 << 40, "payload length"},
		{columns, layers | 33<<16, "columns = "},
		{columns, 3 << 16, "layers = 0"},
		{columns, 3<<16 | 33<<32 | 1<<40, "layers = 33"},
		{columns, 3<<16 | 1<<32, "layers = 0"},
		{columns, 3<<16 | layers | 1<<48, "absent keys = 1000, want fewer than keys"},
		{columns, 3<<16 | layers | 2<<48, "byte 14 of the parameters = 2"},
		{columns, 3<<16 | layers | 1<<56, "byte 15 of the parameters = 1"},
	} {
		b := frametest.Set(good, map[int]uint64{c.at: c.n})
		_, err = ReadParams(bytes.NewReader(b), hashfam.Family{})
		require.ErrorIs(t, err, hashfam.ErrCorrupt, c.text)
		require.ErrorContains(t, err, c.text)
		require.ErrorIs(t, new(Filter).UnmarshalBinary(b), hashfam.ErrCorrupt, c.text)
		_, err = NewView(b, hashfam.Family{})
		require.ErrorIs(t, err, hashfam.ErrCorrupt, c.text)
		_, err = NewFrameReader(hashfam.Family{}).ContainsDigest(b, 1)
		require.ErrorIs(t, err, hashfam.ErrCorrupt, c.text)
	}
	longer := frametest.Set(good, map[int]uint64{frametest.Payload: f.Params().SizeBytes() + 8})
	longer = frametest.Seal(slices.Insert(longer, len(longer)-8, make([]byte, 8)...))
	require.ErrorContains(t, new(Filter).UnmarshalBinary(longer), "payload length")
	class := f.ribbon.Class()
	for level, at := range map[*ribbon.Ribbon]int{&f.ribbon: 64, class: 64 + int(f.ribbon.PayloadBytes()-class.PayloadBytes())} {
		at += 8*(level.Shape().Layers-1) + 7 // the last byte of the first layer's thresholds
		b := bytes.Clone(good)
		b[at] |= 0x80
		b = frametest.Seal(b)
		require.ErrorContains(t, new(Filter).UnmarshalBinary(b), "bits after the last threshold")
		if v, err := NewView(b, hashfam.Family{}); !errors.Is(err, errors.ErrUnsupported) {
			require.ErrorIs(t, v.Verify(), hashfam.ErrCorrupt)
		}
	}
}

func TestPlainFramesHaveNoSecondRibbon(t *testing.T) {
	good, err := golden(Config{FPRate: 0.01}, 300)().(*Filter).MarshalBinary()
	require.NoError(t, err)
	params := uint64(good[37])<<40 | uint64(good[36])<<32
	for at, want := range map[int]struct {
		n    uint64
		text string
	}{
		32: {params, "columns = 0, want at least 1"},
		48: {7, "keys that pass = 7, want 0"},
	} {
		b := frametest.Set(good, map[int]uint64{at: want.n})
		require.ErrorContains(t, new(Filter).UnmarshalBinary(b), want.text)
	}
	b := bytes.Clone(good)
	b[37] = 1
	require.ErrorContains(t, new(Filter).UnmarshalBinary(frametest.Seal(b)), "layers of the second ribbon = 1, want 0")
}

// If these rules change, existing frames can no longer be decoded.
func TestLimitsOfExactFrames(t *testing.T) {
	machine.Matters(t)
	require.False(t, hashfam.Must(Config{FPRate: 1}.plan(5, 5)).inverse, "the members are in the first ribbon if the numbers are equal")
	require.NoError(t, shape{Params: Params{Absent: ribbon.MaxKeys}, lists: lists{others: ribbon.MaxKeys}, class: ribbon.Shape{Columns: ribbon.OneColumn}}.check())
}

func TestEqualComparesBothRibbons(t *testing.T) {
	f := goldenExact(Config{FPRate: 1}, 100, 1000)().(*Filter)
	other := mustExact(t, Config{FPRate: 1}, numbered(hashfam.Family{}, 100, "key "), numbered(hashfam.Family{}, 1000, "other "))
	require.True(t, f.Equal(f))
	require.False(t, f.Equal(other))
	counts := *f
	counts.others++
	require.False(t, f.Equal(&counts))
	inverse := *f
	inverse.ribbon.Separate(f.ribbon.Class(), true)
	require.False(t, f.Equal(&inverse))
	plain := *f
	plain.ribbon.Separate(nil, false)
	require.False(t, f.Equal(&plain))
	require.False(t, plain.Equal(f))
}

// The errors of a FrameReader name what it cannot read.
func TestFrameReadersRefuseAbsentKeys(t *testing.T) {
	b, err := goldenExact(Config{FPRate: 0.01}, 100, 120)().MarshalBinary()
	require.NoError(t, err)
	found, err := NewFrameReader(hashfam.Family{}).ContainsDigest(b, 1)
	require.True(t, found)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.ErrorContains(t, err, "frame = a static filter with absent keys, want one without them; use NewView")
}
