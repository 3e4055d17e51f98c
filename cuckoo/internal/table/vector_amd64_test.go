//go:build !purego && !race

package table

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/cpu"
)

// Vectors and single calls get the same results in tables of all widths and any
// number of buckets.
func TestVectorsMatchSingleCalls(t *testing.T) {
	machine.Matters(t)
	if !cpu.AVX512 {
		t.Skip("this machine has no AVX-512, or GODEBUG turns it off")
	}
	rng := rand.New(rand.NewPCG(60, 61))
	for round := range 400 {
		s := Shape{Buckets: 2 * (1 + rng.Uint64N(300)), Bits: 4 + round%(maxNarrow-3), Sorted: round%2 == 0}
		if round%7 == 0 {
			s.Buckets = 2 << rng.IntN(9)
		}
		f := newFilter(s, uint64(round))
		digests := make([]hashfam.Digest, 1+rng.IntN(3000))
		want := []bool{true, false}
		for i := range digests {
			digests[i] = hashfam.Digest(rng.Uint64())
			if uint64(i) < 2*s.Buckets {
				f.add(digests[i])
			}
		}
		rng.Shuffle(len(digests), func(i, j int) { digests[i], digests[j] = digests[j], digests[i] })
		for _, d := range digests {
			want = append(want, f.has(d))
		}
		room := append(make([]bool, 0, len(want)+20), true, false)
		rest := room[len(want):cap(room)]
		got, ok := f.table.HasVector(room, &f.partners, digests)
		require.True(t, ok)
		require.Len(t, got, len(want))
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("result %d of %d is %t in round %d, %+v", i, len(want), got[i], round, s)
			}
		}
		require.NotContains(t, rest, true)
	}
}

func TestVectorsNeedNarrowTablesAndShortNumbers(t *testing.T) {
	machine.Matters(t)
	for s, want := range map[Shape]bool{
		{Buckets: 2, Bits: 16}: true, {Buckets: 2, Bits: 16, Sorted: true}: true,
		{Buckets: 2, Bits: 17}: false, {Buckets: 2, Bits: 17, Sorted: true}: false,
		{Buckets: 1<<32 - 2, Bits: 11}: true, {Buckets: 1 << 32, Bits: 11}: false,
	} {
		tab, p := New(s, nil), NewPartners(s, 1)
		_, ok := tab.HasVector(nil, &p, nil)
		require.Equal(t, want && cpu.AVX512, ok, "%+v", s)
	}
}
