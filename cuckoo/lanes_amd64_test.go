//go:build !purego && !race

package cuckoo

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// Tables of every width and of any number of buckets, half full: an answer in
// lanes is that of a single call.
func TestLookupInLanesIsTheSingleOne(t *testing.T) {
	if !useAVX512 {
		t.Skip("this machine has no AVX-512, or GODEBUG turns it off")
	}
	rng := rand.New(rand.NewPCG(60, 61))
	for round := range 400 {
		p := Params{Buckets: 2 * (1 + rng.Uint64N(300)), FingerprintBits: 4 + round%(maxSingle-3), Compact: round%2 == 0}
		if round%7 == 0 {
			p.Buckets = 2 << rng.IntN(9)
		}
		if round%3 == 0 {
			p.Family = hashfam.New(hashfam.Key{byte(round)})
		}
		f, err := NewFromParams(p)
		require.NoError(t, err)
		if !f.inLanes() {
			continue
		}
		digests := make([]hashfam.Digest, 1+rng.IntN(3000))
		want := []bool{true, false}
		for i := range digests {
			digests[i] = hashfam.Digest(rng.Uint64())
			if uint64(i) < 2*p.Buckets {
				require.NoError(t, f.AddDigest(digests[i]))
			}
		}
		rng.Shuffle(len(digests), func(i, j int) { digests[i], digests[j] = digests[j], digests[i] })
		for _, d := range digests {
			want = append(want, f.ContainsDigest(d))
		}
		room := append(make([]bool, 0, len(want)+20), true, false)
		rest := room[len(want):cap(room)]
		require.Equal(t, want, f.hasInLanes(room, digests))
		require.NotContains(t, rest, true)
	}
}

// Buckets of one word are looked up in lanes, if their numbers have 32 bits.
func TestTheTablesThatAreLookedUpInLanes(t *testing.T) {
	for _, c := range []struct {
		kind    kind
		buckets uint64
		want    bool
	}{
		{none, 0, false}, {single, 2, true}, {compact, 2, true}, {paired, 2, false}, {compactPaired, 2, false},
		{single, 1<<32 - 2, true}, {single, 1 << 32, false}, {compact, 1 << 32, false},
	} {
		f := Filter{table: table{kind: c.kind}, moves: relocation{buckets: c.buckets}}
		require.Equal(t, c.want && useAVX512, f.inLanes(), "%+v", c)
	}
}
