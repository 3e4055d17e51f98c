// Package perfect implements a minimal perfect hash function, and a filter
// built on it.
//
//   - number keys: [New], [Function.Index], [Function.IndexAll]
//   - a set whose members can be removed: [NewFilter], [Filter.Delete]
//   - ask: [Filter.Contains], [Filter.ContainsAll]
//   - small values of keys: FilterConfig.ValueBits, [Filter.Value]
//   - store: [Function.WriteTo], [Function.ReadFrom], [NewFilterReceiver]
//   - ask what is stored: [NewView], [NewFilterView]
//   - inspect: [Function.Len], [Function.SizeBytes], [Filter.FalsePositiveRate]
//
// A [Function] maps each of n keys to an index of its own, 0 to n-1, without
// storing the keys. It needs 2.2 bits per key, whatever their length, and 1.95
// if [Config] asks for a compact one. Use it to attach data to keys that do not
// change: keep the data in a slice, in the order of the indexes. The slice may
// change at any time.
//
//	c := perfect.Config{}
//	f, err := perfect.New(ctx, c, c.Family.SumAllStrings(nil, keys))
//	counts := make([]int, f.Len())
//	counts[f.IndexString("example.org")]++
//
// A Function cannot tell whether a key is one of the n: a different key has
// some index, too. A [Filter] also keeps a fingerprint of each key at its
// index, and so answers "may contain" or "certainly does not contain", at
// log2(1/rate) + 2.2 bits per key and up to 0.09 more. It can keep a small
// value beside each fingerprint. If only membership is needed, a filter of
// package bloom/static takes about two bits per key less.
//
// To read the code, begin with perfect.go, which finds the index of a key, and
// level.go, which has the formulas. build.go makes one level after the other;
// fill.go chooses the seeds of a level. stored.go is what all types here
// consist of, and codec.go has the table of their encoding.
//
// # Algorithm
//
// The function is PHast+ (Beling and Sanders, ALENEX 2026), and PHast if it is
// compact. The keys are sorted by their hash and divided into buckets of 4.4
// keys on average. Each bucket has a seed of one byte that determines, together
// with the hash of a key, the place of the key in a slice of 1,024 places.
// Building chooses the seeds so that no two keys have the same place, bucket
// after bucket along the slices, those with many keys first. The few buckets
// for which no seed works are bumped: their keys go to a second, smaller level,
// whose places stand for those that the first level left free.
//
// # Concurrency and zero values
//
// Methods that do not change a structure are pure: any number of them may run
// at the same time. A method that changes one must run alone: decoding, and
// SetValue, Delete and Restore of a Filter.
//
// The zero value is only a receiver for decoding; its other methods, and all
// methods of a nil pointer, may panic.
package perfect
