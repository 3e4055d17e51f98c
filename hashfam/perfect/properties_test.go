package perfect

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

func TestEveryMemberIsFound(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1000).Draw(t, "number of keys")
		f := filterOf(t, FilterConfig{FPRate: 0.01}, numbered(hashfam.Family{}, n))
		for i := range n {
			require.True(t, f.ContainsString(fmt.Sprint("key ", i)))
		}
	})
}

func TestIndexesAreDistinct(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1000).Draw(t, "number of keys")
		f, seen := build1(t, Config{}, numbered(hashfam.Family{}, n)), make([]bool, n)
		for i := range n {
			index := f.IndexString(fmt.Sprint("key ", i))
			require.True(t, index < uint64(n) && !seen[index])
			seen[index] = true
		}
	})
}

func TestDecodingRestoresTheFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1000).Draw(t, "number of keys")
		f, g := filterOf(t, FilterConfig{FPRate: 0.01}, numbered(hashfam.Family{}, n)), new(Filter)
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalBinary(b))
		require.True(t, g.Equal(f))
	})
}

// functions describes how a Function is built, encoded and printed.
var functions = conformance.Structure{
	Type:      conformance.Of[Params](NewReceiver),
	Builders:  functionBuilders,
	Questions: []func(any) []conformance.Form{indexForms},
	Invariant: conformance.On(requireOwnIndexes),
	Golden: map[string]func() conformance.Encoded{
		"function.bin":      goldenFunction(Config{}, 300),
		"functionempty.bin": goldenFunction(Config{}, 0),
		"functionlast.bin":  goldenFunction(Config{}, 5),
		"functionkeyed.bin": goldenFunction(Config{Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 100),
	},
	ClaimHuge: claimHuge,
	Header:    conformance.Untyped(ReadParams),
	View:      conformance.Untyped(NewView),
	Reads:     func(f conformance.Encoded) []any { return []any{Config{Family: f.Family()}} },
}

// filters describes how a Filter is built, encoded and printed.
var filters = conformance.Structure{
	Type:      conformance.Of[FilterParams](NewFilterReceiver),
	Builders:  filterBuilders,
	Questions: []func(any) []conformance.Form{valueForms},
	Invariant: conformance.On(requireOwnValuesAndIndexes),
	Golden: map[string]func() conformance.Encoded{
		"filter.bin":       goldenFilter(FilterConfig{FPRate: 0.01}, 200),
		"filterempty.bin":  goldenFilter(FilterConfig{FPRate: 0.01}, 0),
		"filtervalues.bin": goldenFilter(FilterConfig{FPRate: 0.1, ValueBits: 5}, 100),
		"filterwide.bin":   goldenFilter(FilterConfig{FPRate: 0x1p-56, ValueBits: 64}, 70),
		"filterkeyed.bin":  goldenFilter(FilterConfig{FPRate: 0.9, Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 50),
	},
	ClaimHuge: claimHuge,
	Header:    conformance.Untyped(ReadFilterParams),
	View:      conformance.Untyped(NewFilterView),
	Reads:     func(f conformance.Encoded) []any { return []any{FilterConfig{Family: f.Family()}} },
}

func TestFunction(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, functions.Run)
}
func TestFunctionFrames(t *testing.T) {
	machine.Matters(t)
	functions.Test(t)
}
func TestFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, filters.Run)
}
func TestFilterFrames(t *testing.T) {
	machine.Matters(t)
	filters.Test(t)
}
func FuzzFunction(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(functions.Run)) }
func FuzzChangedFunctionFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(functions.Change)) }
func FuzzFunctionFrames(f *testing.F)        { functions.Fuzz(f) }
func FuzzFilter(f *testing.F)                { f.Fuzz(rapid.MakeFuzz(filters.Run)) }
func FuzzChangedFilterFrames(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(filters.Change)) }
func FuzzFilterFrames(f *testing.F)          { filters.Fuzz(f) }

// functionBuilders draws a Config and returns all ways to build a function. The
// digests must be distinct.
func functionBuilders(t *rapid.T, fam hashfam.Family) map[string]conformance.Builder {
	c := Config{Compact: rapid.Bool().Draw(t, "compact"), Family: fam}
	build := func(order func([]hashfam.Digest)) conformance.Builder {
		return func(digests []hashfam.Digest) (conformance.Encoded, error) {
			slices.Sort(digests)
			digests = slices.Compact(digests)
			order(digests)
			return New(context.Background(), c, digests)
		}
	}
	return map[string]conformance.Builder{
		"in ascending order": build(slices.Sort[[]hashfam.Digest]), "in descending order": build(slices.Reverse[[]hashfam.Digest]),
	}
}

// filterBuilders draws a FilterConfig and returns the way to build a filter.
func filterBuilders(t *rapid.T, fam hashfam.Family) map[string]conformance.Builder {
	c := FilterConfig{
		FPRate:    rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-6, 1e-14}).Draw(t, "rate"),
		ValueBits: rapid.IntRange(0, maxValue).Draw(t, "bits of a value"),
		Compact:   rapid.Bool().Draw(t, "compact"),
		Family:    fam,
	}
	return map[string]conformance.Builder{
		"at once": func(digests []hashfam.Digest) (conformance.Encoded, error) {
			return NewFilter(context.Background(), c, digests, valuesOf(c.ValueBits, digests))
		},
	}
}

// valuesOf returns a value of the given number of bits for each digest.
func valuesOf(bits int, digests []hashfam.Digest) (values []uint64) {
	if bits == 0 {
		return nil
	}
	for _, d := range digests {
		values = append(values, uint64(d)>>(64-bits))
	}
	return values
}

// indexForms returns the forms of Index. The result is 0 if an index is not
// below the number of keys.
func indexForms(f any) []conformance.Form {
	s := f.(interface {
		Len() uint64
		Index([]byte) uint64
		IndexString(string) uint64
		IndexDigest(hashfam.Digest) uint64
		IndexAll([]uint64, []hashfam.Digest) []uint64
	})
	number := func(i uint64) uint64 { return (i + 1) * conformance.One(i < s.Len()) }
	return conformance.Forms("Index", s,
		func(key []byte) uint64 { return number(s.Index(key)) },
		func(key string) uint64 { return number(s.IndexString(key)) },
		func(d hashfam.Digest) uint64 { return number(s.IndexDigest(d)) },
		conformance.Answers("IndexAll", 7, s.IndexAll, number))
}

// valueForms returns the forms of Value. The result is the value plus 1, or 0
// if the key is not found. The largest value, which a changed frame can have,
// stays the same.
func valueForms(f any) []conformance.Form {
	s := f.(interface {
		Value([]byte) (uint64, bool)
		ValueString(string) (uint64, bool)
		ValueDigest(hashfam.Digest) (uint64, bool)
		ValueAll([]uint64, []bool, []hashfam.Digest) ([]uint64, []bool)
	})
	var values []uint64
	var found []bool
	all := func(dst []uint64, digests []hashfam.Digest) []uint64 {
		values, found = s.ValueAll(values[:0], found[:0], digests)
		for i, value := range values {
			dst = append(dst, sizing.SaturatingAdd(value, 1)*conformance.One(found[i]))
		}
		return dst
	}
	number := func(value uint64, found bool) uint64 { return sizing.SaturatingAdd(value, 1) * conformance.One(found) }
	return conformance.Forms("Value", s,
		func(key []byte) uint64 { return number(s.Value(key)) },
		func(key string) uint64 { return number(s.ValueString(key)) },
		func(d hashfam.Digest) uint64 { return number(s.ValueDigest(d)) },
		conformance.Answers("ValueAll", 7, all, func(number uint64) uint64 { return number }))
}

// requireOwnIndexes checks that the keys have different indexes.
func requireOwnIndexes(m *conformance.Machine, f, _ *Function) { requireDifferent(m, &f.stored) }

func requireDifferent(m *conformance.Machine, f *stored) {
	keys := make([]string, f.Len())
	seen := make([]bool, f.Len())
	for key := range m.Counts {
		index := f.IndexString(key)
		if seen[index] {
			m.Fatalf("%q and %q have the index %d", keys[index], key, index)
		}
		keys[index], seen[index] = key, true
	}
}

// requireOwnValuesAndIndexes checks that each key has the value that valuesOf
// returns, and that the keys have different indexes.
func requireOwnValuesAndIndexes(m *conformance.Machine, f, _ *Filter) {
	requireDifferent(m, &f.stored)
	for key := range m.Counts {
		got, _ := f.ValueString(key)
		d := m.Family.SumString(key)
		if bits := f.Params().ValueBits; bits > 0 && got != valuesOf(bits, []hashfam.Digest{d})[0] {
			m.Fatalf("%q has the value %d", key, got)
		}
	}
}

// claimHuge changes the parameters so that they claim 2^40 keys.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params, maxKeys)
	l := shape{keys: maxKeys}
	for i := range params[9] {
		l.bumped = append(l.bumped, binary.LittleEndian.Uint64(params[headerBytes+8*int(i):]))
	}
	l.slot = slotSize{uint64(binary.LittleEndian.Uint32(params[16:])), uint(params[20])}
	return l.bytes()
}

// numbered returns the digests of n different keys.
func numbered(fam hashfam.Family, n int) (digests []hashfam.Digest) {
	for i := range n {
		digests = append(digests, fam.SumString(fmt.Sprint("key ", i)))
	}
	return digests
}

// must returns v, or panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// goldenFunction returns a builder for a Function with n keys.
func goldenFunction(c Config, n int) func() conformance.Encoded {
	return func() conformance.Encoded { return must(New(context.Background(), c, numbered(c.Family, n))) }
}

// goldenFilter returns a builder for a Filter with n keys and the values 0, 1,
// ... 31, 0, 1, ... If they have 64 bits, they are the digests.
func goldenFilter(c FilterConfig, n int) func() conformance.Encoded {
	return func() conformance.Encoded {
		var values []uint64
		for i := range n * min(c.ValueBits, 1) {
			values = append(values, uint64(i)%32)
		}
		if c.ValueBits == maxValue {
			values = valuesOf(maxValue, numbered(c.Family, n))
		}
		return must(NewFilter(context.Background(), c, numbered(c.Family, n), values))
	}
}

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
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	f := must(NewFilter(t.Context(), FilterConfig{FPRate: 0.01}, hashfam.Family{}.SumAllUint64(nil, numbers), nil))
	checks.LargeSet(t, uint64(n), nil, checks.Rated{Contains: f.ContainsAll, Rate: f.FalsePositiveRate()})
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	checks.ZeroValues(t, "^perfect: use of a zero [A-Z].*: make it with New", new(Function), new(Filter), NewReceiver(keyed), NewFilterReceiver(keyed))
}
