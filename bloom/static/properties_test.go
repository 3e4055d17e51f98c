package static

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/conformance/old"
)

// builders returns every way to build a filter with a rate.
func builders(t *rapid.T, fam hashfam.Family) []func([]hashfam.Digest) (*Filter, error) {
	rate := rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-3, 1e-9}).Draw(t, "rate")
	c, ctx := Config{FPRate: rate, Family: fam}, context.Background()
	several := c
	several.Workers = 3
	return []func([]hashfam.Digest) (*Filter, error){
		func(digests []hashfam.Digest) (*Filter, error) { return New(ctx, c, digests) },
		func(digests []hashfam.Digest) (*Filter, error) { return New(ctx, several, digests) },
		func(digests []hashfam.Digest) (*Filter, error) {
			digests = ascending(digests)
			return NewFromSorted(ctx, c, uint64(len(digests)), slices.Values(digests))
		},
		func(digests []hashfam.Digest) (*Filter, error) { // in steps, as users append
			for i := range 3 {
				if _, err := New(ctx, c, digests[:len(digests)*i/3]); err != nil {
					return nil, err
				}
			}
			return New(ctx, c, digests)
		},
	}
}

// filters declares a Filter.
var filters = old.Suite[*Filter]{
	Receiver: NewReceiver,
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<40)
		binary.LittleEndian.PutUint32(params[8:], 1<<16)
		params[12] = 2
		return 1 << 38
	},
	View:       old.Viewer[*Filter](NewView),
	Ask:        func(fam hashfam.Family) old.Asker { return NewFrameReader(fam).ContainsDigest },
	ReadParams: old.Reader(ReadParams),
	Shown:      func(fam hashfam.Family) []any { return []any{Config{FPRate: 0.01, Family: fam}} },
	Golden: []old.Golden[*Filter]{
		{File: "static.bin", Build: golden(Config{FPRate: 0.01}, 1000)},
		{File: "staticempty.bin", Build: golden(Config{FPRate: 0.01}, 0)},
		{File: "staticnarrow.bin", Build: golden(Config{FPRate: math.Ldexp(1, -7)}, 300)},
		{File: "statickeyed.bin", Build: golden(Config{FPRate: 0.3, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 2000)},
	},
	Builders: builders,
}

// exactBuilders returns every way to build an Exact whose others are a drawn
// number of keys, which are longer than those of the suite.
func exactBuilders(t *rapid.T, fam hashfam.Family) []func([]hashfam.Digest) (*Exact, error) {
	n := rapid.SampledFrom([]int{0, 1, 5, 50, 400}).Draw(t, "others")
	var others []hashfam.Digest
	for i := range n {
		others = append(others, fam.SumString(fmt.Sprintf("%0*d", 301, i)))
	}
	reversed := append(slices.Clone(others), others[:n/2]...) // with copies
	slices.Reverse(reversed)
	build := func(workers int, others []hashfam.Digest) func([]hashfam.Digest) (*Exact, error) {
		return func(digests []hashfam.Digest) (*Exact, error) {
			c := ExactConfig{Family: fam, Workers: workers}
			return NewExact(context.Background(), c, digests, slices.Clone(others))
		}
	}
	return []func([]hashfam.Digest) (*Exact, error){build(1, others), build(3, reversed), build(1, reversed)}
}

// exacts declares an Exact.
var exacts = old.Suite[*Exact]{
	Receiver: NewExactReceiver,
	ClaimHuge: func(params []byte) uint64 {
		for i, n := range []uint64{1 << 35, 1 << 40, 1 << 36} { // 5 columns
			binary.LittleEndian.PutUint64(params[8*i:], n)
		}
		params[24], params[25] = 2, 2
		return 1 << 35
	},
	View:       old.Viewer[*Exact](NewExactView),
	ReadParams: old.Reader(ReadExactParams),
	Shown:      func(fam hashfam.Family) []any { return []any{ExactConfig{Family: fam}} },
	Golden: []old.Golden[*Exact]{
		{File: "exact.bin", Build: goldenExact(hashfam.Family{}, 100, 120)},
		{File: "exact-inverted.bin", Build: goldenExact(hashfam.Family{}, 1500, 100)},
		{File: "exact-empty.bin", Build: goldenExact(hashfam.Family{}, 0, 5)},
		{File: "exact-keyed.bin", Build: goldenExact(hashfam.New(hashfam.Key{1, 2, 3}), 50, 300)},
	},
	Builders: exactBuilders,
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

func TestFilterConformance(t *testing.T) { filters.Run(t) }
func TestExactConformance(t *testing.T)  { exacts.Run(t) }

func FuzzFilterProgram(f *testing.F) { filters.FuzzProgram(f) }
func FuzzFilterFrames(f *testing.F)  { filters.FuzzFrames(f) }
func FuzzExactProgram(f *testing.F)  { exacts.FuzzProgram(f) }
func FuzzExactFrames(f *testing.F)   { exacts.FuzzFrames(f) }

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
		f := mustBuild(t, Config{FPRate: 0.01, Family: fam}, keys)
		return checks.Rated{Contains: f.ContainsAll, Rate: f.FalsePositiveRate()}
	})
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
