package static

import (
	"context"
	"encoding/binary"
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
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestEveryMemberIsFound(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64()).Draw(t, "keys")
		f := mustBuild(t, Config{FPRate: 0.01}, hashfam.Family{}.SumAllUint64(nil, keys))
		for _, key := range keys {
			require.True(t, f.ContainsDigest(hashfam.Family{}.SumUint64(key)))
		}
	})
}

func TestOrderAndCopiesOfKeysDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Uint64(), 1, -1).Draw(t, "keys")
		others := append(rapid.Permutation(keys).Draw(t, "in another order"), keys[0])
		f := mustBuild(t, Config{FPRate: 0.01}, hashfam.Family{}.SumAllUint64(nil, keys))
		require.True(t, f.Equal(mustBuild(t, Config{FPRate: 0.01}, hashfam.Family{}.SumAllUint64(nil, others))))
	})
}

func TestDecodingGivesTheEncodedFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64()).Draw(t, "keys")
		f, g := mustBuild(t, Config{FPRate: 0.01}, hashfam.Family{}.SumAllUint64(nil, keys)), new(Filter)
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalBinary(b))
		require.True(t, g.Equal(f))
	})
}

// filters describes how a Filter is built, encoded and printed.
var filters = conformance.Structure{
	Type:     conformance.Of[Params](NewReceiver),
	Builders: builders,
	Golden: map[string]func() conformance.Encoded{
		"static.bin":       golden(Config{FPRate: 0.01}, 1000),
		"staticempty.bin":  golden(Config{FPRate: 0.01}, 0),
		"staticnarrow.bin": golden(Config{FPRate: math.Ldexp(1, -7)}, 300),
		"statickeyed.bin":  golden(Config{FPRate: 0.3, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 2000),
	},
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<40)
		binary.LittleEndian.PutUint32(params[8:], 1<<16)
		params[12] = 2
		return 1 << 38
	},
	Header: conformance.Untyped(ReadParams),
	View:   conformance.Untyped(NewView),
	Ask:    askFrame,
	Reads:  func(f conformance.Encoded) []any { return []any{Config{FPRate: 0.01, Family: f.Family()}} },
}

// exacts describes how a filter with absent keys is built, encoded and printed.
var exacts = conformance.Structure{
	Type:      conformance.Of[Params](NewReceiver),
	Builders:  exactBuilders,
	Invariant: conformance.On(findNoAbsentKey),
	Golden: map[string]func() conformance.Encoded{
		"exact.bin":          goldenExact(Config{FPRate: 0.01}, 100, 120),
		"exact-smallest.bin": goldenExact(Config{FPRate: 1}, 50, 300),
		"exact-inverse.bin":  goldenExact(Config{FPRate: 1}, 1500, 100),
		"exact-empty.bin":    goldenExact(Config{FPRate: 0.1}, 0, 5),
		"exact-keyed.bin":    goldenExact(Config{FPRate: 0.3, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 50, 300),
	},
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<35)
		binary.LittleEndian.PutUint32(params[8:], 5<<16)
		params[12] = 2
		params[13] = 2
		params[14] = 0
		binary.LittleEndian.PutUint64(params[16:], 1<<40)
		binary.LittleEndian.PutUint64(params[24:], 1<<36)
		return 1 << 35
	},
	Header: conformance.Untyped(ReadParams),
	View:   conformance.Untyped(NewView),
	Reads:  func(f conformance.Encoded) []any { return []any{Config{FPRate: 0.01, Family: f.Family()}} },
}

// askFrame returns a FrameReader's query. It decodes frames of filters with
// absent keys, for which the FrameReader must return an error.
func askFrame(fam hashfam.Family) conformance.Asker {
	r := NewFrameReader(fam)
	return func(frame []byte, d hashfam.Digest) (bool, error) {
		found, err := r.ContainsDigest(frame, d)
		if err == nil || !errors.Is(err, hashfam.ErrParams) {
			return found, err
		}
		f := NewReceiver(fam)
		err = f.UnmarshalBinary(frame)
		return err != nil || f.ContainsDigest(d), err
	}
}

func TestFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, filters.Run)
}
func TestFilterFrames(t *testing.T) {
	machine.Matters(t)
	filters.Test(t)
}
func TestExact(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, exacts.Run)
}
func TestExactFrames(t *testing.T) {
	machine.Matters(t)
	exacts.Test(t)
}
func FuzzFilter(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(filters.Run)) }
func FuzzChangedFilterFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(filters.Change)) }
func FuzzFilterFrames(f *testing.F)        { filters.Fuzz(f) }
func FuzzExact(f *testing.F)               { f.Fuzz(rapid.MakeFuzz(exacts.Run)) }
func FuzzChangedExactFrames(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(exacts.Change)) }
func FuzzExactFrames(f *testing.F)         { exacts.Fuzz(f) }

// builders draws a rate and returns functions that build a filter with it.
func builders(t *rapid.T, fam hashfam.Family) map[string]conformance.Builder {
	rate := rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-3, 1e-9}).Draw(t, "rate")
	c, ctx := Config{FPRate: rate, Family: fam}, context.Background()
	several := c
	several.Workers = 3
	return map[string]conformance.Builder{
		"at once":         func(digests []hashfam.Digest) (conformance.Encoded, error) { return New(ctx, c, digests) },
		"by some workers": func(digests []hashfam.Digest) (conformance.Encoded, error) { return New(ctx, several, digests) },
		"from a sorted sequence": func(digests []hashfam.Digest) (conformance.Encoded, error) {
			digests = ascending(digests)
			var copies []hashfam.Digest
			for _, d := range digests {
				copies = append(copies, d, d)
			}
			return NewFromSorted(ctx, c, uint64(len(digests)), slices.Values(copies))
		},
		"as a frame": func(digests []hashfam.Digest) (conformance.Encoded, error) {
			b, err := AppendFrame(ctx, []byte("before"), c, digests)
			if err != nil {
				return nil, err
			}
			f := NewReceiver(fam)
			return f, f.UnmarshalBinary(b[len("before"):])
		},
	}
}

// exactBuilders draws a rate and a number of absent keys, and returns all ways
// to build a filter with them.
func exactBuilders(t *rapid.T, fam hashfam.Family) map[string]conformance.Builder {
	rate := rapid.SampledFrom([]float64{1, 0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-3, 1e-9}).Draw(t, "rate")
	n := rapid.SampledFrom([]int{0, 1, 5, 50, 400}).Draw(t, "absent")
	absent := numbered(fam, n, "absent ")
	reversed := append(slices.Clone(absent), absent[:n/2]...) // with copies
	slices.Reverse(reversed)
	build := func(workers int, absent []hashfam.Digest) conformance.Builder {
		return func(digests []hashfam.Digest) (conformance.Encoded, error) {
			c := Config{FPRate: rate, Family: fam, Workers: workers}
			return NewExact(context.Background(), c, digests, slices.Clone(absent))
		}
	}
	return map[string]conformance.Builder{
		"by one worker": build(1, absent), "by some workers": build(3, reversed), "in reverse": build(1, reversed),
	}
}

// findNoAbsentKey checks that no absent key is found.
func findNoAbsentKey(m *conformance.Machine, f, _ *Filter) {
	absent := numbered(m.Family, int(f.Params().Absent), "absent ")
	require.NotContains(m, f.ContainsAll(nil, absent), true)
	require.Equal(m, conformance.Total(m.Counts), f.Len())
}

// golden returns a function that builds a filter of n keys.
func golden(c Config, n int) func() conformance.Encoded {
	return func() conformance.Encoded {
		f, err := New(context.Background(), c, numbered(c.Family, n, "key "))
		if err != nil {
			panic(err)
		}
		return f
	}
}

// goldenExact returns a function that builds a filter of numbered keys.
func goldenExact(c Config, members, absent int) func() conformance.Encoded {
	return func() conformance.Encoded {
		f, err := NewExact(context.Background(), c, numbered(c.Family, members, "key "), numbered(c.Family, absent, "absent "))
		if err != nil {
			panic(err)
		}
		return f
	}
}

// numbered returns the digests of n keys that begin with the prefix.
func numbered(fam hashfam.Family, n int, prefix string) (digests []hashfam.Digest) {
	for i := range n {
		digests = append(digests, fam.SumString(fmt.Sprint(prefix, i)))
	}
	return digests
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	checks.ZeroValues(t, "^static: use of a zero [A-Z].*: make it with New", new(Filter), FrameReader{}, NewReceiver(keyed))
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := 50_000
	if checks.Long(t, 0.5, 2.5) {
		n = 100_000_000
	}
	digests, _ := universe(hashfam.Family{}, n, 0)
	f := mustBuild(t, Config{FPRate: 0.01}, digests)
	checks.LargeSet(t, uint64(n), nil, checks.Rated{Contains: f.ContainsAll, Rate: f.FalsePositiveRate()})
}
