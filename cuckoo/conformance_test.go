package cuckoo

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// drawParams draws a small filter of any width. Half of them have so few
// slots that the keys of a property do not all fit.
func drawParams(t *rapid.T) Params {
	p := Params{
		Buckets:         2 * uint64(rapid.IntRange(1, 20).Draw(t, "half the buckets")),
		FingerprintBits: rapid.IntRange(minBits, maxBits).Draw(t, "width"),
		Compact:         rapid.Bool().Draw(t, "compact"),
		Family:          hashfam.Family{}.Derive(rapid.StringN(0, 3, -1).Draw(t, "family")),
	}
	if rapid.Bool().Draw(t, "small") {
		p.Buckets = min(p.Buckets, 6)
	}
	return p
}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

func insertAll(f *Filter, keys [][]byte) error {
	_, err := f.AddAll(keys)
	return err
}

var suite = conformance.Suite[*Filter]{
	Encoded: conformance.Encoded[*Filter]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Filter {
			p := drawParams(t)
			p.Family = fam
			return mustNew(t, p)
		},
		Receiver:  NewReceiver,
		Insert:    (*Filter).Add,
		Has:       (*Filter).Contains,
		HasString: (*Filter).ContainsString,
		HasDigest: (*Filter).ContainsDigest,
		HasAll:    (*Filter).ContainsAll,
		Reads: func(f *Filter) {
			f.Count(nil)
			f.Len()
			f.FillRatio()
			f.FalsePositiveRate()
			f.SizeBytes()
			f.Params().Capacity()
			_ = f.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params, 1<<35)
			params[8], params[9] = 8, 0 // 2^40 bits, of a width that fills them
			return 1<<37 + 8
		},
		View: func(data []byte, fam hashfam.Family) (conformance.Viewed[*Filter], error) {
			return conformance.ViewOf[*Filter](NewView(data, fam))
		},
		NilErrors: []func(*Filter) error{
			func(f *Filter) error { return f.Add(nil) },
			func(f *Filter) error { return f.AddString("") },
			func(f *Filter) error { return f.AddDigest(0) },
			func(f *Filter) error { return f.AddUint64(0) },
			func(f *Filter) error { _, err := f.AddAllStrings([]string{""}); return err },
			func(f *Filter) error { _, err := f.AddAllUint64([]uint64{1}); return err },
			func(f *Filter) error { _, err := f.AddAllDigests([]hashfam.Digest{1}); return err },
			func(f *Filter) error { _, err := f.AddSeq(slices.Values([][]byte{nil})); return err },
			func(f *Filter) error { _, err := f.AddAll(nil); return err },
			func(f *Filter) error { _, err := f.AddAll([][]byte{nil}); return err },
			func(f *Filter) error { _, err := f.ContainsOrAdd(nil); return err },
			func(f *Filter) error { _, err := f.ContainsOrAddString(""); return err },
			func(f *Filter) error { _, err := f.ContainsOrAddDigest(0); return err },
		},
		HasAllDigests: (*Filter).ContainsAllDigests,
		HasAllStrings: (*Filter).ContainsAllStrings,
		HasAllUint64:  (*Filter).ContainsAllUint64,
		HasUint64:     (*Filter).ContainsUint64,
		ReadParams:    func(r io.Reader, fam hashfam.Family) (any, error) { return ReadParams(r, fam) },
		Params:        func(f *Filter) (any, hashfam.Family) { return f.params, f.params.Family },
		Shown:         func(f *Filter) []any { return []any{f.params, Config{Family: f.params.Family}, View{filter: *f}} },
		Golden: []conformance.Golden[*Filter]{
			{File: "plain.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 9})},
			{File: "wide.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 31})},
			{File: "compact.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 9, Compact: true})},
			{File: "wide-compact.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 25, Compact: true})},
			{File: "keyed.bin", Build: golden(Params{Buckets: 64, FingerprintBits: 16, Family: hashfam.New(hashfam.Key{1, 2, 3})})},
		},
	},
	Like: func(f *Filter) *Filter {
		g, err := NewFromParams(f.Params())
		if err != nil {
			panic(err)
		}
		return g
	},
	Variants: func(f *Filter) []*Filter {
		var variants []*Filter
		p := f.Params()
		for _, q := range []Params{
			{p.Buckets + 2, p.FingerprintBits, p.Compact, p.Family},
			{p.Buckets, p.FingerprintBits + 1, p.Compact, p.Family},
			{p.Buckets, p.FingerprintBits - 1, p.Compact, p.Family},
			{p.Buckets, p.FingerprintBits, !p.Compact, p.Family},
			{p.Buckets, p.FingerprintBits, p.Compact, p.Family.Derive("another")},
		} {
			if g, err := NewFromParams(q); err == nil {
				variants = append(variants, g)
			}
		}
		return variants
	},
	Reset:             (*Filter).Reset,
	Clone:             (*Filter).Clone,
	Merge:             (*Filter).Merge,
	InsertString:      (*Filter).AddString,
	InsertDigest:      (*Filter).AddDigest,
	InsertAll:         insertAll,
	HasOrInsert:       (*Filter).ContainsOrAdd,
	HasOrInsertString: (*Filter).ContainsOrAddString,
	HasOrInsertUint64: (*Filter).ContainsOrAddUint64,
	HasOrInsertDigest: (*Filter).ContainsOrAddDigest,
	Delete:            (*Filter).Delete,
	Count:             (*Filter).Count,
	MergeReorders:     true,
	InsertAllDigests:  func(f *Filter, digests []hashfam.Digest) error { _, err := f.AddAllDigests(digests); return err },
	InsertAllStrings:  func(f *Filter, keys []string) error { _, err := f.AddAllStrings(keys); return err },
	InsertAllUint64:   func(f *Filter, keys []uint64) error { _, err := f.AddAllUint64(keys); return err },
	InsertSeq:         func(f *Filter, keys iter.Seq[[]byte]) error { _, err := f.AddSeq(keys); return err },
	InsertUint64:      (*Filter).AddUint64,
}

// golden returns what builds a filter of a hundred keys.
func golden(p Params) func() *Filter {
	return func() *Filter {
		f, err := NewFromParams(p)
		if err != nil {
			panic(err)
		}
		for i := range 100 {
			if err := f.AddString(fmt.Sprint("key ", i)); err != nil {
				panic(err)
			}
		}
		return f
	}
}

func TestConformance(t *testing.T) { suite.Run(t) }

func FuzzKeyForms(f *testing.F)          { conformance.Fuzz(f, suite.KeyForms) }
func FuzzHasOrInserts(f *testing.F)      { conformance.Fuzz(f, suite.HasOrInserts) }
func FuzzEmptyKey(f *testing.F)          { conformance.Fuzz(f, suite.EmptyKey) }
func FuzzMergeIsJointBuild(f *testing.F) { conformance.Fuzz(f, suite.MergeIsJointBuild) }
func FuzzIncompatible(f *testing.F)      { conformance.Fuzz(f, suite.Incompatible) }
func FuzzCloneAndReset(f *testing.F)     { conformance.Fuzz(f, suite.CloneAndReset) }
func FuzzRoundTrip(f *testing.F)         { conformance.Fuzz(f, suite.RoundTrip) }
func FuzzDamage(f *testing.F)            { conformance.Fuzz(f, suite.Damage) }
func FuzzLyingLength(f *testing.F)       { conformance.Fuzz(f, suite.LyingLength) }
func FuzzWrongFamily(f *testing.F)       { conformance.Fuzz(f, suite.WrongFamily) }
func FuzzWrongVersion(f *testing.F)      { conformance.Fuzz(f, suite.WrongVersion) }
func FuzzStreams(f *testing.F)           { conformance.Fuzz(f, suite.Streams) }
func FuzzPureReads(f *testing.F)         { conformance.Fuzz(f, suite.PureReads) }
func FuzzViews(f *testing.F)             { conformance.Fuzz(f, suite.Views) }
func FuzzParameters(f *testing.F)        { conformance.Fuzz(f, suite.Parameters) }
func FuzzBatches(f *testing.F)           { conformance.Fuzz(f, suite.Batches) }
func FuzzTexts(f *testing.F)             { conformance.Fuzz(f, suite.Texts) }
func FuzzMutations(f *testing.F)         { suite.FuzzMutations(f) }
func FuzzDecode(f *testing.F)            { suite.FuzzDecode(f) }
