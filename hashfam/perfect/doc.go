// Package perfect implements a minimal perfect hash function, which numbers the
// keys of a fixed set, and a filter that uses this function.
//
// Most programs need only these names:
//
//   - number keys: [Config], [New], [Function.Index], [Function.IndexString]
//   - create a set, or a map to small values: [FilterConfig], [NewFilter]
//   - query the set: [Filter.Contains], [Filter.ContainsString]
//   - look up values: [Filter.Value]
//   - store: [Function.WriteTo], [Function.ReadFrom]
//
// These are for special purposes:
//
//   - look up many keys at once: [Function.IndexAll], [Filter.ContainsAll]
//   - use stored data in place: [NewView], [NewFilterView]
//   - decode with a keyed family: [NewReceiver], [NewFilterReceiver]
//   - use more keys than fit in memory: [NewFromSorted], [NewFilterFromSorted]
//   - inspect: [Function.Len], [Function.SizeBytes], [Filter.FalsePositiveRate]
//
// A [Function] maps each of n keys to a different index from 0 to n-1, without
// storing the keys. Use it to attach data to a fixed set of keys: store the
// data, which can change at any time, in a slice at the index of each key.
//
//	c := perfect.Config{}
//	f, err := perfect.New(ctx, c, c.Family.SumAllStrings(nil, keys))
//	counts := make([]int, f.Len())
//	counts[f.IndexString("example.org")]++
//
// A Function cannot detect keys that are not in the set: it returns an index
// for them, too. A [Filter] also stores a fingerprint of each key, so it can
// report whether a key is in the set, and can store a small value with each
// key. The keys and values of a Filter do not change. But a Filter also returns
// the index of each key, so a slice can hold values that change, or marks for
// deleted keys.
//
// For a million keys, a Function uses 2.2 bits per key, or 1.95 bits if
// Config.Compact is set; for 10,000 keys, it uses 2.4 bits. A Filter uses
// log2(1/FPRate) + ValueBits bits per key in addition, and up to 0.09 more, or
// up to 1 more for fewer than 4,096 keys. If you only need to test membership,
// use package bloom/static instead, because its filter uses about two bits per
// key less.
//
// Package [hashfam] describes what the types of all packages have in common,
// for example concurrency, errors and encoding.
//
// # Algorithm
//
// The function is PHast+ (Beling and Sanders, ALENEX 2026). Levels of fewer
// than 12,288 keys, and all levels of a compact function, use the variant
// PHast.
//
// The keys are sorted by their hash and divided into buckets of 4.4 keys on
// average. Each bucket has a one-byte seed, which together with a key's hash
// selects the key's place in a slice of 1,024 places, or fewer if there are
// fewer than 12,288 keys. The build processes the buckets in the order of their
// slices, but large buckets earlier, and chooses the seeds so that all keys
// have different places. When no seed works for a bucket, the bucket is bumped:
// its keys go to the next level, which is smaller and is built in the same way.
// Large levels bump about 4% of their keys, or 1% if the function is compact.
// The places in later levels are mapped to the places that the first level left
// free.
package perfect
