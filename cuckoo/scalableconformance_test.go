package cuckoo

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func mustScale(t require.TestingT, c ScalableConfig) *Scalable {
	s, err := NewScalable(c)
	require.NoError(t, err)
	return s
}

var scalableSuite = conformance.Suite[*Scalable]{
	Encoded: conformance.Encoded[*Scalable]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Scalable {
			return mustScale(t, ScalableConfig{
				Expected: uint64(rapid.IntRange(1, 1000).Draw(t, "expected")),
				FPRate:   math.Pow(10, rapid.Float64Range(-6, -0.1).Draw(t, "digits")),
				Compact:  rapid.Bool().Draw(t, "compact"),
				Family:   fam,
			})
		},
		Receiver:  NewScalableReceiver,
		Insert:    (*Scalable).Add,
		Has:       (*Scalable).Contains,
		HasString: (*Scalable).ContainsString,
		HasDigest: (*Scalable).ContainsDigest,
		HasAll:    (*Scalable).ContainsAll,
		Reads: func(s *Scalable) {
			s.Count(nil)
			s.CountAll(nil, [][]byte{nil})
			s.Len()
			s.FillRatio()
			s.FalsePositiveRate()
			s.SizeBytes()
			s.Pages()
			s.Config()
			_ = s.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params, 1<<36)
			binary.LittleEndian.PutUint64(params[8:], math.Float64bits(0.01))
			params[24], params[25] = 0, 10
			binary.LittleEndian.PutUint64(params[32:], ScalableConfig{Expected: 1 << 36, FPRate: 0.01}.geometry().roots)
			return 1 << 37
		},
		NilErrors: []func(*Scalable) error{
			func(s *Scalable) error { return s.Add(nil) },
			func(s *Scalable) error { return s.AddString("") },
			func(s *Scalable) error { return s.AddDigest(0) },
			func(s *Scalable) error { return s.AddUint64(0) },
			func(s *Scalable) error { _, err := s.AddAll(nil); return err },
			func(s *Scalable) error { _, err := s.AddAll([][]byte{nil}); return err },
			func(s *Scalable) error { _, err := s.AddAllStrings([]string{""}); return err },
			func(s *Scalable) error { _, err := s.AddAllUint64([]uint64{1}); return err },
			func(s *Scalable) error { _, err := s.AddAllDigests([]hashfam.Digest{1}); return err },
			func(s *Scalable) error { _, err := s.AddSeq(slices.Values([][]byte{nil})); return err },
			func(s *Scalable) error { _, err := s.ContainsOrAdd(nil); return err },
			func(s *Scalable) error { _, err := s.ContainsOrAddString(""); return err },
			func(s *Scalable) error { _, err := s.ContainsOrAddDigest(0); return err },
		},
		HasAllDigests: (*Scalable).ContainsAllDigests,
		HasAllStrings: (*Scalable).ContainsAllStrings,
		HasAllUint64:  (*Scalable).ContainsAllUint64,
		HasUint64:     (*Scalable).ContainsUint64,
		Params:        func(s *Scalable) (any, hashfam.Family) { return s.config, s.config.Family },
		Shown:         func(s *Scalable) []any { return []any{s.config} },
		Golden: []conformance.Golden[*Scalable]{
			{File: "scalable.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 0.01}, 100)},
			{File: "scalable-wide.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 1e-6}, 100)},
			{File: "scalable-compact.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 0.01, Compact: true}, 100)},
			{File: "scalable-grown.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 0.5, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 900)},
		},
	},
	Like: func(s *Scalable) *Scalable {
		c, err := NewScalable(s.config)
		if err != nil {
			panic(err)
		}
		return c
	},
	Variants: func(s *Scalable) []*Scalable {
		c := s.config
		var variants []*Scalable
		for _, v := range []ScalableConfig{
			{Expected: c.Expected + 1, FPRate: c.FPRate, Compact: c.Compact, Family: c.Family},
			{Expected: c.Expected, FPRate: c.FPRate * 1.01, Compact: c.Compact, Family: c.Family},
			{Expected: c.Expected, FPRate: c.FPRate, Compact: !c.Compact, Family: c.Family},
			{Expected: c.Expected, FPRate: c.FPRate, Compact: c.Compact, Family: c.Family.Derive("another")},
		} {
			if g, err := NewScalable(v); err == nil {
				variants = append(variants, g)
			}
		}
		return variants
	},
	Reset:             (*Scalable).Reset,
	Clone:             (*Scalable).Clone,
	InsertString:      (*Scalable).AddString,
	InsertDigest:      (*Scalable).AddDigest,
	InsertAll:         func(s *Scalable, keys [][]byte) error { _, err := s.AddAll(keys); return err },
	HasOrInsert:       (*Scalable).ContainsOrAdd,
	HasOrInsertString: (*Scalable).ContainsOrAddString,
	HasOrInsertUint64: (*Scalable).ContainsOrAddUint64,
	HasOrInsertDigest: (*Scalable).ContainsOrAddDigest,
	Delete:            (*Scalable).Delete,
	Count:             (*Scalable).Count,
	MergeReorders:     true,
	InsertAllDigests:  func(s *Scalable, digests []hashfam.Digest) error { _, err := s.AddAllDigests(digests); return err },
	InsertAllStrings:  func(s *Scalable, keys []string) error { _, err := s.AddAllStrings(keys); return err },
	InsertAllUint64:   func(s *Scalable, keys []uint64) error { _, err := s.AddAllUint64(keys); return err },
	InsertSeq:         func(s *Scalable, keys iter.Seq[[]byte]) error { _, err := s.AddSeq(keys); return err },
	InsertUint64:      (*Scalable).AddUint64,
}

// goldenScalable returns what builds a filter of n keys.
func goldenScalable(c ScalableConfig, n int) func() *Scalable {
	return func() *Scalable {
		s, err := NewScalable(c)
		if err != nil {
			panic(err)
		}
		for i := range n {
			if err := s.AddString(fmt.Sprint("key ", i)); err != nil {
				panic(err)
			}
		}
		return s
	}
}

func TestScalableConformance(t *testing.T) { scalableSuite.Run(t) }

func FuzzScalableMutations(f *testing.F) { scalableSuite.FuzzMutations(f) }
func FuzzScalableDecode(f *testing.F)    { scalableSuite.FuzzDecode(f) }
