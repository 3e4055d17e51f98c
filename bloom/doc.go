// Package bloom implements Bloom filters. A Bloom filter is a set that answers
// "may contain" or "certainly does not contain" and needs only a few bits per
// key (Bloom, CACM 13(7), 1970).
//
// A filter never loses a key: once added, a key is always found. A key that
// was not added is found with a small probability, the false-positive rate.
// [Config] sets that rate, and every layout meets it as long as at most
// Capacity keys are added. A key costs 9.6 bits at 1 %, whatever its length,
// and 14.4 bits at 0.1 %.
//
//	f, err := bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01})
//	f.AddString("example.org")
//	f.ContainsString("example.org") // true
//
// # Layouts
//
// [Classic], the default, places the k positions of a key anywhere in the
// array and needs the least memory. [Partitioned] gives each of the k
// functions a slice of its own. [Blocked] keeps a key within one cache line of
// 512 bits (Putze, Sanders and Singler, JEA 14, 2009). It is the fastest if the
// filter is larger than the cache, and costs 3 % more memory at 1 % and 15 %
// more at 0.01 %.
//
// # Concurrency
//
// Methods that do not change a filter are pure: any number of them may run at
// the same time. A method that changes a filter must run alone. [Concurrent] is
// a filter without that limit.
//
// # Growing and forgetting
//
// A [Scalable] filter grows with the number of its keys and keeps its rate. A
// [Rotating] filter forgets: it has the keys of the last hour, or the last N.
//
// # Zero values and nil
//
// A zero Filter is only a receiver for decoding. It behaves like a full filter:
// it contains every key, and adding to it changes nothing. Merge, Intersect and
// the estimates of two filters return ErrParams on it, unless the other one is
// zero too. Methods that return an error return one on a nil *Filter, except
// MarshalJSON, which package json does not call then; the others panic.
package bloom
