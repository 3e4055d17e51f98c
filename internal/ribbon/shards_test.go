package ribbon

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame"
)

// When shards are solved separately, in any ranges, the result must be the same
// ribbon that [Members] returns.
func TestShardsCanBeSolvedSeparately(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range append(sizes()[5:], 5*shardStarts) {
		if n == 0 {
			continue
		}
		list := sorted(t, conformance.Digests(rng, n))
		want := members(t, percent, list)
		for _, step := range []uint64{1, 2, 100} {
			got, payload := solveSeparately(t, list, step)
			require.Equal(t, want.Shape(), got.Shape())
			require.Equal(t, want.Rate(), got.Rate())
			require.Equal(t, want.PayloadBytes(), got.PayloadBytes())
			require.True(t, bytes.Equal(bytesOf(want.Payload()), bytesOf(payload)), "n = %d, %d shards at a time", n, step)
		}
	}
}

// solveSeparately solves step shards at a time. It uses only the digests within
// the ranks of these shards.
func solveSeparately(t *testing.T, list []hashfam.Digest, step uint64) (*Ribbon, frame.Payload) {
	t.Helper()
	s := NewShards(percent, uint64(len(list)))
	var thresholds, words []uint64
	var bumped []hashfam.Digest
	used := 0
	for from := uint64(0); from < s.Len(); from += step {
		to := min(s.Len(), from+step)
		first, last := s.Ranks(from, to)
		var some []hashfam.Digest
		for _, d := range list {
			if x := uint64(d.Probe()); x >= first && x <= last {
				some = append(some, d)
			}
		}
		used += len(some)
		th, w, b, err := s.Solve(context.Background(), from, to, some)
		require.NoError(t, err)
		thresholds, words, bumped = append(thresholds, th...), append(words, w...), append(bumped, b...)
	}
	require.Len(t, list, used, "each digest must be in one range")
	r, err := s.Join(context.Background(), one, thresholds, bumped)
	require.NoError(t, err)
	return r, r.PayloadAround(frame.Numbers(words))
}

func bytesOf(p frame.Payload) (all []byte) {
	p(func(piece []byte) bool {
		all = append(all, piece...)
		return true
	})
	return all
}

// Iteration over a payload can stop after any piece.
func TestPayloadStopsEarly(t *testing.T) {
	_, payload := solveSeparately(t, sorted(t, conformance.Digests(rand.New(rand.NewPCG(1, 1)), 200_000)), 1)
	for stop := range 6 {
		pieces := 0
		payload(func([]byte) bool { pieces++; return pieces <= stop })
		require.Equal(t, stop+1, pieces)
	}
}

// The ranks of shards must be exact: the first rank is in the shard, and the
// previous rank is not.
func TestRanksOfShardsAreExact(t *testing.T) {
	for _, n := range []uint64{1, 1000, 70_000, 1e6, 1e9, 1e12} {
		s := NewShards(percent, n)
		for shard := uint64(0); shard < min(s.Len(), 1000); shard++ {
			first, last := s.Ranks(shard, shard+1)
			from, to := s.layer.span(shard)
			require.GreaterOrEqual(t, hashfam.Reduce(first, s.layer.starts), from)
			require.Less(t, hashfam.Reduce(last, s.layer.starts), to)
			require.True(t, first == 0 && shard == 0 || hashfam.Reduce(first-1, s.layer.starts) < from)
			require.True(t, last+1 == 0 && shard+1 == s.Len() || hashfam.Reduce(last+1, s.layer.starts) >= to)
		}
	}
}
