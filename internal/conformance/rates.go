package conformance

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A Large is a structure of the public family that is filled with as many keys
// as it is for.
type Large struct {
	Add      func([]hashfam.Digest) error // nil if it has all keys already
	Contains func([]bool, []hashfam.Digest) []bool
	Rate     float64 // the false-positive rate of the full structure: exact
}

// LargeSet adds the numbers below n in batches, finds each of them, and
// measures the rate of absent keys, 40,000,000 at most. A correct program is
// six standard deviations off with probability below 2e-9; the rates of full
// structures differ from their mean by less than one part in the root of n for
// each of 30 hashes.
func LargeSet(t *testing.T, n uint64, s Large) {
	t.Helper()
	if s.Add != nil {
		batches(0, n, func(keys []hashfam.Digest) { require.NoError(t, s.Add(keys)) })
	}
	var answers []bool
	found := func(first, n uint64) (sum uint64) {
		batches(first, n, func(keys []hashfam.Digest) {
			answers = s.Contains(answers[:0], keys)
			for _, is := range answers {
				sum += one(is)
			}
		})
		return sum
	}
	require.Equal(t, n, found(0, n), "lost keys")
	queries := min(n, 40_000_000)
	q := float64(queries)
	rate := float64(found(1<<63, queries)) / q
	t.Logf("%d keys found, measured rate %.6f, exact %.6f", n, rate, s.Rate)
	require.InDelta(t, s.Rate, rate, 6*math.Sqrt(s.Rate/q)+30*s.Rate/math.Sqrt(float64(n)))
}

// batches calls do with the digests of n numbers, some thousands at a time.
func batches(first, n uint64, do func([]hashfam.Digest)) {
	digests := make([]hashfam.Digest, 0, 8192)
	for i := range n {
		digests = append(digests, hashfam.Family{}.SumUint64(first+i))
		if len(digests) == cap(digests) || i == n-1 {
			do(digests)
			digests = digests[:0]
		}
	}
}

// A Small is a structure that holds a few keys of one family.
type Small struct {
	Contains func(hashfam.Digest) bool
	Rate     float64 // the false-positive rate: exact, over all families
}

// SmallSets builds structures of 0 to 100 keys under thousands of families, for
// each number of keys. No key is lost, and the mean rate of the absent keys is
// the exact one. Structures are independent, so a correct program is more than
// seven standard errors of the mean off with probability below 1e-10, and there
// are at most 101 means.
func SmallSets(t *testing.T, fresh func(fam hashfam.Family, keys []hashfam.Digest) Small) {
	const queries = 1000
	families, step := 100, 9
	switch {
	case testing.Short():
		families = 20
	case Long(t, 0.25, 0.1):
		families, step = 3000, 1
	}
	r := rand.NewChaCha8([32]byte{3, 100})
	for n := 0; n <= 100; n += max(1, min(step, n)) {
		var sum, squares, exact float64
		for range families {
			rate, want := smallRate(t, r, n, queries, fresh)
			sum, squares, exact = sum+rate, squares+rate*rate, exact+want
		}
		k := float64(families)
		mean, want := sum/k, exact/k
		// Few hits say little about the variance. Queries alone have this.
		variance := max(squares/k-mean*mean, want*(1-want)/queries)
		t.Logf("%d keys: rate %.5f, exact %.5f", n, mean, want)
		require.InDelta(t, want, mean, 7*math.Sqrt(variance/k), "%d keys", n)
	}
}

// smallRate returns the share of absent keys that a structure of n keys of a
// random family contains, and its exact rate.
func smallRate(t *testing.T, r *rand.ChaCha8, n int, queries uint64, fresh func(hashfam.Family, []hashfam.Digest) Small) (rate, exact float64) {
	var key hashfam.Key
	r.Read(key[:])
	fam, keys := hashfam.New(key), make([]hashfam.Digest, n)
	for i := range keys {
		keys[i] = fam.SumUint64(uint64(i))
	}
	s := fresh(fam, keys)
	for i, d := range keys {
		require.True(t, s.Contains(d), "lost key %d of %d, family %v", i, n, fam)
	}
	hits := uint64(0)
	for q := range queries {
		hits += one(s.Contains(fam.SumUint64(1<<40 | q)))
	}
	return float64(hits) / float64(queries), s.Rate
}

// A Sharding assigns digests to shards by some of their bits.
type Sharding struct {
	Name string
	// Draw returns a random digest of one shard.
	Draw func(r *rand.Rand) hashfam.Digest
}

// Shardings returns the usual ways to choose a shard: by the high bits of a
// digest, by its low bits, by a range; and, for comparison, no sharding. The
// rate of a structure that holds one shard must not depend on the sharding.
func Shardings() []Sharding {
	within := func(low, size uint64) func(*rand.Rand) hashfam.Digest {
		return func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(low + r.Uint64N(size)) }
	}
	const thousandth = (1<<64 - 1) / 1000
	return []Sharding{
		{"none", func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(r.Uint64()) }},
		{"d >> 58", within(37<<58, 1<<58)}, // also Reduce(d, 64) and Shard(64)
		{"d % 64", func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(r.Uint64()&^63 | 37) }},
		{"Shard(1000)", within(617*thousandth+1000, thousandth-2000)},
		{"d >> 20 % 64", func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(r.Uint64()&^(63<<20) | 37<<20) }},
	}
}
