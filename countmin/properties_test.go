package countmin

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestCountIsNeverBelowTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, truth := mustNew(t, drawParams(t, hashfam.Family{})), map[string]uint64{}
		for _, key := range rapid.SliceOfN(rapid.StringN(0, 2, -1), 0, 99).Draw(t, "keys") {
			s.AddString(key)
			truth[key]++
			require.GreaterOrEqual(t, s.CountString(key), truth[key])
		}
	})
}

func TestMergeKeepsAllCounts(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		s := mustNew(t, drawParams(t, hashfam.Family{}))
		other, key := s.Clone(), rapid.SliceOf(rapid.Byte()).Draw(t, "key")
		mine, theirs := rapid.Uint64Range(0, 127).Draw(t, "mine"), rapid.Uint64Range(0, 127).Draw(t, "theirs")
		s.AddN(key, mine)
		other.AddN(key, theirs)
		require.NoError(t, s.Merge(other))
		require.GreaterOrEqual(t, s.Count(key), mine+theirs)
	})
}

func TestDecodingReturnsTheEncodedSketch(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		s, decoded := mustNew(t, drawParams(t, hashfam.Family{})), new(Sketch)
		for _, key := range rapid.SliceOf(rapid.String()).Draw(t, "keys") {
			s.AddString(key)
		}
		b, err := s.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, decoded.UnmarshalBinary(b))
		require.True(t, decoded.Equal(s))
	})
}

// sketches describes how a Sketch is used, encoded and printed.
var sketches = conformance.Structure{
	Type:      conformance.Created(NewReceiver, drawParams, NewFromParams),
	Add:       adds,
	Delete:    removes,
	MostCount: func(s conformance.Encoded) uint64 { return most(s.(*Sketch)) },
	Canonical: func(s conformance.Encoded) bool { return !s.(*Sketch).params.Conservative },
	Actions: map[string]func(*conformance.Machine){
		"add copies": addCopies, "remove copies": conformance.On(removeCopies), "halve": conformance.On(halve),
	},
	Invariant: conformance.On(checkSketch),
	Golden: map[string]func() conformance.Encoded{
		"plain32.bin":      golden(Params{Width: 25, Depth: 3, CounterBits: 32}),
		"plain64.bin":      golden(Params{Width: 20, Depth: 2, CounterBits: 64}),
		"keyed.bin":        golden(Params{Width: 20, Depth: 4, CounterBits: 32, Family: keyed}),
		"plain16.bin":      golden(Params{Width: 25, Depth: 3, CounterBits: 16}),
		"conservative.bin": golden(Params{Width: 25, Depth: 3, CounterBits: 32, Conservative: true}),
		"halved8.bin":      halved,
	},
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<38/uint64(params[9]))
		params[8] = 4
		return 1 << 37
	},
	Header: conformance.Untyped(ReadParams),
	Reads: func(f conformance.Encoded) []any {
		s := f.(*Sketch)
		s.InnerProduct(s)
		s.CountDigest(1)
		return []any{Config{Family: s.Family()}, s.ErrorBound()}
	},
}

func TestSketch(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, sketches.Run)
}
func TestSketchFrames(t *testing.T) {
	machine.Matters(t)
	sketches.Test(t)
}
func FuzzSketch(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(sketches.Run)) }
func FuzzChangedFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(sketches.Change)) }
func FuzzFrames(f *testing.F)        { sketches.Fuzz(f) }

// adds returns the forms of Add and AddN.
func adds(f any) []conformance.Form {
	s := f.(*Sketch)
	return append(conformance.Adds(s), conformance.Forms("AddN", s,
		func(key []byte) { s.AddN(key, 1) }, func(d hashfam.Digest) { s.AddNDigest(d, 1) })...)
}

// removes returns the forms of Remove, which is an error for conservative
// sketches and for forged rows (see TestForgedRowsAreNotChangedByRemove).
func removes(f any) []conformance.Form {
	s := f.(*Sketch)
	if s.params.Conservative || s.uneven {
		return nil
	}
	return conformance.Forms("Remove", s,
		func(key []byte) bool { return s.Remove(key, 1) == nil }, func(d hashfam.Digest) bool { return s.RemoveDigest(d, 1) == nil })
}

// drawParams draws the parameters of a small sketch.
func drawParams(t *rapid.T, fam hashfam.Family) Params {
	return Params{
		Width:        rapid.OneOf(rapid.Uint64Range(1, 60), rapid.Uint64Range(1, 1200)).Draw(t, "width"),
		Depth:        rapid.IntRange(1, 6).Draw(t, "depth"),
		CounterBits:  rapid.SampledFrom([]int{8, 16, 32, 64}).Draw(t, "bits"),
		Conservative: rapid.Bool().Draw(t, "conservative"),
		Family:       fam,
	}
}

func mustNew(t require.TestingT, p Params) *Sketch {
	s, err := NewFromParams(p)
	require.NoError(t, err)
	return s
}

// must returns v and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var keyed = hashfam.New(hashfam.Key{1, 2, 3})

// golden is a sketch of 100 keys with different counts.
func golden(p Params) func() conformance.Encoded {
	return func() conformance.Encoded {
		s := must(NewFromParams(p))
		for i := range 100 {
			s.AddN(fmt.Appendf(nil, "key %d", i), uint64(1+i*i%7))
		}
		return s
	}
}

// halved is a sketch in which some counters were at their maximum when they
// were halved, and some are now.
func halved() conformance.Encoded {
	s := golden(Params{Width: 25, Depth: 3, CounterBits: 8, Conservative: true})().(*Sketch)
	s.AddN([]byte("key 1"), 1000)
	must(0, s.Halve())
	s.AddN([]byte("key 2"), 1000)
	return s
}

// drawCopies draws a number of copies that is usually small, but may saturate
// counters.
func drawCopies(t *rapid.T) uint64 {
	large := []uint64{255, 65_536, 1 << 31, math.MaxUint32 - 1, math.MaxUint32, 1 << 32, 1 << 63, math.MaxUint64}
	return rapid.OneOf(rapid.Uint64Range(0, 99), rapid.SampledFrom(large)).Draw(t, "copies")
}

// addCopies adds several copies of a key with one call.
func addCopies(m *conformance.Machine) {
	key, n := conformance.DrawKey(m.T), drawCopies(m.T)
	for _, f := range []conformance.Encoded{m.F, m.Twin} {
		f.(interface{ AddN([]byte, uint64) }).AddN([]byte(key), n)
	}
	if n > 0 {
		m.Count(key, n)
	}
}

// removeCopies removes several copies of a key with one call. It also tries to
// remove too many. Conservative sketches refuse, and have no inner product.
func removeCopies(m *conformance.Machine, s, twin *Sketch) {
	key := conformance.DrawKey(m.T)
	if s.params.Conservative {
		_, err := s.InnerProduct(twin)
		requireField(m, err, hashfam.ErrParams, "Params.Conservative")
		requireField(m, s.Remove([]byte(key), 0), hashfam.ErrParams, "Params.Conservative")
		return
	}
	n := min(drawCopies(m.T), m.Counts[key], s.CountString(key))
	require.NoError(m, s.RemoveDigest(m.Family.SumString(key), n))
	require.NoError(m, twin.Remove([]byte(key), n))
	m.Counts[key] -= n
	if count := s.CountString(key); count < most(s) {
		requireField(m, s.Remove([]byte(key), count+1), hashfam.ErrParams, "n")
	}
}

// halve halves the counts, which stop at their maximum. Plain sketches refuse.
func halve(m *conformance.Machine, s, twin *Sketch) {
	if !s.params.Conservative {
		requireField(m, s.Halve(), hashfam.ErrParams, "Params.Conservative")
		return
	}
	total := s.Total()
	require.NoError(m, s.Halve())
	require.NoError(m, twin.Halve())
	require.True(m, total == math.MaxUint64 || s.Total() == total/2, "the total was %d, and is %d", total, s.Total())
	for key, n := range m.Counts {
		m.Counts[key] = min(n, most(s)) / 2
	}
	m.Exact = false // because of rounding
}

// most returns the maximum of a sketch's counters.
func most(s *Sketch) uint64 { return math.MaxUint64 >> (64 - s.params.CounterBits) }

// checkSketch checks that the total is exact, and that no count of a
// conservative sketch exceeds the count of the plain sketch with the same keys.
// Neither needs to be true once a counter may have saturated.
func checkSketch(m *conformance.Machine, s, _ *Sketch) {
	total := conformance.Total(m.Counts)
	require.True(m, s.Total() == total || s.Total() > total && !m.Exact, "Total() = %d, want %d", s.Total(), total)
	if p := s.params; m.Exact && p.Conservative {
		p.Conservative = false
		plain := mustNew(m, p)
		for key, n := range m.Counts {
			plain.AddN([]byte(key), n)
		}
		for key := range m.Counts {
			require.LessOrEqual(m, s.CountString(key), plain.CountString(key), "copies of %q", key)
		}
	}
	m.Exact = m.Exact && total < most(s)
}
