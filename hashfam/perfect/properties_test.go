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

// functions tests a Function.
var functions = conformance.Structure[*Function]{
	Builders:  functionBuilders,
	Receiver:  NewReceiver,
	Questions: []func(*Function) []conformance.Form{indexForms[*Function]},
	Len:       (*Function).Len,
	Invariant: requireOwnIndexes,
}

// functionFrames tests how a Function is encoded and printed.
var functionFrames = conformance.Frames[*Function]{
	Structure: functions,
	Golden: []conformance.Golden[*Function]{
		{File: "function.bin", Build: goldenFunction(Config{}, 300)},
		{File: "functionempty.bin", Build: goldenFunction(Config{}, 0)},
		{File: "functionlast.bin", Build: goldenFunction(Config{}, 5)},
		{File: "functionkeyed.bin", Build: goldenFunction(Config{Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 100)},
	},
	Zero:      func() *Function { return new(Function) },
	ClaimHuge: claimHuge,
	Header:    conformance.HeaderOf(ReadParams, (*Function).Params),
	View:      conformance.Viewer[*Function](NewView, func(v *View) []any { return []any{v.Params(), v.SizeBytes(), v.Len()} }, indexForms[*View]),
	Reads:     func(f *Function) []any { return []any{f.Params(), f.SizeBytes(), f.Len()} },
	Shown:     func(f *Function) []any { return []any{*f, f.Params(), Config{Family: f.Family()}} },
}

// filters tests a Filter whose keys are deleted and restored, and whose values
// change.
var filters = conformance.Structure[*Filter]{
	Builders:  filterBuilders,
	Receiver:  NewFilterReceiver,
	Delete:    deletes,
	Questions: []func(*Filter) []conformance.Form{conformance.Contains[*Filter], valueForms[*Filter]},
	Clone:     (*Filter).Clone,
	Actions: map[string]func(*conformance.Machine[*Filter]){
		"set a value": setValue, "restore": restore, "delete and restore": deleteAndRestore,
	},
}

// filterFrames tests how a Filter is encoded and printed.
var filterFrames = conformance.Frames[*Filter]{
	Structure: filters,
	Golden: []conformance.Golden[*Filter]{
		{File: "filter.bin", Build: goldenFilter(FilterConfig{FPRate: 0.01}, 200)},
		{File: "filterempty.bin", Build: goldenFilter(FilterConfig{FPRate: 0.01}, 0)},
		{File: "filtervalues.bin", Build: goldenFilter(FilterConfig{FPRate: 0.1, ValueBits: 5}, 100)},
		{File: "filterkeyed.bin", Build: goldenFilter(FilterConfig{FPRate: 0.9, Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 50)},
	},
	Zero:      func() *Filter { return new(Filter) },
	ClaimHuge: claimHuge,
	Header:    conformance.HeaderOf(ReadFilterParams, (*Filter).Params),
	View: conformance.Viewer[*Filter](NewFilterView, func(v *FilterView) []any { return reads(v) },
		conformance.Contains[*FilterView], valueForms[*FilterView]),
	Reads: func(f *Filter) []any { return reads(f) },
	Shown: func(f *Filter) []any { return []any{*f, f.Params(), FilterConfig{Family: f.Family()}} },
}

func TestFunction(t *testing.T)              { rapid.Check(t, functions.Run) }
func TestFunctionFrames(t *testing.T)        { functionFrames.Test(t) }
func TestFilter(t *testing.T)                { rapid.Check(t, filters.Run) }
func TestFilterFrames(t *testing.T)          { filterFrames.Test(t) }
func FuzzFunction(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(functions.Run)) }
func FuzzChangedFunctionFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(functionFrames.Change)) }
func FuzzFunctionFrames(f *testing.F)        { functionFrames.Fuzz(f) }
func FuzzFilter(f *testing.F)                { f.Fuzz(rapid.MakeFuzz(filters.Run)) }
func FuzzChangedFilterFrames(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(filterFrames.Change)) }
func FuzzFilterFrames(f *testing.F)          { filterFrames.Fuzz(f) }

// reads returns the results of the methods that Filter and FilterView share.
func reads(f interface {
	Params() FilterParams
	SizeBytes() uint64
	Len() uint64
	FalsePositiveRate() float64
}) []any {
	return []any{f.Params(), f.SizeBytes(), f.Len(), f.FalsePositiveRate()}
}

// functionBuilders draws a Config and returns all ways to build a function. The
// digests must be distinct.
func functionBuilders(t *rapid.T, fam hashfam.Family) map[string]func([]hashfam.Digest) (*Function, error) {
	c := Config{Compact: rapid.Bool().Draw(t, "compact"), Family: fam}
	build := func(order func([]hashfam.Digest)) func([]hashfam.Digest) (*Function, error) {
		return func(digests []hashfam.Digest) (*Function, error) {
			slices.Sort(digests)
			digests = slices.Compact(digests)
			order(digests)
			return New(context.Background(), c, digests)
		}
	}
	return map[string]func([]hashfam.Digest) (*Function, error){
		"in ascending order": build(slices.Sort[[]hashfam.Digest]), "in descending order": build(slices.Reverse[[]hashfam.Digest]),
	}
}

// filterBuilders draws a FilterConfig and returns all ways to build a filter.
func filterBuilders(t *rapid.T, fam hashfam.Family) map[string]func([]hashfam.Digest) (*Filter, error) {
	c := FilterConfig{
		FPRate:    rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-6}).Draw(t, "rate"),
		ValueBits: rapid.IntRange(0, 32).Draw(t, "bits of a value"),
		Compact:   rapid.Bool().Draw(t, "compact"),
		Family:    fam,
	}
	return map[string]func([]hashfam.Digest) (*Filter, error){
		"at once": func(digests []hashfam.Digest) (*Filter, error) { return NewFilter(context.Background(), c, digests) },
	}
}

// indexForms returns the forms of Index. The result is 0 if an index is not
// below the number of keys.
func indexForms[S interface {
	Family() hashfam.Family
	Len() uint64
	Index([]byte) uint64
	IndexString(string) uint64
	IndexDigest(hashfam.Digest) uint64
	IndexAll([]uint64, []hashfam.Digest) []uint64
}](s S) []conformance.Form {
	number := func(i uint64) uint64 { return (i + 1) * conformance.One(i < s.Len()) }
	return append(conformance.Forms("Index", s.Family(),
		func(key []byte) (uint64, error) { return number(s.Index(key)), nil },
		func(key string) (uint64, error) { return number(s.IndexString(key)), nil },
		func(d hashfam.Digest) (uint64, error) { return number(s.IndexDigest(d)), nil },
	), conformance.Answers("IndexAll", s.Family(), 7, s.IndexAll, number))
}

// valueForms returns the forms of Value. The result is the value plus 1, or 0
// if the key is not found.
func valueForms[S interface {
	Family() hashfam.Family
	Value([]byte) (uint64, bool)
	ValueString(string) (uint64, bool)
	ValueDigest(hashfam.Digest) (uint64, bool)
}](s S) []conformance.Form {
	number := func(value uint64, found bool) (uint64, error) { return (value + 1) * conformance.One(found), nil }
	return conformance.Forms("Value", s.Family(),
		func(key []byte) (uint64, error) { return number(s.Value(key)) },
		func(key string) (uint64, error) { return number(s.ValueString(key)) },
		func(d hashfam.Digest) (uint64, error) { return number(s.ValueDigest(d)) })
}

// deletes returns the forms of Delete.
func deletes(f *Filter) []conformance.Form {
	return []conformance.Form{
		conformance.Each("Delete", conformance.Bytes, conformance.Is(f.Delete)),
		conformance.Each("DeleteDigest", f.Family().SumString, conformance.Is(f.DeleteDigest)),
	}
}

// requireOwnIndexes checks that the keys have different indexes.
func requireOwnIndexes(m *conformance.Machine[*Function]) {
	keys := make([]string, m.F.Len())
	seen := make([]bool, m.F.Len())
	for key := range m.Counts {
		index := m.F.IndexString(key)
		if seen[index] {
			m.Fatalf("%q and %q have the index %d", keys[index], key, index)
		}
		keys[index], seen[index] = key, true
	}
}

// drawMember draws a key that was added. It may have been deleted.
func drawMember(m *conformance.Machine[*Filter]) string {
	if len(m.Counts) == 0 {
		m.Skip("there are no keys")
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m.Counts))).Draw(m.T, "member")
}

// setValue sets a key's value, which must not change any other value. SetValue
// must return false if the key is deleted or the value is too large.
func setValue(m *conformance.Machine[*Filter]) {
	key, value := drawMember(m), rapid.Uint64Range(0, 1<<m.F.Params().ValueBits).Draw(m.T, "value")
	want := map[string]uint64{}
	for other := range m.Counts {
		want[other], _ = m.F.ValueString(other)
	}
	can := m.Counts[key] > 0 && value < 1<<m.F.Params().ValueBits
	require.Equal(m, can, m.F.SetValue([]byte(key), value))
	require.Equal(m, can && value != want[key], !m.F.Equal(m.Twin))
	require.Equal(m, can, m.Twin.SetValueDigest(m.Family.SumString(key), value))
	if can {
		want[key] = value
	}
	for other, value := range want {
		got, _ := m.F.ValueString(other)
		require.Equal(m, value, got, "the value of %q", other)
	}
}

// restore restores a key. Restore must return false if the key was not deleted.
func restore(m *conformance.Machine[*Filter]) {
	key := drawMember(m)
	deleted := m.Counts[key] == 0
	require.Equal(m, deleted, m.F.Restore([]byte(key)))
	require.Equal(m, deleted, m.Twin.RestoreDigest(m.Family.SumString(key)))
	m.Counts[key] = 1
}

// deleteAndRestore checks that a restored key has its previous value.
func deleteAndRestore(m *conformance.Machine[*Filter]) {
	key := []byte(drawMember(m))
	value, found := m.F.Value(key)
	if !found {
		m.Skip("the key is deleted")
	}
	require.True(m, m.F.Delete(key))
	hidden, found := m.F.Value(key)
	require.False(m, found || hidden != 0 || m.F.SetValue(key, value) || m.F.Delete(key), "a deleted key is found")
	require.True(m, m.F.Restore(key))
	again, _ := m.F.Value(key)
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
func goldenFunction(c Config, n int) func() *Function {
	return func() *Function { return must(New(context.Background(), c, numbered(c.Family, n))) }
}

// goldenFilter returns a builder for a Filter with n keys and values.
func goldenFilter(c FilterConfig, n int) func() *Filter {
	return func() *Filter {
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
