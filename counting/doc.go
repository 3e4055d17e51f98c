// Package counting implements counting Bloom filters: Bloom filters that can
// delete keys (Fan, Cao, Almeida and Broder, Summary Cache, IEEE/ACM
// Transactions on Networking 8(3), 2000).
//
//   - add: [New], [Filter.Add], [Filter.AddAll]
//   - delete: [Filter.Delete], [Filter.DeleteAll]
//   - ask: [Filter.Contains], [Filter.Count], [Filter.ContainsAll]
//   - combine: [Filter.Merge]; plain bits for others: [Filter.Bloom]
//   - store: [Filter.WriteTo], [Filter.ReadFrom], [NewReceiver]
//   - inspect: [Config.Params], [Filter.EstimatedLen], [Filter.Stuck]
//   - share between goroutines: package hashfam/sharded
//
// The filter has a counter of four bits in place of each bit, so it takes four
// times the memory of a Bloom filter: 38.4 bits per key at 1 %.
//
//	f, err := counting.New(counting.Config{Capacity: 1_000_000, FPRate: 0.01})
//	f.AddString("session 17")
//	f.DeleteString("session 17")
//	f.ContainsString("session 17") // false
//
// # Guarantees
//
// A key is found as long as it was added more often than deleted, provided that
// only keys were deleted that had been added. The filter cannot check that
// condition; [Filter.Delete] says what goes wrong otherwise.
//
// The guarantee holds even if a counter saturates. A counter that has reached
// 15 is stuck: it may count any number of keys, so it is never decremented. If
// a filter is within its capacity and holds each key once, the probability of a
// stuck counter is at most 3.06e-14 times the number of counters. But fifteen
// copies of one key make all of its counters stuck, and then the key is found
// forever. [Filter.Stuck] returns the number of stuck counters, and only
// [Filter.Reset] clears them.
//
// # Multisets
//
// You may add a key several times; then delete it as often. [Filter.Count]
// returns an upper bound on a key's number of copies, up to 15. Two positions
// of a key may be the same counter; Add then increments that counter twice, and
// Delete decrements it twice.
//
// # Layouts
//
// [Classic], the default, places the k positions of a key anywhere in the array
// and needs the least memory. [Blocked] keeps them within 512 counters, which
// are four adjacent cache lines. If the filter is larger than the cache,
// batches then take a third of the time. It costs 3 % more memory at 1 % and 15
// % more at 0.01 %.
//
// In the code, start with counting.go, where the counters of a key are read and
// changed.
package counting
