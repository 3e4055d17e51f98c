package counting

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/conformance"
)

func TestAKeyIsFoundUntilItIsDeleted(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t, hashfam.Family{}))
		keys := rapid.SliceOfNDistinct(rapid.String(), 1, 10, rapid.ID).Draw(t, "keys")
		for i, key := range keys {
			f.AddString(key)
			require.True(t, i%2 == 0 || f.DeleteString(keys[i-1]))
			require.True(t, f.ContainsString(key))
		}
	})
}

func TestMergeKeepsAllKeys(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t, hashfam.Family{}))
		g := f.Clone()
		mine, other := rapid.String().Draw(t, "mine"), rapid.String().Draw(t, "other")
		f.AddString(mine)
		g.AddString(other)
		require.NoError(t, f.Merge(g))
		require.True(t, f.ContainsString(mine) && f.ContainsString(other))
	})
}

func TestDecodingGivesTheEncodedFilter(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f, g := mustNew(t, drawParams(t, hashfam.Family{})), new(Filter)
		for _, key := range rapid.SliceOf(rapid.String()).Draw(t, "keys") {
			f.AddString(key)
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalBinary(b))
		require.True(t, g.Equal(f))
	})
}

// filters describes how a Filter is used, encoded and printed.
var filters = conformance.Structure{
	Type:      conformance.Created(NewReceiver, drawParams, NewFromParams),
	MostCount: func(conformance.Encoded) uint64 { return stuck },
	// Saturated counters do not depend on the keys that are left.
	Canonical: func(f conformance.Encoded) bool { return f.(*Filter).Stuck() == 0 },
	Actions: map[string]func(*conformance.Machine){
		"project": conformance.On(project), "add copies": conformance.On(addCopies),
	},
	Golden: map[string]func() conformance.Encoded{
		"counting.bin": golden(Params{Counters: 1000, Hashes: 7}),
		"blocked.bin":  golden(Params{Counters: 1024, Hashes: 7, Layout: bloom.Blocked}),
		"stuck.bin":    golden(Params{Counters: 37, Hashes: 3}),
		"keyed.bin":    golden(Params{Counters: 1024, Hashes: 4, Family: hashfam.New(hashfam.Key{1, 2, 3})}),
	},
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<38)
		return 1 << 37
	},
	Header: conformance.Untyped(ReadParams),
	Reads: func(s conformance.Encoded) []any {
		f := s.(*Filter)
		return []any{Config{Family: f.Family()}, f.Stuck(), f.Bloom()}
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
func FuzzFilter(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(filters.Run)) }
func FuzzChangedFrames(f *testing.F) { f.Fuzz(rapid.MakeFuzz(filters.Change)) }
func FuzzFrames(f *testing.F)        { filters.Fuzz(f) }

// project checks that the result of Bloom equals the filter that package bloom
// builds from the remaining keys, except for the bits of stuck counters. Both
// filters must return the same estimates, and must not share memory.
func project(m *conformance.Machine, f, _ *Filter) {
	p := f.Params()
	words := make([]uint64, (p.Counters+63)/64)
	for i := range p.Counters {
		if f.counters.At(i) == stuck {
			words[i/64] |= 1 << (i % 64)
		}
	}
	want, err := bloom.FromWords(bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family}, words)
	require.NoError(m, err)
	for key, n := range m.Counts {
		if n > 0 {
			want.AddString(key)
		}
	}
	got, clone := f.Bloom(), f.Clone()
	require.True(m, got.Equal(want), "the projection has other bits")
	require.InDelta(m, got.FillRatio(), f.FillRatio(), 1e-12)
	require.InDelta(m, got.FalsePositiveRate(), f.FalsePositiveRate(), 1e-12)
	require.Equal(m, got.EstimatedLen(), f.EstimatedLen())
	for d := range hashfam.Digest(100) {
		require.Equal(m, got.ContainsDigest(d<<57), f.ContainsDigest(d<<57))
	}
	got.AddString("the projection shares no memory")
	require.True(m, f.Equal(clone))
}

// addCopies adds up to 31 copies of a key, since this saturates its counters.
func addCopies(m *conformance.Machine, f, twin *Filter) {
	key := conformance.DrawKey(m.T)
	for range rapid.IntRange(0, 31).Draw(m.T, "copies") {
		f.AddString(key)
		twin.AddString(key)
		m.Count(key, 1)
	}
}

// golden returns a function that builds a filter by adding a hundred keys, the
// first one twice, and deleting ten.
func golden(p Params) func() conformance.Encoded {
	return func() conformance.Encoded {
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

// drawParams draws parameters for a small filter. The filter will often be so
// small that some of the key's positions are equal and counters saturate.
func drawParams(t *rapid.T, fam hashfam.Family) Params {
	p := Params{
		Counters: uint64(rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 3000), rapid.IntRange(20_000, 30_000)).Draw(t, "counters")),
		Hashes:   rapid.OneOf(rapid.IntRange(1, 8), rapid.IntRange(1, 40)).Draw(t, "hashes"),
		Layout:   rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family:   fam,
	}
	if p.Layout == bloom.Blocked {
		p.Counters = 512 * (1 + p.Counters%5)
	}
	return p
}
