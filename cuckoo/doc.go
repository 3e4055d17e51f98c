// Package cuckoo implements cuckoo filters: sets that use a few bits per key
// and can delete keys. A filter reports that a key may be in the set, or that
// it is certainly not (Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014).
//
// Most programs need only these names: [New] with a [Config], [Filter.Add],
// [Filter.Contains], [Filter.ContainsOrAdd], [Filter.Delete], [Filter.Count],
// [Filter.Len], [Filter.Merge], [ErrFull] and, to store a filter,
// [Filter.WriteTo] and [Filter.ReadFrom]. The others are for special purposes:
//
//   - process many keys at once: [Filter.AddAll], [Filter.ContainsAll],
//     [Filter.DeleteAll]
//   - decode filters of a keyed family: [NewReceiver]
//   - query a stored filter in place: [NewView]
//   - compute the size of a filter in advance: [Config.Params]
//   - handle an unknown number of keys: [NewScalable]
//   - share a filter between goroutines: package hashfam/sharded
//
// For each key, a filter stores a short fingerprint in either of two buckets,
// which have four slots each. If both buckets are full, Add makes room by
// moving other fingerprints to their other buckets. Either Add succeeds and the
// key will be found until it is deleted, or Add returns [ErrFull] and changes
// nothing. A filter never loses a key, provided that only keys that were added
// are deleted. A key that was not added is found with a small probability, the
// false-positive rate, or rate for short, which the [Config] sets.
//
//	f, err := cuckoo.New(cuckoo.Config{Capacity: 1_000_000, FPRate: 0.001})
//	err = f.AddString("example.org")
//	f.ContainsString("example.org") // true
//	f.DeleteString("example.org")   // true
//
// For a rate of 0.1%, a large filter uses 13.4 bits per key, and a compact one
// 12.4 bits, regardless of the length of the keys. A Bloom filter, which does
// not support deletion, uses 14.4 bits.
//
// A filter is a multiset: a key that was added twice is found until it has been
// deleted twice. A key's two buckets have room for eight copies.
//
// Package [hashfam] describes what all types have in common: concurrency, zero
// values, cost, errors, encoding and printing. [ErrFull] and [ErrCopies] are
// the only errors of this package's own. In this package, m is the number of
// buckets, so methods that process a whole filter run in O(m) time.
package cuckoo
