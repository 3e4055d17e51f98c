// Package counting implements counting Bloom filters, which are Bloom filters
// that can delete keys. They were introduced by Fan, Cao, Almeida and Broder
// (Summary Cache, IEEE/ACM Transactions on Networking 8(3), 2000).
//
// Most programs need only these names:
//
//   - create: [Config], [New]
//   - add: [Filter.Add], [Filter.AddString]
//   - delete: [Filter.Delete], [Filter.DeleteString]
//   - query: [Filter.Contains], [Filter.Count]
//   - combine: [Filter.Merge]
//   - store: [Filter.WriteTo] or [Filter.MarshalBinary], [Filter.ReadFrom]
//   - inspect: [Filter.FalsePositiveRate], [Filter.EstimatedLen]
//
// These are for special purposes:
//
//   - change many keys at once: [Filter.AddAll], [Filter.DeleteAll]
//   - query many keys at once: [Filter.ContainsAll], [Filter.CountAll]
//   - send a quarter of the bytes: [Filter.Bloom]
//   - decode with a keyed family: [NewReceiver]
//   - plan: [Config.Params], [Params.RateAt], [Params.CapacityAt]
//   - detect counters that never change: [Filter.Stuck]
//   - share between goroutines: package hashfam/sharded
//
// Where a Bloom filter has a bit, a counting filter has a counter of four bits,
// so it uses four times the memory: 38.4 bits per key at 1%.
//
//	f, err := counting.New(counting.Config{Capacity: 1_000_000, FPRate: 0.01})
//	f.AddString("session 17")
//	f.DeleteString("session 17")
//	f.ContainsString("session 17") // false
//
// See package [hashfam] for concurrency, zero values, errors and encoding.
//
// # Guarantees
//
// A key that was added more often than deleted will be found, provided that
// every deleted key had been added. The filter cannot check this condition;
// [Filter.Delete] describes the consequences.
//
// This guarantee holds even if a counter saturates. A counter that has reached
// 15 is stuck: it is never decremented, because the number of keys that it
// counts is unknown. If a filter was created for a rate of up to 10%, contains
// each key once and is within its capacity, the probability that any counter is
// stuck is less than 3.06e-14 times the number of counters. But if a key is
// added fifteen times, all of its counters are stuck, so it will always be
// found. [Filter.Stuck] returns the number of stuck counters, which only
// [Filter.Reset] clears.
//
// # Multisets
//
// A key can be added several times, and then needs the same number of deletes.
// [Filter.Count] returns an upper bound on the number of copies, up to 15. If
// two of the key's positions are the same counter, Add increments this counter
// twice and Delete decrements it twice. If most keys have many copies, counters
// that several keys share are stuck, so a few keys will always be found.
//
// # Layouts
//
// [bloom.Classic], the default, places the k positions of a key anywhere in the
// array and needs the least memory. [bloom.Blocked] places them within 512
// counters, which are four adjacent cache lines, so that batches are much
// faster when the filter is larger than the cache. A Blocked filter needs 3%
// more memory at 1%, and 15% more at 0.01%. There is no partitioned layout.
package counting
