package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// drawParams draws a small sketch.
func drawParams(t *rapid.T, conservative bool) Params {
	return Params{
		Width:        uint64(rapid.IntRange(1, 60).Draw(t, "width")),
		Depth:        rapid.IntRange(1, 6).Draw(t, "depth"),
		CounterBits:  rapid.SampledFrom([]int{32, 64}).Draw(t, "bits"),
		Conservative: conservative,
	}
}

func mustNew(t require.TestingT, p Params) *Sketch {
	s, err := NewFromParams(p)
	require.NoError(t, err)
	return s
}

// must returns v and panics on an error, for what cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// positive appends to dst whether each count is above zero.
func positive(dst []bool, counts []uint64) []bool {
	for _, n := range counts {
		dst = append(dst, n > 0)
	}
	return dst
}

// sketches is the suite for sketches, plain or conservative. To be counted at
// all is to be in it.
func sketches(conservative bool) conformance.Suite[*Sketch] {
	s := conformance.Suite[*Sketch]{
		Encoded: conformance.Encoded[*Sketch]{
			Fresh: func(t *rapid.T, fam hashfam.Family) *Sketch {
				p := drawParams(t, conservative)
				p.Family = fam
				return mustNew(t, p)
			},
			Receiver:  NewReceiver,
			Insert:    func(s *Sketch, key []byte) error { s.Add(key); return nil },
			Has:       func(s *Sketch, key []byte) bool { return s.Count(key) > 0 },
			HasString: func(s *Sketch, key string) bool { return s.CountString(key) > 0 },
			HasDigest: func(s *Sketch, d hashfam.Digest) bool { return s.CountDigest(d) > 0 },
			HasAll: func(s *Sketch, dst []bool, keys [][]byte) []bool {
				var buf [1024]uint64
				return positive(dst, s.CountAll(buf[:0], keys))
			},
			Reads: func(s *Sketch) {
				s.Bounds(nil)
				s.BoundsString("")
				s.BoundsDigest(0)
				s.ErrorBound()
				s.Total()
				s.InnerProduct(s)
				s.SizeBytes()
				s.Params()
				_ = s.String()
			},
			ClaimHuge: func(params []byte) uint64 {
				binary.LittleEndian.PutUint64(params, 1<<32)
				params[8], params[9] = 4, 64
				return 1 << 37
			},
		},
		Like: func(s *Sketch) *Sketch { return must(NewFromParams(s.Params())) },
		Variants: func(s *Sketch) []*Sketch {
			p := s.Params()
			variants := []Params{p, p, p, p, p}
			variants[0].Width++
			variants[1].Depth++
			variants[2].CounterBits ^= 32 ^ 64
			variants[3].Conservative = !p.Conservative
			variants[4].Family = p.Family.Derive("another")
			var made []*Sketch
			for _, q := range variants {
				made = append(made, must(NewFromParams(q)))
			}
			return made
		},
		Reset:               (*Sketch).Reset,
		Clone:               (*Sketch).Clone,
		Merge:               (*Sketch).Merge,
		InsertString:        func(s *Sketch, key string) error { s.AddString(key); return nil },
		InsertDigest:        func(s *Sketch, d hashfam.Digest) error { s.AddDigest(d); return nil },
		InsertAll:           func(s *Sketch, keys [][]byte) error { s.AddAll(keys); return nil },
		MergeIsAnUpperBound: conservative,
	}
	s.InsertAllDigests = func(s *Sketch, digests []hashfam.Digest) error { s.AddAllDigests(digests); return nil }
	s.HasAllDigests = func(s *Sketch, dst []bool, digests []hashfam.Digest) []bool {
		var buf [64]uint64
		return positive(dst, s.CountAllDigests(buf[:0], digests))
	}
	s.View = func(data []byte, fam hashfam.Family) (conformance.Viewed[*Sketch], error) {
		v, err := NewView(data, fam)
		if err != nil {
			return conformance.Viewed[*Sketch]{}, err
		}
		return conformance.Viewed[*Sketch]{
			Has:       func(key []byte) bool { return v.Count(key) > 0 },
			HasString: func(key string) bool { return v.CountString(key) > 0 },
			HasUint64: func(key uint64) bool { return v.CountUint64(key) > 0 },
			HasDigest: func(d hashfam.Digest) bool { return v.CountDigest(d) > 0 },
			HasAll:    func(dst []bool, keys [][]byte) []bool { return positive(dst, v.CountAll(nil, keys)) },
			HasAllStrings: func(dst []bool, keys []string) []bool {
				return positive(dst, v.CountAllStrings(nil, keys))
			},
			HasAllUint64: func(dst []bool, keys []uint64) []bool {
				return positive(dst, v.CountAllUint64(nil, keys))
			},
			HasAllDigests: func(dst []bool, digests []hashfam.Digest) []bool {
				return positive(dst, v.CountAllDigests(nil, digests))
			},
			Verify: v.Verify, Decode: v.Decode, JSON: v.MarshalJSON,
		}, nil
	}
	s.InsertAllStrings = func(s *Sketch, keys []string) error { s.AddAllStrings(keys); return nil }
	s.HasAllStrings = func(s *Sketch, dst []bool, keys []string) []bool {
		return positive(dst, s.CountAllStrings(nil, keys))
	}
	s.InsertAllUint64 = func(s *Sketch, keys []uint64) error { s.AddAllUint64(keys); return nil }
	s.HasAllUint64 = func(s *Sketch, dst []bool, keys []uint64) []bool {
		return positive(dst, s.CountAllUint64(nil, keys))
	}
	s.InsertSeq = func(s *Sketch, keys iter.Seq[[]byte]) error { s.AddSeq(keys); return nil }
	s.InsertUint64 = func(s *Sketch, key uint64) error { s.AddUint64(key); return nil }
	s.HasUint64 = func(s *Sketch, key uint64) bool { return s.CountUint64(key) > 0 }
	s.ReadParams = func(r io.Reader, fam hashfam.Family) (any, error) { return ReadParams(r, fam) }
	s.Params = func(s *Sketch) (any, hashfam.Family) { return s.params, s.params.Family }
	s.NilErrors = []func(*Sketch) error{
		func(s *Sketch) error { return s.Remove(nil) },
		func(s *Sketch) error { return s.RemoveString("") },
		func(s *Sketch) error { return s.RemoveDigest(0) },
		func(s *Sketch) error { return s.RemoveN(nil, 1) },
		func(s *Sketch) error { return s.RemoveNString("", 1) },
		func(s *Sketch) error { return s.RemoveNDigest(0, 1) },
		func(s *Sketch) error { _, err := s.InnerProduct(s); return err },
	}
	s.Shown = func(s *Sketch) []any { return []any{s.params, Config{Family: s.params.Family}, View{sketch: *s}} }
	if !conservative {
		s.Delete = func(s *Sketch, key []byte) bool { return s.Remove(key) == nil }
	}
	return s
}

var (
	plain        = sketches(false)
	conservative = sketches(true)
)

func init() {
	for _, g := range []struct {
		file string
		p    Params
	}{
		{"plain32.bin", Params{Width: 25, Depth: 3, CounterBits: 32}},
		{"plain64.bin", Params{Width: 20, Depth: 2, CounterBits: 64}},
		{"keyed.bin", Params{Width: 20, Depth: 4, CounterBits: 32, Family: hashfam.New(hashfam.Key{1, 2, 3})}},
	} {
		plain.Golden = append(plain.Golden, conformance.Golden[*Sketch]{File: g.file, Build: golden(g.p)})
	}
	conservative.Golden = []conformance.Golden[*Sketch]{
		{File: "conservative.bin", Build: golden(Params{Width: 25, Depth: 3, CounterBits: 32, Conservative: true})},
	}
}

// golden returns what builds a sketch of a hundred keys, some counted more.
func golden(p Params) func() *Sketch {
	return func() *Sketch {
		s := must(NewFromParams(p))
		for i := range 100 {
			s.AddNString(fmt.Sprint("key ", i), uint64(1+i*i%7))
		}
		return s
	}
}

func TestConformanceOfPlainSketches(t *testing.T)        { plain.Run(t) }
func TestConformanceOfConservativeSketches(t *testing.T) { conservative.Run(t) }

func FuzzKeyForms(f *testing.F)              { conformance.Fuzz(f, plain.KeyForms) }
func FuzzEmptyKey(f *testing.F)              { conformance.Fuzz(f, plain.EmptyKey) }
func FuzzMergeIsJointBuild(f *testing.F)     { conformance.Fuzz(f, plain.MergeIsJointBuild) }
func FuzzIncompatible(f *testing.F)          { conformance.Fuzz(f, plain.Incompatible) }
func FuzzCloneAndReset(f *testing.F)         { conformance.Fuzz(f, plain.CloneAndReset) }
func FuzzRoundTrip(f *testing.F)             { conformance.Fuzz(f, plain.RoundTrip) }
func FuzzDamage(f *testing.F)                { conformance.Fuzz(f, plain.Damage) }
func FuzzLyingLength(f *testing.F)           { conformance.Fuzz(f, plain.LyingLength) }
func FuzzWrongFamily(f *testing.F)           { conformance.Fuzz(f, plain.WrongFamily) }
func FuzzWrongVersion(f *testing.F)          { conformance.Fuzz(f, plain.WrongVersion) }
func FuzzStreams(f *testing.F)               { conformance.Fuzz(f, plain.Streams) }
func FuzzPureReads(f *testing.F)             { conformance.Fuzz(f, plain.PureReads) }
func FuzzViews(f *testing.F)                 { conformance.Fuzz(f, plain.Views) }
func FuzzBatches(f *testing.F)               { conformance.Fuzz(f, plain.Batches) }
func FuzzTexts(f *testing.F)                 { conformance.Fuzz(f, plain.Texts) }
func FuzzParameters(f *testing.F)            { conformance.Fuzz(f, plain.Parameters) }
func FuzzMutations(f *testing.F)             { plain.FuzzMutations(f) }
func FuzzConservativeMutations(f *testing.F) { conservative.FuzzMutations(f) }
func FuzzDecode(f *testing.F)                { plain.FuzzDecode(f) }
