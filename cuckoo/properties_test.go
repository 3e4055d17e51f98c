package cuckoo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

func TestKeysAreFoundUntilDeleted(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t, hashfam.Family{}))
		keys := rapid.SliceOfN(rapid.String(), 0, 8).Draw(t, "keys")
		for _, key := range keys {
			require.NoError(t, f.AddString(key))
		}
		for _, key := range keys {
			require.True(t, f.ContainsString(key) && f.DeleteString(key))
		}
	})
}

func TestMergeKeepsAllKeys(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t, hashfam.Family{}))
		g := f.Clone()
		mine, other := rapid.String().Draw(t, "mine"), rapid.String().Draw(t, "other")
		require.NoError(t, f.AddString(mine))
		require.NoError(t, g.AddString(other))
		require.NoError(t, f.Merge(g))
		require.True(t, f.ContainsString(mine) && f.ContainsString(other))
	})
}

func TestDecodingReturnsTheEncodedFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f, g := mustNew(t, drawParams(t, hashfam.Family{})), new(Filter)
		for _, key := range rapid.SliceOfN(rapid.String(), 0, 8).Draw(t, "keys") {
			require.NoError(t, f.AddString(key))
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalBinary(b))
		require.True(t, g.Equal(f))
	})
}

// The error of a merge names a Capacity with which the same keys can be merged.
// With probability above 1 - 1e-6 they fit, for each of 20 families.
func TestFullMergesNameTheCapacityThatIsEnough(t *testing.T) {
	for family := range 20 {
		fam := hashfam.Family{}.Derive(fmt.Sprint("merge ", family))
		merge := func(capacity uint64) error {
			parts := make([]*Filter, 4)
			for i := range parts {
				parts[i] = hashfam.Must(New(Config{Capacity: capacity, FPRate: 0.01, Compact: true, Family: fam}))
				for key := range uint64(1000) {
					require.NoError(t, parts[i].AddDigest(fam.SumUint64(uint64(i)<<32|key)))
				}
			}
			return parts[0].Merge(parts[1:]...)
		}
		err := merge(1000)
		require.ErrorIs(t, err, ErrFull)
		require.ErrorContains(t, err, "cuckoo: filter is full: merging needs filters with a Capacity of at least 4000")
		require.NoError(t, merge(4000))
	}
}

// filters describes how a Filter is used, encoded and printed.
var filters = conformance.Structure{
	Full: ErrFull,
	Type: conformance.Created(NewReceiver, drawParams, NewFromParams),
	// Tables depend on the order of keys unless they are empty.
	Canonical: func(f conformance.Encoded) bool { return f.(*Filter).Len() == 0 },
	Actions:   map[string]func(*conformance.Machine){"add copies": conformance.On(addCopies[*Filter])},
	Golden: map[string]func() conformance.Encoded{
		"plain.bin":        conformance.Filled(NewFromParams, Params{Buckets: 38, FingerprintBits: 9}, 100),
		"wide.bin":         conformance.Filled(NewFromParams, Params{Buckets: 38, FingerprintBits: 31}, 100),
		"compact.bin":      conformance.Filled(NewFromParams, Params{Buckets: 38, FingerprintBits: 9, Compact: true}, 100),
		"wide-compact.bin": conformance.Filled(NewFromParams, Params{Buckets: 38, FingerprintBits: 25, Compact: true}, 100),
		"keyed.bin":        conformance.Filled(NewFromParams, Params{Buckets: 64, FingerprintBits: 16, Family: keyed}, 100),
	},
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<35)
		params[8], params[9] = 8, 0
		return 1<<37 + 8
	},
	Header: conformance.Untyped(ReadParams),
	View:   conformance.Untyped(NewView),
	Reads:  func(f conformance.Encoded) []any { return []any{Config{Family: f.Family()}} },
}

// scalables describes how a Scalable is used, encoded and printed.
var scalables = conformance.Structure{
	Full: ErrFull,
	Type: conformance.Created(NewScalableReceiver, drawScalable, NewScalable),
	Actions: map[string]func(*conformance.Machine){
		"add copies": conformance.On(addCopies[*Scalable]), "add thousands": conformance.On(addThousands),
	},
	Invariant: conformance.On(checkLimits),
	Golden: map[string]func() conformance.Encoded{
		"scalable.bin":         conformance.Filled(NewScalable, ScalableConfig{Expected: 1, FPRate: 0.01}, 100),
		"scalable-wide.bin":    conformance.Filled(NewScalable, ScalableConfig{Expected: 1, FPRate: 1e-6}, 100),
		"scalable-compact.bin": conformance.Filled(NewScalable, ScalableConfig{Expected: 1, FPRate: 0.01, Compact: true}, 100),
		"scalable-grown.bin":   conformance.Filled(NewScalable, ScalableConfig{Expected: 1, FPRate: 0.5, Family: keyed}, 900),
		"scalable-limit.bin":   conformance.Filled(NewScalable, ScalableConfig{Expected: 1, FPRate: 0.01, MemoryBytes: 1 << 20}, 100),
	},
	ClaimHuge: func(params []byte) uint64 { // 2^36 expected keys
		binary.LittleEndian.PutUint64(params, 1<<36)
		binary.LittleEndian.PutUint64(params[8:], math.Float64bits(0.01))
		params[24], params[25] = 0, 10
		binary.LittleEndian.PutUint64(params[32:], ScalableConfig{Expected: 1 << 36, FPRate: 0.01}.shape().Plots)
		return 1 << 37
	},
}

func TestFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, filters.Run)
}
func TestFilterFrames(t *testing.T) {
	machine.Matters(t)
	filters.Test(t)
}
func TestScalable(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, scalables.Run)
}
func TestScalableFrames(t *testing.T) {
	machine.Matters(t)
	scalables.Test(t)
}
func FuzzFilter(f *testing.F)                { f.Fuzz(rapid.MakeFuzz(filters.Run)) }
func FuzzChangedFrames(f *testing.F)         { f.Fuzz(rapid.MakeFuzz(filters.Change)) }
func FuzzFrames(f *testing.F)                { filters.Fuzz(f) }
func FuzzScalable(f *testing.F)              { f.Fuzz(rapid.MakeFuzz(scalables.Run)) }
func FuzzChangedScalableFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(scalables.Change)) }
func FuzzScalableFrames(f *testing.F)        { scalables.Fuzz(f) }

// addCopies adds copies of a key. Only the ninth should return ErrCopies.
func addCopies[S interface {
	conformance.Encoded
	AddString(string) error
	CountString(string) uint64
	Clone() S
}](m *conformance.Machine, f, _ S) {
	keys := slices.Repeat([]string{conformance.DrawKey(m.T)}, rapid.IntRange(1, 9).Draw(m.T, "copies"))
	m.Add(f, keys)
	full := f.CountString(keys[0]) >= 8
	require.Equal(m, full, errors.Is(f.Clone().AddString(keys[0]), ErrCopies))
}

// addThousands adds thousands of keys, so that pages split. If all keys start
// with two zero bits, pages split more often, and there are orphans.
func addThousands(m *conformance.Machine, f, _ *Scalable) {
	if f.Len() > 4000 {
		return // there are enough keys
	}
	begin := func(key string) bool { return m.Family.SumString(key).Probe()>>62 == 0 }
	same := rapid.Bool().Draw(m.T, "start with the same bits")
	n := 1000 * rapid.IntRange(1, 4).Draw(m.T, "thousands of keys")
	var keys []string
	for i := 0; len(keys) < n; i++ {
		if key := fmt.Sprint("key ", i); !same || begin(key) {
			keys = append(keys, key)
		}
	}
	m.Add(f, keys)
}

// checkLimits checks that a Scalable does not exceed its rate or its memory
// limit.
func checkLimits(m *conformance.Machine, s, _ *Scalable) {
	c := s.Config()
	require.LessOrEqual(m, s.FalsePositiveRate(), c.FPRate)
	if c.MemoryBytes > 0 {
		require.LessOrEqual(m, s.SizeBytes(), c.MemoryBytes)
	}
}

var keyed = hashfam.New(hashfam.Key{1, 2, 3})

// drawParams draws parameters with any width. Half of the filters have so few
// slots that they will be full.
func drawParams(t *rapid.T, fam hashfam.Family) Params {
	p := Params{
		Buckets:         2 * rapid.Uint64Range(1, 20).Draw(t, "half the buckets"),
		FingerprintBits: rapid.IntRange(sizing.MinFingerprintBits, sizing.MaxFingerprintBits).Draw(t, "width"),
		Compact:         rapid.Bool().Draw(t, "compact"),
		Family:          fam,
	}
	p.Buckets *= rapid.SampledFrom([]uint64{1, 1, 10, 100}).Draw(t, "times")
	if rapid.Bool().Draw(t, "small") {
		p.Buckets = min(p.Buckets, 6)
	}
	return p
}

// drawScalable draws a configuration with any rate. Some filters can grow only
// a few times.
func drawScalable(t *rapid.T, fam hashfam.Family) ScalableConfig {
	c := ScalableConfig{
		Expected: rapid.SampledFrom([]uint64{1, 1, 10, 1000}).Draw(t, "expected"),
		FPRate:   rapid.OneOf(rapid.Just(0.9), rapid.Float64Range(1e-6, 0.5)).Draw(t, "rate"),
		Compact:  rapid.Bool().Draw(t, "compact"),
		Family:   fam,
	}
	if rapid.Bool().Draw(t, "limited") {
		first, err := c.InitialBytes()
		require.NoError(t, err)
		c.MemoryBytes = first + rapid.Uint64Range(0, 10*first).Draw(t, "more bytes")
	}
	return c
}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

func mustScale(t require.TestingT, c ScalableConfig) *Scalable {
	s, err := NewScalable(c)
	require.NoError(t, err)
	return s
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	fam := hashfam.New(hashfam.Key{1})
	const filter = "^cuckoo: use of a zero Filter( or View: make it with New or NewView|: make it with New), or decode into it$"
	checks.ZeroValues(t, filter, new(Filter), NewReceiver(fam), new(View))
	const scalable = "^cuckoo: use of a zero Scalable: make it with NewScalable, or decode into it$"
	checks.ZeroValues(t, scalable, new(Scalable), NewScalableReceiver(fam))
}
