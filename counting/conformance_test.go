package counting

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

var suite = conformance.Suite[*Filter]{
	Encoded: conformance.Encoded[*Filter]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Filter {
			p := drawParams(t)
			p.Family = fam
			return mustNew(t, p)
		},
		Receiver:      NewReceiver,
		Insert:        func(f *Filter, key []byte) error { f.Add(key); return nil },
		Has:           (*Filter).Contains,
		HasString:     (*Filter).ContainsString,
		HasDigest:     (*Filter).ContainsDigest,
		HasAll:        (*Filter).ContainsAll,
		HasAllDigests: (*Filter).ContainsAllDigests,
		Reads: func(f *Filter) {
			f.Count(nil)
			f.CountString("a")
			f.CountDigest(1)
			f.Bloom()
			f.EstimatedLen()
			f.FillRatio()
			f.FalsePositiveRate()
			f.Stuck()
			f.SizeBytes()
			f.Params()
			_ = f.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params, 1<<38)
			return 1 << 37
		},
		View: func(data []byte, fam hashfam.Family) (conformance.Viewed[*Filter], error) {
			return conformance.ViewOf[*Filter](NewView(data, fam))
		},
		HasAllStrings: (*Filter).ContainsAllStrings,
		HasAllUint64:  (*Filter).ContainsAllUint64,
		HasUint64:     (*Filter).ContainsUint64,
		ReadParams:    func(r io.Reader, fam hashfam.Family) (any, error) { return ReadParams(r, fam) },
		Params:        func(f *Filter) (any, hashfam.Family) { return f.params, f.params.Family },
		Shown:         func(f *Filter) []any { return []any{f.params, Config{Family: f.params.Family}, View{filter: *f}} },
		Golden: []conformance.Golden[*Filter]{
			{File: "counting.bin", Build: golden(Params{Counters: 1000, Hashes: 7})},
			{File: "blocked.bin", Build: golden(Params{Counters: 1024, Hashes: 7, Layout: Blocked})},
			{File: "stuck.bin", Build: golden(Params{Counters: 37, Hashes: 3})},
			{File: "keyed.bin", Build: golden(Params{Counters: 1024, Hashes: 4, Family: hashfam.New(hashfam.Key{1, 2, 3})})},
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
			{p.Counters + 1, p.Hashes, p.Layout, p.Family},
			{p.Counters * 2, p.Hashes, p.Layout, p.Family},
			{p.Counters, p.Hashes + 1, p.Layout, p.Family},
			{p.Counters, p.Hashes, Classic, p.Family},
			{p.Counters, p.Hashes, Blocked, p.Family},
			{p.Counters, p.Hashes, p.Layout, p.Family.Derive("another")},
		} {
			if g, err := NewFromParams(q); err == nil && q != p {
				variants = append(variants, g)
			}
		}
		return variants
	},
	Reset:        (*Filter).Reset,
	Clone:        (*Filter).Clone,
	Merge:        (*Filter).Merge,
	InsertString: func(f *Filter, key string) error { f.AddString(key); return nil },
	InsertDigest: func(f *Filter, d hashfam.Digest) error { f.AddDigest(d); return nil },
	InsertAll:    func(f *Filter, keys [][]byte) error { f.AddAll(keys); return nil },
	HasOrInsert:  func(f *Filter, key []byte) (bool, error) { return f.ContainsOrAdd(key), nil },
	HasOrInsertString: func(f *Filter, key string) (bool, error) {
		return f.ContainsOrAddString(key), nil
	},
	HasOrInsertUint64: func(f *Filter, key uint64) (bool, error) {
		return f.ContainsOrAddUint64(key), nil
	},
	HasOrInsertDigest: func(f *Filter, d hashfam.Digest) (bool, error) {
		return f.ContainsOrAddDigest(d), nil
	},
	InsertAllDigests: func(f *Filter, digests []hashfam.Digest) error { f.AddAllDigests(digests); return nil },
	Delete:           (*Filter).Delete,
	InsertAllStrings: func(f *Filter, keys []string) error { f.AddAllStrings(keys); return nil },
	InsertAllUint64:  func(f *Filter, keys []uint64) error { f.AddAllUint64(keys); return nil },
	InsertSeq:        func(f *Filter, keys iter.Seq[[]byte]) error { f.AddSeq(keys); return nil },
	InsertUint64:     func(f *Filter, key uint64) error { f.AddUint64(key); return nil },
}

// golden returns a function that builds a filter: it adds a hundred keys, the
// first of them twice, and deletes ten.
func golden(p Params) func() *Filter {
	return func() *Filter {
		f, err := NewFromParams(p)
		if err != nil {
			panic(err)
		}
		for i := range 101 {
			f.AddString(fmt.Sprint("key ", i%100))
		}
		for i := range 10 {
			f.DeleteString(fmt.Sprint("key ", 50+i))
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
func FuzzMultiset(f *testing.F)          { conformance.Fuzz(f, multiset) }
func FuzzViews(f *testing.F)             { conformance.Fuzz(f, suite.Views) }
func FuzzParameters(f *testing.F)        { conformance.Fuzz(f, suite.Parameters) }
func FuzzBatches(f *testing.F)           { conformance.Fuzz(f, suite.Batches) }
func FuzzTexts(f *testing.F)             { conformance.Fuzz(f, suite.Texts) }
func FuzzMutations(f *testing.F)         { suite.FuzzMutations(f) }
func FuzzDecode(f *testing.F)            { suite.FuzzDecode(f) }
