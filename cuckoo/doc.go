// Package cuckoo implements the cuckoo filter: a set that answers "may contain"
// or "certainly does not" in a few bits per key, and that can delete (Fan,
// Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014).
//
//   - add: [New], [Filter.Add], [Filter.AddAll]
//   - delete: [Filter.Delete], [Filter.DeleteAll]
//   - ask: [Filter.Contains], [Filter.Count], [Filter.ContainsAll]
//   - combine: [Filter.Merge]
//   - store: [Filter.WriteTo], [Filter.ReadFrom], [NewReceiver]
//   - ask what is stored: [NewView]
//   - inspect: [Config.Params], [Filter.Len], [Filter.FalsePositiveRate]
//   - an unknown number of keys: [NewScalable]; goroutines: hashfam/sharded
//
// The filter keeps a short fingerprint of each key in one of two buckets of
// four slots. If both are full, other fingerprints move to their other buckets
// to make room. It never loses a key: either Add succeeds, and the key is found
// until it is deleted, or it returns [ErrFull] and has changed nothing. A key
// that was not added is found with a small probability, the false-positive
// rate, which is set in [Config].
//
//	f, err := cuckoo.New(cuckoo.Config{Capacity: 1_000_000, FPRate: 0.001})
//	err = f.AddString("example.org")
//	f.ContainsString("example.org") // true
//	f.DeleteString("example.org")   // true
//
// A key costs 13.4 bits at 0.1 %, whatever its length and the number of keys,
// and 12.4 in a compact filter. A Bloom filter, which cannot delete, needs
// 14.4.
//
// # Copies
//
// The filter is a multiset: a key that was added twice is in it twice, and is
// found until it has been deleted twice. Two buckets hold eight copies; the
// ninth Add of a key returns [ErrCopies].
//
// # Concurrency, the zero value and nil
//
// Methods that do not change a filter are pure: any number of them may run at
// the same time. A method that changes it must run alone.
//
// The zero value is only a receiver for decoding; its other methods, and all
// methods of a nil pointer, may panic.
//
// The algorithm is in cuckoo.go, the buckets in internal/table, where path.go
// moves fingerprints to make room. [Scalable] is in scalable.go and grows by
// the pages of internal/pages.
package cuckoo
