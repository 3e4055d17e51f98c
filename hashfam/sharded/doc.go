// Package sharded shares structures among goroutines: several of one kind, each
// behind a lock of its own.
//
//   - make: [New]; how large each must be: [Capacity]
//   - add, ask, delete a key: [Of.Do], with the structure it belongs to
//   - a batch of keys: [Of.DoAll]
//   - combine, store, inspect: [Of.Each], with all structures in turn
//
// Any goroutine may do this:
//
//	o, err := sharded.New(64, func(int) (*counting.Filter, error) {
//		return counting.New(config)
//	})
//	d := config.Family.SumString("session 17")
//	o.Do(d, func(f *counting.Filter) { f.AddDigest(d) })
//
// [hashfam.Digest.Shard] chooses the shard. No structure uses the bits that
// decide on it: among the keys of one shard, a structure has the same
// false-positive rate and refuses as few keys as among all keys.
//
// # How many shards, and how large
//
// Two goroutines wait for each other if they use the same shard at the same
// time. With eight shards for each goroutine that is rare; 64 do for most
// programs. A lock that another core held last costs some 15 nanoseconds more
// than one's own. A batch pays that once for each shard.
//
// A structure with a capacity, such as a filter, needs room for the fullest
// shard: give each shard [Capacity] of the number of keys. A sketch is too high
// by Epsilon times what it has counted, and a shard counts about an n-th: give
// each shard n times the Epsilon. Then all shards together take the memory of
// one sketch, and a shard without very frequent keys has its bound. Heavy
// hitters and top k keep their Phi and K: a key that makes up a share of the
// stream makes up at least that share of its shard. JoinHeavyHitters and
// JoinTopK of package countmin list the frequent keys of all shards.
//
// If untrusted parties choose keys, draw a secret family. Under the public one
// they can choose keys of one shard, which then fills up.
//
// # Concurrency
//
// All methods may run at the same time. Inside the functions given to them a
// structure is used alone, so any of its methods may be called there; keep no
// pointer to it. These functions must not call methods of the same Of, which
// would wait forever. If one panics, its lock is released.
package sharded
