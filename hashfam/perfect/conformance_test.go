package perfect

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// functions returns every way to build a function. The suite repeats keys, and
// a function has to be built from distinct ones.
func functions(t *rapid.T, fam hashfam.Family) []func([][]byte) (*Function, error) {
	c := Config{Compact: rapid.Bool().Draw(t, "compact"), Family: fam}
	return []func([][]byte) (*Function, error){
		func(keys [][]byte) (*Function, error) { return New(c, distinctKeys(keys)) },
		func(keys [][]byte) (*Function, error) {
			return NewFromDigests(c, fam.SumAll(nil, distinctKeys(keys)))
		},
	}
}

// distinctKeys returns the distinct keys in the order in which they come.
func distinctKeys(keys [][]byte) [][]byte {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(keys), func(key []byte) bool {
		was := seen[string(key)]
		seen[string(key)] = true
		return was
	})
}

// filters returns every way to build a filter with a rate.
func filters(t *rapid.T, fam hashfam.Family) []func([][]byte) (*Filter, error) {
	c := FilterConfig{
		FPRate:    rapid.SampledFrom([]float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-6}).Draw(t, "rate"),
		ValueBits: rapid.SampledFrom([]int{0, 1, 8, 32}).Draw(t, "bits of a value"),
		Compact:   rapid.Bool().Draw(t, "compact"),
		Family:    fam,
	}
	return []func([][]byte) (*Filter, error){
		func(keys [][]byte) (*Filter, error) { return NewFilter(c, keys) },
		func(keys [][]byte) (*Filter, error) { return NewFilterFromDigests(c, fam.SumAll(nil, keys)) },
	}
}

// claimHuge makes the parameters those of 2^40 keys.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params, maxKeys)
	s := shape{keys: maxKeys}
	for i := range params[9] {
		s.bumped = append(s.bumped, binary.LittleEndian.Uint64(params[fixedBytes+8*int(i):]))
	}
	slots := slotSize{uint64(binary.LittleEndian.Uint32(params[16:])), uint(params[20])}
	return s.bytes() + slots.bytes(maxKeys)
}

// A buffer keeps the indexes of a batch, so that the adapters below do not
// allocate.
type buffer [4096]uint64

// below returns which indexes are valid ones.
func below(dst []bool, n uint64, indexes []uint64) []bool {
	for _, i := range indexes {
		dst = append(dst, i < n)
	}
	return dst
}

var functionSuite = conformance.Built[*Function]{
	Encoded: conformance.Encoded[*Function]{
		Fresh:     conformance.FromKeys(functions),
		Receiver:  NewReceiver,
		Has:       func(f *Function, key []byte) bool { return f.Index(key) < f.Len() },
		HasString: func(f *Function, key string) bool { return f.IndexString(key) < f.Len() },
		HasDigest: func(f *Function, d hashfam.Digest) bool { return f.IndexDigest(d) < f.Len() },
		HasUint64: func(f *Function, key uint64) bool { return f.IndexUint64(key) < f.Len() },
		HasAll: func(f *Function, dst []bool, keys [][]byte) []bool {
			var b buffer
			return below(dst, f.Len(), f.IndexAll(b[:0], keys))
		},
		HasAllDigests: func(f *Function, dst []bool, digests []hashfam.Digest) []bool {
			var b buffer
			return below(dst, f.Len(), f.IndexAllDigests(b[:0], digests))
		},
		HasAllStrings: func(f *Function, dst []bool, keys []string) []bool {
			var b buffer
			return below(dst, f.Len(), f.IndexAllStrings(b[:0], keys))
		},
		HasAllUint64: func(f *Function, dst []bool, keys []uint64) []bool {
			var b buffer
			return below(dst, f.Len(), f.IndexAllUint64(b[:0], keys))
		},
		Reads: func(f *Function) {
			f.Len()
			f.SizeBytes()
			f.BitsPerKey()
			f.Params()
			_ = f.String()
		},
		ClaimHuge: claimHuge,
		View: func(data []byte, fam hashfam.Family) (conformance.Viewed[*Function], error) {
			v, err := NewView(data, fam)
			if err != nil {
				return conformance.Viewed[*Function]{}, err
			}
			return conformance.Viewed[*Function]{
				Has:       func(key []byte) bool { return v.Index(key) < v.Len() },
				HasString: func(key string) bool { return v.IndexString(key) < v.Len() },
				HasUint64: func(key uint64) bool { return v.IndexUint64(key) < v.Len() },
				HasDigest: func(d hashfam.Digest) bool { return v.IndexDigest(d) < v.Len() },
				HasAll: func(dst []bool, keys [][]byte) []bool {
					return below(dst, v.Len(), v.IndexAll(nil, keys))
				},
				HasAllStrings: func(dst []bool, keys []string) []bool {
					return below(dst, v.Len(), v.IndexAllStrings(nil, keys))
				},
				HasAllUint64: func(dst []bool, keys []uint64) []bool {
					return below(dst, v.Len(), v.IndexAllUint64(nil, keys))
				},
				HasAllDigests: func(dst []bool, digests []hashfam.Digest) []bool {
					return below(dst, v.Len(), v.IndexAllDigests(nil, digests))
				},
				Verify: v.Verify, Decode: v.Decode, JSON: v.MarshalJSON,
			}, nil
		},
		ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) { return ReadParams(r, fam) },
		Params:     func(f *Function) (any, hashfam.Family) { return f.Params(), f.params.Family },
		Shown: func(f *Function) []any {
			return []any{f.Params(), Config{Family: f.params.Family}, *view(NewView, f, f.params.Family)}
		},
		Golden: []conformance.Golden[*Function]{
			{File: "function.bin", Build: goldenFunction(Config{}, 300)},
			{File: "functionempty.bin", Build: goldenFunction(Config{}, 0)},
			{File: "functionlast.bin", Build: goldenFunction(Config{}, 5)},
			{File: "functionkeyed.bin", Build: goldenFunction(Config{Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 100)},
		},
	},
	Builders: functions,
}

var filterSuite = conformance.Built[*Filter]{
	Encoded: conformance.Encoded[*Filter]{
		Fresh:         conformance.FromKeys(filters),
		Receiver:      NewFilterReceiver,
		Has:           (*Filter).Contains,
		HasString:     (*Filter).ContainsString,
		HasDigest:     (*Filter).ContainsDigest,
		HasAll:        (*Filter).ContainsAll,
		HasAllDigests: (*Filter).ContainsAllDigests,
		HasAllStrings: (*Filter).ContainsAllStrings,
		HasAllUint64:  (*Filter).ContainsAllUint64,
		HasUint64:     (*Filter).ContainsUint64,
		Reads: func(f *Filter) {
			f.Len()
			f.SizeBytes()
			f.BitsPerKey()
			f.FalsePositiveRate()
			f.Params()
			f.Clone()
			f.Value(nil)
			_ = f.String()
		},
		ClaimHuge: claimHuge,
		View: func(data []byte, fam hashfam.Family) (conformance.Viewed[*Filter], error) {
			return conformance.ViewOf[*Filter](NewFilterView(data, fam))
		},
		ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) { return ReadFilterParams(r, fam) },
		Params:     func(f *Filter) (any, hashfam.Family) { return f.Params(), f.params.Family },
		Shown: func(f *Filter) []any {
			return []any{f.Params(), FilterConfig{Family: f.params.Family}, *view(NewFilterView, f, f.params.Family)}
		},
		Golden: []conformance.Golden[*Filter]{
			{File: "filter.bin", Build: goldenFilter(FilterConfig{FPRate: 0.01}, 200)},
			{File: "filterempty.bin", Build: goldenFilter(FilterConfig{FPRate: 0.01}, 0)},
			{File: "filtervalues.bin", Build: goldenFilter(FilterConfig{FPRate: 0.1, ValueBits: 5}, 100)},
			{File: "filterkeyed.bin", Build: goldenFilter(FilterConfig{FPRate: 0.9, Compact: true, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 50)},
		},
	},
	Builders: filters,
}

// view returns a view of f.
func view[V any](open func([]byte, hashfam.Family) (*V, error), f encoding.BinaryMarshaler, fam hashfam.Family) *V {
	data, err := f.MarshalBinary()
	if err != nil {
		panic(err)
	}
	v, err := open(data, fam)
	if err != nil {
		panic(err)
	}
	return v
}

func goldenKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Append(nil, "key ", i)
	}
	return keys
}

// goldenFunction returns a function that builds a function of n keys.
func goldenFunction(c Config, n int) func() *Function {
	return func() *Function {
		f, err := New(c, goldenKeys(n))
		if err != nil {
			panic(err)
		}
		return f
	}
}

// goldenFilter returns a function that builds a filter of n keys with values.
func goldenFilter(c FilterConfig, n int) func() *Filter {
	return func() *Filter {
		f, err := NewFilter(c, goldenKeys(n))
		if err != nil {
			panic(err)
		}
		for i, key := range goldenKeys(n) {
			f.SetValue(key, uint64(i)%32)
		}
		return f
	}
}

func TestConformance(t *testing.T) {
	t.Run("Function", functionSuite.Run)
	t.Run("Filter", filterSuite.Run)
}

func FuzzFunctionMembership(f *testing.F)  { conformance.Fuzz(f, functionSuite.Membership) }
func FuzzFunctionSameSet(f *testing.F)     { conformance.Fuzz(f, functionSuite.SameSet) }
func FuzzFunctionRoundTrip(f *testing.F)   { conformance.Fuzz(f, functionSuite.RoundTrip) }
func FuzzFunctionDamage(f *testing.F)      { conformance.Fuzz(f, functionSuite.Damage) }
func FuzzFunctionMutations(f *testing.F)   { functionSuite.FuzzMutations(f) }
func FuzzFunctionLyingLength(f *testing.F) { conformance.Fuzz(f, functionSuite.LyingLength) }
func FuzzFunctionStreams(f *testing.F)     { conformance.Fuzz(f, functionSuite.Streams) }
func FuzzFunctionViews(f *testing.F)       { conformance.Fuzz(f, functionSuite.Views) }
func FuzzFunctionTexts(f *testing.F)       { conformance.Fuzz(f, functionSuite.Texts) }
func FuzzFunctionDecode(f *testing.F)      { functionSuite.FuzzDecode(f) }
func FuzzFilterMembership(f *testing.F)    { conformance.Fuzz(f, filterSuite.Membership) }
func FuzzFilterSameSet(f *testing.F)       { conformance.Fuzz(f, filterSuite.SameSet) }
func FuzzFilterQueries(f *testing.F)       { conformance.Fuzz(f, filterSuite.Queries) }
func FuzzFilterRoundTrip(f *testing.F)     { conformance.Fuzz(f, filterSuite.RoundTrip) }
func FuzzFilterDamage(f *testing.F)        { conformance.Fuzz(f, filterSuite.Damage) }
func FuzzFilterMutations(f *testing.F)     { filterSuite.FuzzMutations(f) }
func FuzzFilterLyingLength(f *testing.F)   { conformance.Fuzz(f, filterSuite.LyingLength) }
func FuzzFilterStreams(f *testing.F)       { conformance.Fuzz(f, filterSuite.Streams) }
func FuzzFilterViews(f *testing.F)         { conformance.Fuzz(f, filterSuite.Views) }
func FuzzFilterTexts(f *testing.F)         { conformance.Fuzz(f, filterSuite.Texts) }
func FuzzFilterDecode(f *testing.F)        { filterSuite.FuzzDecode(f) }
func FuzzFunctionProgram(f *testing.F)     { functionSuite.FuzzProgram(f) }
func FuzzFilterSetProgram(f *testing.F)    { filterSuite.FuzzProgram(f) }
