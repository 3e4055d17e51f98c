package perfect

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
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
		n := rapid.IntRange(0, 1000).Draw(t, "number of keys")
		f := filterOf(t, FilterConfig{FPRate: 0.01}, numbered(hashfam.Family{}, n))
		for i := range n {
			require.True(t, f.ContainsString(fmt.Sprint("key ", i)))
		}
	})
}

func TestIndexesAreDistinct(t *testing.T) {
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

// filters describes a Filter whose keys are deleted and restored, and whose
// values change.
var filters = conformance.Structure{
	Type:      conformance.Of[FilterParams](NewFilterReceiver),
	Builders:  filterBuilders,
	Delete:    deleteForms,
	Questions: []func(any) []conformance.Form{valueForms},
	Actions: map[string]func(*conformance.Machine){
		"set a value": conformance.On(setValue), "restore": conformance.On(restore),
		"delete and restore": conformance.On(deleteAndRestore),
	},
	Golden: map[string]func() conformance.Encoded{
		"filter.bin":       goldenFilter(FilterConfig{FPRate: 0.01}, 200),
		"filterempty.bin":  goldenFilter(FilterConfig{FPRate: 0.01}, 0),
		"filtervalues.bin": goldenFilter(FilterConfig{FPRate: 0.1, ValueBits: 5}, 100),
		"filterkeyed.bin":  goldenFilter(FilterConfig{FPRate: 0.9, Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 50),
	},
	ClaimHuge: claimHuge,
	Header:    conformance.Untyped(ReadFilterParams),
	View:      conformance.Untyped(NewFilterView),
	Reads:     func(f conformance.Encoded) []any { return []any{FilterConfig{Family: f.Family()}} },
}

func TestFunction(t *testing.T)              { rapid.Check(t, functions.Run) }
func TestFunctionFrames(t *testing.T)        { functions.Test(t) }
func TestFilter(t *testing.T)                { rapid.Check(t, filters.Run) }
func TestFilterFrames(t *testing.T)          { filters.Test(t) }
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
		FPRate:    rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-6}).Draw(t, "rate"),
		ValueBits: rapid.IntRange(0, 32).Draw(t, "bits of a value"),
		Compact:   rapid.Bool().Draw(t, "compact"),
		Family:    fam,
	}
	return map[string]conformance.Builder{
		"at once": func(digests []hashfam.Digest) (conformance.Encoded, error) {
			return NewFilter(context.Background(), c, digests)
		},
	}
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
// if the key is not found.
func valueForms(f any) []conformance.Form {
	s := f.(interface {
		Value([]byte) (uint64, bool)
		ValueString(string) (uint64, bool)
		ValueDigest(hashfam.Digest) (uint64, bool)
	})
	number := func(value uint64, found bool) uint64 { return (value + 1) * conformance.One(found) }
	return conformance.Forms("Value", s,
		func(key []byte) uint64 { return number(s.Value(key)) },
		func(key string) uint64 { return number(s.ValueString(key)) },
		func(d hashfam.Digest) uint64 { return number(s.ValueDigest(d)) })
}

func deleteForms(f any) []conformance.Form {
	return conformance.Forms("Delete", f, f.(*Filter).Delete, f.(*Filter).DeleteDigest)
}

// requireOwnIndexes checks that the keys have different indexes.
func requireOwnIndexes(m *conformance.Machine, f, _ *Function) {
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

// drawMember draws a key that was added. It may have been deleted.
func drawMember(m *conformance.Machine) string {
	if len(m.Counts) == 0 {
		m.Skip("there are no keys")
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m.Counts))).Draw(m.T, "member")
}

// setValue sets a key's value, which must not change any other value. SetValue
// must return false if the key is deleted or the value is too large.
func setValue(m *conformance.Machine, f, twin *Filter) {
	key, value := drawMember(m), rapid.Uint64Range(0, 1<<f.Params().ValueBits).Draw(m.T, "value")
	want := map[string]uint64{}
	for other := range m.Counts {
		want[other], _ = f.ValueString(other)
	}
	can := m.Counts[key] > 0 && value < 1<<f.Params().ValueBits
	require.Equal(m, can, f.SetValue([]byte(key), value))
	require.Equal(m, can && value != want[key], !f.Equal(twin))
	require.Equal(m, can, twin.SetValueDigest(m.Family.SumString(key), value))
	if can {
		want[key] = value
	}
	for other, value := range want {
		got, _ := f.ValueString(other)
		require.Equal(m, value, got, "the value of %q", other)
	}
}

// restore restores a key. Restore must return false if the key was not deleted.
func restore(m *conformance.Machine, f, twin *Filter) {
	key := drawMember(m)
	deleted := m.Counts[key] == 0
	require.Equal(m, deleted, f.Restore([]byte(key)))
	require.Equal(m, deleted, twin.RestoreDigest(m.Family.SumString(key)))
	m.Counts[key] = 1
}

// deleteAndRestore checks that a restored key has its previous value.
func deleteAndRestore(m *conformance.Machine, f, _ *Filter) {
	key := []byte(drawMember(m))
	value, found := f.Value(key)
	if !found {
		m.Skip("the key is deleted")
	}
	require.True(m, f.Delete(key))
	hidden, found := f.Value(key)
	require.False(m, found || hidden != 0 || f.SetValue(key, value) || f.Delete(key), "a deleted key is found")
	require.True(m, f.Restore(key))
	again, _ := f.Value(key)
	require.Equal(m, value, again)
}

// claimHuge changes the parameters so that they claim 2^40 keys.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params, maxKeys)
	l := layout{keys: maxKeys}
	for i := range params[9] {
		l.bumped = append(l.bumped, binary.LittleEndian.Uint64(params[fixedBytes+8*int(i):]))
	}
	l.slots = slotSize{uint64(binary.LittleEndian.Uint32(params[16:])), uint(params[20])}
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

// goldenFilter returns a builder for a Filter with n keys and values.
func goldenFilter(c FilterConfig, n int) func() conformance.Encoded {
	return func() conformance.Encoded {
		f := must(NewFilter(context.Background(), c, numbered(c.Family, n)))
		for i, d := range numbered(c.Family, n) {
			f.SetValueDigest(d, uint64(i)%32)
		}
		return f
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
	f := must(NewFilter(t.Context(), FilterConfig{FPRate: 0.01}, hashfam.Family{}.SumAllUint64(nil, numbers)))
	checks.LargeSet(t, uint64(n), nil, checks.Rated{Contains: f.ContainsAll, Rate: f.FalsePositiveRate()})
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	keyed := hashfam.New(hashfam.Key{1})
	checks.ZeroValues(t, "^perfect: use of a zero [A-Z].*: make it with New", new(Function), new(View), new(Filter), new(FilterView),
		NewReceiver(keyed), NewFilterReceiver(keyed))
}
