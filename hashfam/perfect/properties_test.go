package perfect

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/conformance/old"
)

// drawFunctions returns every way to build a function. The suite repeats
// digests, and a function has to be built from distinct ones.
func drawFunctions(t *rapid.T, fam hashfam.Family) []func([]hashfam.Digest) (*Function, error) {
	c := Config{Compact: rapid.Bool().Draw(t, "compact"), Family: fam}
	return []func([]hashfam.Digest) (*Function, error){func(digests []hashfam.Digest) (*Function, error) {
		slices.Sort(digests)
		return New(context.Background(), c, slices.Compact(digests))
	}}
}

// functions declares a Function.
var functions = old.Suite[*Function]{
	Receiver:   NewReceiver,
	ClaimHuge:  claimHuge,
	View:       old.Viewer[*Function](NewView),
	ReadParams: old.Reader(ReadParams),
	Shown:      func(fam hashfam.Family) []any { return []any{Config{Family: fam}} },
	Golden: []old.Golden[*Function]{
		{File: "function.bin", Build: goldenFunction(Config{}, 300)},
		{File: "functionempty.bin", Build: goldenFunction(Config{}, 0)},
		{File: "functionlast.bin", Build: goldenFunction(Config{}, 5)},
		{File: "functionkeyed.bin", Build: goldenFunction(Config{Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 100)},
	},
	Builders: drawFunctions,
}

// drawFilters returns every way to build a filter with a rate.
func drawFilters(t *rapid.T, fam hashfam.Family) []func([]hashfam.Digest) (*Filter, error) {
	c := FilterConfig{
		FPRate:    rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-6}).Draw(t, "rate"),
		ValueBits: rapid.SampledFrom([]int{0, 1, 8, 32}).Draw(t, "bits of a value"),
		Compact:   rapid.Bool().Draw(t, "compact"),
		Family:    fam,
	}
	return []func([]hashfam.Digest) (*Filter, error){
		func(digests []hashfam.Digest) (*Filter, error) { return NewFilter(context.Background(), c, digests) },
	}
}

// filters declares a Filter.
var filters = old.Suite[*Filter]{
	Receiver:   NewFilterReceiver,
	ClaimHuge:  claimHuge,
	View:       old.Viewer[*Filter](NewFilterView),
	ReadParams: old.Reader(ReadFilterParams),
	Shown:      func(fam hashfam.Family) []any { return []any{FilterConfig{Family: fam}} },
	Golden: []old.Golden[*Filter]{
		{File: "filter.bin", Build: goldenFilter(FilterConfig{FPRate: 0.01}, 200)},
		{File: "filterempty.bin", Build: goldenFilter(FilterConfig{FPRate: 0.01}, 0)},
		{File: "filtervalues.bin", Build: goldenFilter(FilterConfig{FPRate: 0.1, ValueBits: 5}, 100)},
		{File: "filterkeyed.bin", Build: goldenFilter(FilterConfig{FPRate: 0.9, Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 50)},
	},
	Builders: drawFilters,
}

// claimHuge makes the parameters those of 2^40 keys.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params, maxKeys)
	l := layout{keys: maxKeys}
	for i := range params[9] {
		l.bumped = append(l.bumped, binary.LittleEndian.Uint64(params[fixedBytes+8*int(i):]))
	}
	l.slots = slotSize{uint64(binary.LittleEndian.Uint32(params[16:])), uint(params[20])}
	return l.bytes()
}

// numbered returns the digests of n keys.
func numbered(fam hashfam.Family, n int) (digests []hashfam.Digest) {
	for i := range n {
		digests = append(digests, fam.SumString(fmt.Sprint("key ", i)))
	}
	return digests
}

// must returns a value, or panics.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// goldenFunction returns a function that builds a function of n keys.
func goldenFunction(c Config, n int) func() *Function {
	return func() *Function { return must(New(context.Background(), c, numbered(c.Family, n))) }
}

// goldenFilter returns a function that builds a filter of n keys with values.
func goldenFilter(c FilterConfig, n int) func() *Filter {
	return func() *Filter {
		f := must(NewFilter(context.Background(), c, numbered(c.Family, n)))
		for i, d := range numbered(c.Family, n) {
			f.SetValueDigest(d, uint64(i)%32)
		}
		return f
	}
}

func TestFunctionConformance(t *testing.T) { functions.Run(t) }
func TestFilterConformance(t *testing.T)   { filters.Run(t) }

func FuzzFunctionProgram(f *testing.F) { functions.FuzzProgram(f) }
func FuzzFunctionFrames(f *testing.F)  { functions.FuzzFrames(f) }
func FuzzFilterProgram(f *testing.F)   { filters.FuzzProgram(f) }
func FuzzFilterFrames(f *testing.F)    { filters.FuzzFrames(f) }

func TestSmallFiltersOfThousandsOfFamilies(t *testing.T) {
	checks.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) checks.Rated {
		f := filterOf(t, FilterConfig{FPRate: 0.01, Family: fam}, keys)
		return checks.Rated{Contains: f.ContainsAll, Rate: f.FalsePositiveRate()}
	})
}

func TestFiltersOfManyKeysHaveTheExactRate(t *testing.T) {
	n := 50_000
	if checks.Long(t, 3, 4) {
		n = 100_000_000
	}
	f := must(NewFilter(t.Context(), FilterConfig{FPRate: 0.01}, digestsOf(n, 0)))
	checks.LargeSet(t, uint64(n), nil, checks.Rated{Contains: f.ContainsAll, Rate: f.FalsePositiveRate()})
}
