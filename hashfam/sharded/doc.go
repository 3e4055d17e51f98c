// Package sharded lets goroutines share structures by distributing keys among
// several shards, each with its own lock.
//
//   - create shards: [New], with a capacity from [Capacity]
//   - add, query or delete a key: [Of.Do]
//   - process a batch of keys: [Of.DoAll]
//   - merge or inspect all shards: [Of.Each]
//   - store and load all shards: [Of.WriteTo], [Read]
//   - keep them in a file that survives a crash: Shards in package journal
//
// For example, any number of goroutines can use o:
//
//	o, err := sharded.New(64, func(int) (*counting.Filter, error) {
//		return counting.New(config)
//	})
//	d := config.Family.SumString("session 17")
//	o.Do(d, func(f *counting.Filter) { f.AddDigest(d) })
//
// [hashfam.Digest.Shard] selects the shard. Within a shard, the positions that
// structures compute are still uniform, so a shard has the same false-positive
// rate as a single structure, and a cuckoo filter does not become full earlier.
//
// Errors are those of package [hashfam], of the structures, and
// errors.ErrUnsupported for structures without an encoding.
//
// # Number and size of shards
//
// Two goroutines must wait for each other only when they use the same shard at
// the same time. With eight shards per goroutine this is rare, and 64 shards
// are enough for most programs. A lock takes longer if another core used it
// last, but a batch pays this cost only once per shard.
//
// Structures with a capacity, such as filters, need room for the fullest shard:
// use [Capacity] to compute it. A sketch's error is up to Epsilon times its
// total count, and each of n shards counts about 1/n of the stream, so multiply
// Epsilon by n. The shards then need about as much memory as a single sketch,
// and have the same error bound unless a shard contains very frequent keys.
//
// A HeavyHitters uses the same Phi or K as a single structure, because a key's
// fraction of its shard is never smaller than its fraction of the stream, and
// its rank in the shard is never lower than in the stream. Use JoinHeavyHitters
// in package countmin to list the frequent keys of all shards.
//
// If untrusted parties can choose keys, use a secret family, because otherwise
// they can choose keys that all belong to one shard, and fill it.
//
// # Concurrency
//
// All methods can be called concurrently. While a function passed to one of
// them runs, no other call uses its shard, so the function may call any method
// of the structure. It must not retain the structure, and it must not call
// methods of the same Of, since this can deadlock. If it panics, the lock is
// released.
package sharded
