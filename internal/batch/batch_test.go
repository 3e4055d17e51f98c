package batch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// Every digest must be in one group, and in order, even with the smallest
// arrays.
func TestGroupsContainAllDigests(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(40, 41))
	array := make([]uint64, 96)
	for n := range 300 {
		digests := checks.Digests(rng, n)
		for name, next := range map[string]func([]hashfam.Digest) (group, rest []hashfam.Digest){
			"spread":   func(d []hashfam.Digest) (_, _ []hashfam.Digest) { return Spread(array, d, 7, 8*96) },
			"one byte": func(d []hashfam.Digest) (_, _ []hashfam.Digest) { return Spread(array[:1], d, 255, 1) },
			"blocks":   func(d []hashfam.Digest) (_, _ []hashfam.Digest) { return Blocks(array, d, 3) },
		} {
			var got []hashfam.Digest
			for rest := digests; len(rest) > 0; {
				var group []hashfam.Digest
				group, rest = next(rest)
				require.NotEmpty(t, group, name)
				got = append(got, group...)
			}
			require.True(t, slices.Equal(digests, got), name)
		}
		require.NotPanics(t, func() { Lines(array, 12, digests) })
	}
}

// single returns whether all counters of d are above zero.
func (a *Array) single(d hashfam.Digest) bool {
	has, base := true, uint64(0)
	for k, p := a.K, d.Probe(); k > 0; k, p = k-1, p.Next() {
		bit := (base + p.In(a.Span)) << a.LogBits
		has = has && a.Words[bit/64]>>(bit%64)&(1<<(1<<a.LogBits)-1) != 0
		base += a.Step
	}
	return has
}

// compare checks that Has appends the results of single lookups and does not
// write beyond them.
func (a *Array) compare(t *testing.T, digests []hashfam.Digest) {
	t.Helper()
	if !a.Ready(Block) {
		t.Skip("not supported by this build or machine")
	}
	room := make([]bool, 300)
	for i := range room {
		room[i] = i%3 == 0
	}
	want := slices.Clone(room)
	for i, d := range digests {
		want[5+i] = a.single(d)
	}
	require.Equal(t, want[:5+len(digests)], a.Has(room[:5], digests))
	require.Equal(t, want, room)
}

// The words are full, empty or random, so any counter of a key can be zero.
func TestHasMatchesSingleLookups(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(50, 51))
	for range 2_000 {
		a := Array{K: 1 + rng.IntN(12), LogBits: rng.Uint64N(6), Words: make([]uint64, 1+rng.IntN(100))}
		if rng.IntN(50) == 0 {
			a.K = 1 + rng.IntN(255)
		}
		full := rng.Float64()
		for i := range a.Words {
			if a.Words[i] = rng.Uint64(); rng.Float64() < full {
				a.Words[i] = math.MaxUint64
			}
		}
		a.Span = uint64(len(a.Words)) * 64 >> a.LogBits
		if rng.IntN(3) == 0 && a.Span >= uint64(a.K) {
			a.Step = a.Span / uint64(a.K)
			a.Span = a.Step
		}
		a.compare(t, checks.Digests(rng, 1+rng.IntN(Block)))
	}
}

// The test only uses the memory of the words that positions select.
func TestLargeSpans(t *testing.T) {
	machine.Matters(t)
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 520 megabytes of addresses")
	}
	words := make([]uint64, 1<<26+1)
	digests := checks.Digests(rand.New(rand.NewPCG(52, 53)), least)
	for _, span := range []uint64{math.MaxUint32, 1<<32 - 64} {
		a := Array{K: 2, Span: span, Words: words}
		for i, d := range digests {
			for k, p := 0, d.Probe(); k < i%4-1; k, p = k+1, p.Next() { // no, one or both of the bits
				words[p.In(span)/64] |= 1 << (p.In(span) % 64)
			}
		}
		a.compare(t, digests)
	}
}
