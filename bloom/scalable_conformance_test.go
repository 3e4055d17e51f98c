package bloom

import (
	"fmt"
	"iter"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

var scalableSuite = conformance.Suite[*Scalable]{
	Encoded: conformance.Encoded[*Scalable]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Scalable {
			return likeScalable(ScalableConfig{
				Expected: rapid.Uint64Range(1, 30).Draw(t, "expected"),
				FPRate:   rapid.SampledFrom([]float64{0.5, 0.1, 0.001}).Draw(t, "rate"),
				Layout:   rapid.SampledFrom(layouts).Draw(t, "layout"),
				Family:   fam,
			})
		},
		Receiver:      NewScalableReceiver,
		Insert:        func(s *Scalable, key []byte) error { s.Add(key); return nil },
		Has:           (*Scalable).Contains,
		HasString:     (*Scalable).ContainsString,
		HasDigest:     (*Scalable).ContainsDigest,
		HasAll:        (*Scalable).ContainsAll,
		HasAllDigests: (*Scalable).ContainsAllDigests,
		HasAllStrings: (*Scalable).ContainsAllStrings,
		HasAllUint64:  (*Scalable).ContainsAllUint64,
		HasUint64:     (*Scalable).ContainsUint64,
		Reads: func(s *Scalable) {
			s.EstimatedLen()
			s.FalsePositiveRate()
			s.SizeBytes()
			s.Stages()
			s.Config()
			_ = s.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			params[25] = 64 // stages
			return 1 << 37
		},
		Params: func(s *Scalable) (any, hashfam.Family) { return s.config, s.config.Family },
		Shown:  func(s *Scalable) []any { return []any{s.config} },
		NilErrors: []func(*Scalable) error{
			func(s *Scalable) error { return s.Merge(new(Filter)) },
		},
		Golden: []conformance.Golden[*Scalable]{
			{File: "scalable.bin", Build: goldenScalable(ScalableConfig{Expected: 20, FPRate: 0.1})},
			{File: "scalable-blocked.bin", Build: goldenMerged(
				goldenScalable(ScalableConfig{Expected: 60, FPRate: 0.1, Layout: Blocked, Family: hashfam.New(hashfam.Key{1, 2, 3})}),
				golden(Params{Bits: 1000, Hashes: 7, Family: hashfam.New(hashfam.Key{1, 2, 3})}),
			)},
		},
	},
	Like: func(s *Scalable) *Scalable { return likeScalable(s.config) },
	Variants: func(s *Scalable) []*Scalable {
		var variants []*Scalable
		for _, change := range []func(*ScalableConfig){
			func(c *ScalableConfig) { c.Expected++ },
			func(c *ScalableConfig) { c.FPRate *= 0.999 },
			func(c *ScalableConfig) { c.Layout = (c.Layout + 1) % 3 },
			func(c *ScalableConfig) { c.Layout = (c.Layout + 2) % 3 },
			func(c *ScalableConfig) { c.Family = c.Family.Derive("another") },
		} {
			c := s.config
			change(&c)
			variants = append(variants, likeScalable(c))
		}
		return variants
	},
	Reset:        (*Scalable).Reset,
	Clone:        (*Scalable).Clone,
	InsertString: func(s *Scalable, key string) error { s.AddString(key); return nil },
	InsertDigest: func(s *Scalable, d hashfam.Digest) error { s.AddDigest(d); return nil },
	InsertAll:    func(s *Scalable, keys [][]byte) error { s.AddAll(keys); return nil },
	HasOrInsert:  func(s *Scalable, key []byte) (bool, error) { return s.ContainsOrAdd(key), nil },
	HasOrInsertString: func(s *Scalable, key string) (bool, error) {
		return s.ContainsOrAddString(key), nil
	},
	HasOrInsertUint64: func(s *Scalable, key uint64) (bool, error) {
		return s.ContainsOrAddUint64(key), nil
	},
	HasOrInsertDigest: func(s *Scalable, d hashfam.Digest) (bool, error) {
		return s.ContainsOrAddDigest(d), nil
	},
	InsertAllDigests: func(s *Scalable, digests []hashfam.Digest) error { s.AddAllDigests(digests); return nil },
	InsertAllStrings: func(s *Scalable, keys []string) error { s.AddAllStrings(keys); return nil },
	InsertAllUint64:  func(s *Scalable, keys []uint64) error { s.AddAllUint64(keys); return nil },
	InsertSeq:        func(s *Scalable, keys iter.Seq[[]byte]) error { s.AddSeq(keys); return nil },
	InsertUint64:     func(s *Scalable, key uint64) error { s.AddUint64(key); return nil },
}

// likeScalable returns an empty filter. It keeps one for each configuration: to
// plan one takes milliseconds if the rate is low.
func likeScalable(c ScalableConfig) *Scalable {
	empty, planned := emptyScalables.Load(c)
	if !planned {
		fresh, err := NewScalable(c)
		if err != nil {
			panic(err)
		}
		empty, _ = emptyScalables.LoadOrStore(c, fresh)
	}
	return empty.(*Scalable).Clone()
}

var emptyScalables sync.Map

// goldenScalable returns a function that returns a filter of a hundred keys.
func goldenScalable(c ScalableConfig) func() *Scalable {
	full := sync.OnceValue(func() *Scalable {
		s := likeScalable(c)
		for i := range 100 {
			s.AddString(fmt.Sprint("key ", i))
		}
		return s
	})
	return func() *Scalable { return full().Clone() }
}

// goldenMerged returns a function that merges a plain filter into a scalable
// one.
func goldenMerged(scalable func() *Scalable, plain func() *Filter) func() *Scalable {
	return func() *Scalable {
		s := scalable()
		if err := s.Merge(plain()); err != nil {
			panic(err)
		}
		return s
	}
}

func TestScalableConformance(t *testing.T) { scalableSuite.Run(t) }

func FuzzScalableMutations(f *testing.F) { scalableSuite.FuzzMutations(f) }
func FuzzScalableDecode(f *testing.F)    { scalableSuite.FuzzDecode(f) }
