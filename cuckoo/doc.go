// Package cuckoo is the cuckoo filter: a set that answers "may contain" or
// "certainly does not" in a few bits per key, and that can delete (Fan,
// Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014).
//
// Of each key the filter keeps a short fingerprint in one of two buckets of
// four slots. Where both are full, other fingerprints move to their other
// buckets to make room. It never loses a key: either Add succeeds, and the key
// is found until it is deleted, or it returns an [ErrFull] and has changed
// nothing. A key that was not added is found with a small probability, the
// false-positive rate, which [Config] asks for.
//
//	f, err := cuckoo.New(cuckoo.Config{Capacity: 1_000_000, FPRate: 0.001})
//	err = f.AddString("example.org")
//	f.ContainsString("example.org") // true
//	f.DeleteString("example.org")   // true
//
// A key costs 13.4 bits at 0.1 %, whatever its length and however many keys
// there are; compact, 12.4. A Bloom filter, which cannot delete, costs 14.4.
//
// # Copies
//
// The filter is a multiset: a key that was added twice is there twice, and is
// found until it has been deleted twice. Two buckets hold eight copies; the
// ninth is an [ErrCopies].
//
// # Concurrency
//
// Methods that do not change a filter are pure: any number of them may run at
// the same time. A method that changes it must run alone.
//
// # The zero value
//
// A zero Filter is only a receiver for decoding. It behaves as a filter that
// is full: it contains every key, adding to it is an ErrFull, and there is
// nothing to delete.
package cuckoo
