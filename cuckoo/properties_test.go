package cuckoo

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance/old"
)

var suite = old.Suite[*Filter]{
	Receiver:   NewReceiver,
	ReadParams: old.Reader(ReadParams),
	View:       old.Viewer[*Filter](NewView),
	Shown:      func(fam hashfam.Family) []any { return []any{Config{Family: fam}, Params{Family: fam}} },
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<35)
		params[8], params[9] = 8, 0 // 2^40 bits, of a width that fills them
		return 1<<37 + 8
	},
	Golden: []old.Golden[*Filter]{
		{File: "plain.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 9})},
		{File: "wide.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 31})},
		{File: "compact.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 9, Compact: true})},
		{File: "wide-compact.bin", Build: golden(Params{Buckets: 38, FingerprintBits: 25, Compact: true})},
		{File: "keyed.bin", Build: golden(Params{Buckets: 64, FingerprintBits: 16, Family: hashfam.New(hashfam.Key{1, 2, 3})})},
	},
	Source: old.From(drawParams, NewFromParams),
	Larger: func(t *rapid.T, fam hashfam.Family) *Filter {
		p := drawParams(t)
		p.Buckets *= rapid.SampledFrom([]uint64{1, 1, 10, 100}).Draw(t, "times")
		p.Family = fam
		return mustNew(t, p)
	},
	// The place of keys depends on their order. An empty table has none.
	Canonical: func(f *Filter) bool { return f.Len() == 0 },
	Check: func(r *old.Run[*Filter]) {
		requireCopies(r, r.Counts, r.F.Len(), r.F.CountString)
	},
}

// drawParams draws a small filter of any width. Half of them have so few slots
// that the keys of a property do not all fit.
func drawParams(t *rapid.T) Params {
	p := Params{
		Buckets:         2 * uint64(rapid.IntRange(1, 20).Draw(t, "half the buckets")),
		FingerprintBits: rapid.IntRange(minBits, maxBits).Draw(t, "width"),
		Compact:         rapid.Bool().Draw(t, "compact"),
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

// golden returns what builds a filter of a hundred keys.
func golden(p Params) func() *Filter { return withKeys(NewFromParams, p, 100) }

// withKeys returns what builds a filter of n keys.
func withKeys[T interface{ AddString(string) error }, P any](create func(P) (T, error), p P, n int) func() T {
	return func() T {
		f, err := create(p)
		for i := 0; i < n && err == nil; i++ {
			err = f.AddString(fmt.Sprint("key ", i))
		}
		if err != nil {
			panic(err)
		}
		return f
	}
}

// requireCopies checks that a filter has exactly the given number of keys, and
// of each at least its copies.
func requireCopies(t require.TestingT, want map[string]uint64, length uint64, count func(string) uint64) {
	sum := uint64(0)
	for key, n := range want {
		require.GreaterOrEqual(t, count(key), n, "copies of %x", key)
		sum += n
	}
	require.Equal(t, sum, length)
}

var scalableSuite = old.Suite[*Scalable]{
	Receiver:   NewScalableReceiver,
	ReadParams: old.Reader(ReadScalableConfig),
	Shown:      func(fam hashfam.Family) []any { return []any{ScalableConfig{Family: fam}} },
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<36)
		binary.LittleEndian.PutUint64(params[8:], math.Float64bits(0.01))
		params[24], params[25] = 0, 10
		binary.LittleEndian.PutUint64(params[32:], ScalableConfig{Expected: 1 << 36, FPRate: 0.01}.geometry().Roots)
		return 1 << 37
	},
	Golden: []old.Golden[*Scalable]{
		{File: "scalable.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 0.01}, 100)},
		{File: "scalable-wide.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 1e-6}, 100)},
		{File: "scalable-compact.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 0.01, Compact: true}, 100)},
		{File: "scalable-grown.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 0.5, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 900)},
		{File: "scalable-limit.bin", Build: goldenScalable(ScalableConfig{Expected: 1, FPRate: 0.01, MemoryBytes: 1 << 20}, 100)},
	},
	Source: old.From(drawScalable, NewScalable),
	Check: func(r *old.Run[*Scalable]) {
		requireCopies(r, r.Counts, r.F.Len(), r.F.CountString)
	},
}

func drawScalable(t *rapid.T) ScalableConfig {
	return ScalableConfig{
		Expected: uint64(rapid.SampledFrom([]int{1, 1, 10, 1000}).Draw(t, "expected")),
		FPRate:   math.Pow(10, rapid.Float64Range(-6, -0.1).Draw(t, "digits")),
		Compact:  rapid.Bool().Draw(t, "compact"),

		MemoryBytes: rapid.SampledFrom([]uint64{0, 1 << 30}).Draw(t, "limit"), // which no program reaches
	}
}

func mustScale(t require.TestingT, c ScalableConfig) *Scalable {
	s, err := NewScalable(c)
	require.NoError(t, err)
	return s
}

// goldenScalable returns what builds a filter of n keys.
func goldenScalable(c ScalableConfig, n int) func() *Scalable {
	return withKeys(NewScalable, c, n)
}

func TestConformance(t *testing.T)         { suite.Run(t) }
func TestScalableConformance(t *testing.T) { scalableSuite.Run(t) }

func FuzzProgram(f *testing.F)         { suite.FuzzProgram(f) }
func FuzzFrames(f *testing.F)          { suite.FuzzFrames(f) }
func FuzzScalableProgram(f *testing.F) { scalableSuite.FuzzProgram(f) }
func FuzzScalableFrames(f *testing.F)  { scalableSuite.FuzzFrames(f) }
