package static

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

var rates = []float64{0.9, 0.5, 0.1, 0.01, 1. / 128, 1e-3, 1e-9}

// builders returns every way to build a filter with a rate.
func builders(t *rapid.T, fam hashfam.Family) []func([][]byte) (*Filter, error) {
	c := Config{FPRate: rapid.SampledFrom(rates).Draw(t, "rate"), Family: fam}
	several := c
	several.Workers = 3
	return []func([][]byte) (*Filter, error){
		func(keys [][]byte) (*Filter, error) { return New(c, keys) },
		func(keys [][]byte) (*Filter, error) { return NewContext(context.Background(), several, keys) },
		func(keys [][]byte) (*Filter, error) { return NewFromDigests(c, fam.SumAll(nil, keys)) },
		func(keys [][]byte) (*Filter, error) { return NewFromDigests(several, fam.SumAll(nil, keys)) },
		func(keys [][]byte) (*Filter, error) {
			digests := ascending(fam.SumAll(nil, keys))
			return NewFromSorted(c, uint64(len(digests)), slices.Values(digests))
		},
		func(keys [][]byte) (*Filter, error) { return buildInParts(c, keys) },
	}
}

// ascending returns the distinct digests in the order of their probe sequences.
func ascending(digests []hashfam.Digest) []hashfam.Digest {
	slices.SortFunc(digests, func(a, b hashfam.Digest) int {
		switch {
		case a.Probe() < b.Probe():
			return -1
		case a.Probe() > b.Probe():
			return 1
		}
		return 0
	})
	return slices.Compact(digests)
}

// buildInParts adds the keys to a builder in all ways, and builds twice.
func buildInParts(c Config, keys [][]byte) (*Filter, error) {
	b, err := NewBuilder(c)
	if err != nil {
		return nil, err
	}
	b.Grow(len(keys))
	adds := []func([][]byte){
		b.AddAll,
		func(keys [][]byte) { b.AddSeq(slices.Values(keys)) },
		func(keys [][]byte) { b.AddAllStrings(texts(keys)) },
		func(keys [][]byte) { b.AddAllDigests(c.Family.SumAll(nil, keys)) },
		func(keys [][]byte) {
			for _, key := range keys {
				b.Add(key)
				b.AddString(string(key))
				b.AddDigest(c.Family.Sum(key))
				if len(key) == 8 {
					b.AddUint64(binary.LittleEndian.Uint64(key))
					b.AddAllUint64([]uint64{binary.LittleEndian.Uint64(key)})
				}
			}
		},
	}
	part := len(keys)/len(adds) + 1
	for i := 0; len(keys) > 0; i++ {
		n := min(part, len(keys))
		adds[i](keys[:n])
		keys = keys[n:]
		if _, err := b.Build(); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

func texts(keys [][]byte) []string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = string(key)
	}
	return list
}

var suite = conformance.Built[*Filter]{
	Encoded: conformance.Encoded[*Filter]{
		Fresh:         conformance.FromKeys(builders),
		Receiver:      NewReceiver,
		Has:           (*Filter).Contains,
		HasString:     (*Filter).ContainsString,
		HasDigest:     (*Filter).ContainsDigest,
		HasAll:        (*Filter).ContainsAll,
		HasAllDigests: (*Filter).ContainsAllDigests,
		HasAllStrings: (*Filter).ContainsAllStrings,
		HasAllUint64:  (*Filter).ContainsAllUint64,
		HasUint64:     (*Filter).ContainsUint64,
		Reads: func(f *Filter) {
			f.FalsePositiveRate()
			f.SizeBytes()
			f.Params()
			f.Len()
			_ = f.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params, 1<<40)
			binary.LittleEndian.PutUint32(params[8:], 1<<16)
			params[12] = 2
			return 1 << 38
		},
		View: func(data []byte, fam hashfam.Family) (conformance.Viewed[*Filter], error) {
			return conformance.ViewOf[*Filter](NewView(data, fam))
		},
		ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) { return ReadParams(r, fam) },
		Params:     func(f *Filter) (any, hashfam.Family) { return f.Params(), f.family },
		Shown: func(f *Filter) []any {
			c := Config{FPRate: 0.01, Family: f.family}
			return []any{f.Params(), c, View{filter: *f}, Builder{config: c}}
		},
		Golden: []conformance.Golden[*Filter]{
			{File: "static.bin", Build: golden(Config{FPRate: 0.01}, 1000)},
			{File: "staticempty.bin", Build: golden(Config{FPRate: 0.01}, 0)},
			{File: "staticnarrow.bin", Build: golden(Config{FPRate: math.Ldexp(1, -7)}, 300)},
			{File: "statickeyed.bin", Build: golden(Config{FPRate: 0.3, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 2000)},
		},
	},
	Builders: builders,
}

// golden returns a function that builds a filter of n keys.
func golden(c Config, n int) func() *Filter {
	return func() *Filter {
		keys := make([][]byte, n)
		for i := range keys {
			keys[i] = fmt.Append(nil, "key ", i)
		}
		f, err := New(c, keys)
		if err != nil {
			panic(err)
		}
		return f
	}
}

func TestConformance(t *testing.T) { suite.Run(t) }

func FuzzMembership(f *testing.F)   { conformance.Fuzz(f, suite.Membership) }
func FuzzSameSet(f *testing.F)      { conformance.Fuzz(f, suite.SameSet) }
func FuzzOtherFamily(f *testing.F)  { conformance.Fuzz(f, suite.OtherFamily) }
func FuzzQueries(f *testing.F)      { conformance.Fuzz(f, suite.Queries) }
func FuzzRoundTrip(f *testing.F)    { conformance.Fuzz(f, suite.RoundTrip) }
func FuzzEquality(f *testing.F)     { conformance.Fuzz(f, suite.Equality) }
func FuzzDamage(f *testing.F)       { conformance.Fuzz(f, suite.Damage) }
func FuzzMutations(f *testing.F)    { suite.FuzzMutations(f) }
func FuzzLyingLength(f *testing.F)  { conformance.Fuzz(f, suite.LyingLength) }
func FuzzWrongFamily(f *testing.F)  { conformance.Fuzz(f, suite.WrongFamily) }
func FuzzWrongVersion(f *testing.F) { conformance.Fuzz(f, suite.WrongVersion) }
func FuzzStreams(f *testing.F)      { conformance.Fuzz(f, suite.Streams) }
func FuzzPureReads(f *testing.F)    { conformance.Fuzz(f, suite.PureReads) }
func FuzzViews(f *testing.F)        { conformance.Fuzz(f, suite.Views) }
func FuzzParameters(f *testing.F)   { conformance.Fuzz(f, suite.Parameters) }
func FuzzTexts(f *testing.F)        { conformance.Fuzz(f, suite.Texts) }
func FuzzDecode(f *testing.F)       { suite.FuzzDecode(f) }
func FuzzProgram(f *testing.F)      { suite.FuzzProgram(f) }
