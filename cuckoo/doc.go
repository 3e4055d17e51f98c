// Package cuckoo implements cuckoo filters: sets that use a few bits per key
// and can delete keys. A filter reports that a key may be in the set, or that
// it is certainly not (Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014).
//
// Most programs need only these names:
//
//   - create: [Config], [New]
//   - add: [Filter.Add], [Filter.AddString], [Filter.ContainsOrAdd], [ErrFull]
//   - delete: [Filter.Delete], [Filter.DeleteString]
//   - query: [Filter.Contains], [Filter.Count], [Filter.Len]
//   - combine: [Filter.Merge]
//   - store: [Filter.WriteTo] or [Filter.MarshalBinary], [Filter.ReadFrom]
//
// These are for special purposes:
//
//   - change many keys at once: [Filter.AddAll], [Filter.DeleteAll]
//   - query many keys at once: [Filter.ContainsAll], [Filter.CountAll]
//   - decode with a keyed family: [NewReceiver]
//   - query an encoded filter in place: [NewView]
//   - plan: [Config.Params], [Params.RateAt], [Params.CapacityAt]
//   - handle an unknown number of keys: [NewScalable]
//   - share between goroutines: package hashfam/sharded
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
