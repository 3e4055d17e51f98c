package conformance

import (
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

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
