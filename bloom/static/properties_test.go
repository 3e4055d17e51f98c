package static

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestEveryMemberIsFound(t *testing.T) {
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
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64()).Draw(t, "keys")
		f, g := mustBuild(t, Config{FPRate: 0.01}, hashfam.Family{}.SumAllUint64(nil, keys)), new(Filter)
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalBinary(b))
		require.True(t, g.Equal(f))
	})
}

// filters describes how to build and test a Filter.
var filters = conformance.Structure[*Filter]{
	Builders:  builders,
	Receiver:  NewReceiver,
	Questions: []func(*Filter) []conformance.Form{conformance.Contains[*Filter]},
	Len:       (*Filter).Len,
}

// frames describes how a Filter is encoded and printed.
var frames = conformance.Frames[*Filter]{
	Structure: filters,
	Golden: []conformance.Golden[*Filter]{
		{File: "static.bin", Build: golden(Config{FPRate: 0.01}, 1000)},
		{File: "staticempty.bin", Build: golden(Config{FPRate: 0.01}, 0)},
		{File: "staticnarrow.bin", Build: golden(Config{FPRate: math.Ldexp(1, -7)}, 300)},
		{File: "statickeyed.bin", Build: golden(Config{FPRate: 0.3, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 2000)},
	},
	Zero: func() *Filter { return new(Filter) },
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<40)
		binary.LittleEndian.PutUint32(params[8:], 1<<16)
		params[12] = 2
		return 1 << 38
	},
	Header: conformance.HeaderOf(ReadParams, (*Filter).Params),
	View:   conformance.Viewer[*Filter](NewView, func(v *View) []any { return reads(v) }, conformance.Contains[*View]),
	Ask:    func(fam hashfam.Family) conformance.Asker { return NewFrameReader(fam).ContainsDigest },
	Reads:  func(f *Filter) []any { return reads(f) },
	Shown:  func(f *Filter) []any { return []any{*f, f.Params(), Config{FPRate: 0.01, Family: f.Family()}} },
}

// exacts describes how to build and test an Exact.
var exacts = conformance.Structure[*Exact]{
	Builders:  exactBuilders,
	Receiver:  NewExactReceiver,
	Questions: []func(*Exact) []conformance.Form{conformance.Contains[*Exact]},
	Len:       func(e *Exact) uint64 { return e.Params().Members },
	Invariant: findNoOther,
}

// exactFrames describes how an Exact is encoded and printed.
var exactFrames = conformance.Frames[*Exact]{
	Structure: exacts,
	Golden: []conformance.Golden[*Exact]{
		{File: "exact.bin", Build: goldenExact(hashfam.Family{}, 100, 120)},
		{File: "exact-inverted.bin", Build: goldenExact(hashfam.Family{}, 1500, 100)},
		{File: "exact-empty.bin", Build: goldenExact(hashfam.Family{}, 0, 5)},
		{File: "exact-keyed.bin", Build: goldenExact(hashfam.New(hashfam.Key{1, 2, 3}), 50, 300)},
	},
	Zero: func() *Exact { return new(Exact) },
	ClaimHuge: func(params []byte) uint64 {
		for i, n := range []uint64{1 << 35, 1 << 40, 1 << 36} { // 5 columns
			binary.LittleEndian.PutUint64(params[8*i:], n)
		}
		params[24], params[25] = 2, 2
		return 1 << 35
	},
	Header: conformance.HeaderOf(ReadExactParams, (*Exact).Params),
	View: conformance.Viewer[*Exact](NewExactView, func(v *ExactView) []any { return []any{v.Params(), v.SizeBytes()} },
		conformance.Contains[*ExactView]),
	Reads: func(e *Exact) []any { return []any{e.Params(), e.SizeBytes()} },
	Shown: func(e *Exact) []any { return []any{*e, e.Params(), ExactConfig{Family: e.Family()}} },
}

func TestFilter(t *testing.T)              { rapid.Check(t, filters.Run) }
func TestFilterFrames(t *testing.T)        { frames.Test(t) }
func TestExact(t *testing.T)               { rapid.Check(t, exacts.Run) }
func TestExactFrames(t *testing.T)         { exactFrames.Test(t) }
func FuzzFilter(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(filters.Run)) }
func FuzzChangedFilterFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(frames.Change)) }
func FuzzFilterFrames(f *testing.F)        { frames.Fuzz(f) }
func FuzzExact(f *testing.F)               { f.Fuzz(rapid.MakeFuzz(exacts.Run)) }
func FuzzChangedExactFrames(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(exactFrames.Change)) }
func FuzzExactFrames(f *testing.F)         { exactFrames.Fuzz(f) }

// reads calls the methods that Filter and View share.
func reads(f interface {
	Params() Params
	SizeBytes() uint64
	Len() uint64
	FalsePositiveRate() float64
}) []any {
	return []any{f.Params(), f.SizeBytes(), f.Len(), f.FalsePositiveRate()}
}

// builders draws a rate and returns functions that build a filter with it.
func builders(t *rapid.T, fam hashfam.Family) map[string]func([]hashfam.Digest) (*Filter, error) {
	rate := rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-3, 1e-9}).Draw(t, "rate")
	c, ctx := Config{FPRate: rate, Family: fam}, context.Background()
	several := c
	several.Workers = 3
	return map[string]func([]hashfam.Digest) (*Filter, error){
		"at once":         func(digests []hashfam.Digest) (*Filter, error) { return New(ctx, c, digests) },
		"by some workers": func(digests []hashfam.Digest) (*Filter, error) { return New(ctx, several, digests) },
		"from a sorted sequence": func(digests []hashfam.Digest) (*Filter, error) {
			digests = ascending(digests)
			return NewFromSorted(ctx, c, uint64(len(digests)), func(yield func(hashfam.Digest) bool) {
				for _, d := range digests {
					if !yield(d) || !yield(d) { // and a copy
						return
					}
				}
			})
		},
		"as a frame": func(digests []hashfam.Digest) (*Filter, error) {
			b, err := AppendFrame(ctx, []byte("before"), c, digests)
			if err != nil {
				return nil, err
			}
			f := NewReceiver(fam)
			return f, f.UnmarshalBinary(b[len("before"):])
		},
	}
}

// exactBuilders draws a number of other keys and returns all ways to build an
// Exact with them.
func exactBuilders(t *rapid.T, fam hashfam.Family) map[string]func([]hashfam.Digest) (*Exact, error) {
	n := rapid.SampledFrom([]int{0, 1, 5, 50, 400}).Draw(t, "others")
	others := numbered(fam, n, "other ")
	reversed := append(slices.Clone(others), others[:n/2]...) // with copies
	slices.Reverse(reversed)
	build := func(workers int, others []hashfam.Digest) func([]hashfam.Digest) (*Exact, error) {
		return func(digests []hashfam.Digest) (*Exact, error) {
			c := ExactConfig{Family: fam, Workers: workers}
			return NewExact(context.Background(), c, digests, slices.Clone(others))
		}
	}
	return map[string]func([]hashfam.Digest) (*Exact, error){
		"by one worker": build(1, others), "by some workers": build(3, reversed), "in reverse": build(1, reversed),
	}
}

// findNoOther checks that none of the others is found.
func findNoOther(m *conformance.Machine[*Exact]) {
	others := numbered(m.Family, int(m.F.Params().Others), "other ")
	require.NotContains(m, m.F.ContainsAll(nil, others), true)
}

// golden returns a function that builds a filter of n keys.
func golden(c Config, n int) func() *Filter {
	return func() *Filter {
		f, err := New(context.Background(), c, numbered(c.Family, n, "key "))
		if err != nil {
			panic(err)
		}
		return f
	}
}

// goldenExact returns a function that builds an Exact of numbered keys.
func goldenExact(fam hashfam.Family, members, others int) func() *Exact {
	return func() *Exact {
		e, err := NewExact(context.Background(), ExactConfig{Family: fam},
			numbered(fam, members, "member "), numbered(fam, others, "other "))
		if err != nil {
			panic(err)
		}
		return e
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
	checks.ZeroValues(t, "^static: use of a zero [A-Z].*: make it with New", new(Filter), new(View), new(Exact), new(ExactView), FrameReader{},
		NewReceiver(keyed), NewExactReceiver(keyed))
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
