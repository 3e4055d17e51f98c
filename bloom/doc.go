// Package bloom is the Bloom filter: a set that answers "may contain" or
// "certainly does not" in a few bits per key (Bloom, CACM 13(7), 1970).
//
// A filter never loses a key: once added, a key is found for ever. A key that
// was not added is found with a small probability, the false-positive rate,
// which [Config] asks for and every layout meets while at most Capacity keys
// are in it. At 1 % a key costs 9.6 bits whatever its length, at 0.1 % 14.4.
//
//	f, err := bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01})
//	f.AddString("example.org")
//	f.ContainsString("example.org") // true
//
// # Layouts
//
// [Classic], the default, spreads the k positions of a key over the whole
// array and needs the least memory. [Partitioned] gives each of the k
// functions a slice of its own. [Blocked] keeps a key within one cache line of
// 512 bits (Putze, Sanders and Singler, JEA 14, 2009): the fastest where the
// filter is larger than the cache, for 3 % more memory at 1 % and 15 % more at
// 0.01 %.
//
// # Concurrency
//
// Methods that do not change a filter are pure: any number of them may run at
// the same time. A method that changes it must run alone.
//
// # The zero value
//
// A zero Filter is only a receiver for decoding. It behaves as a filter that
// is full: it contains every key, and adding to it changes nothing.
package bloom
