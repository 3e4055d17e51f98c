// Package countmin counts how often keys occur in a stream, using memory that
// does not grow with the stream. It implements the count-min sketch (Cormode
// and Muthukrishnan, Journal of Algorithms 55, 2005).
//
// Most programs need only these names:
//
//   - count any key: [Config], [New], [Sketch.Add], [Sketch.Count]
//   - find frequent keys: [HeavyConfig], [NewHeavyHitters], [HeavyHitters.Add]
//   - list them: [HeavyHitters.All], [Estimate]
//   - combine: [Sketch.Merge], [HeavyHitters.Merge]
//   - store: WriteTo or MarshalBinary, and ReadFrom, of both types
//
// These are for special purposes:
//
//   - count many keys at once: [Sketch.AddAll], [Sketch.CountAll]
//   - know the error of counts: [Sketch.ErrorQuantile], [Sketch.ErrorBound]
//   - find frequent keys of the last minutes: [NewWindow], [Window.Advance]
//   - know whether frequent keys can be missing: [HeavyHitters.Complete]
//   - let old counts fade: [Sketch.Halve]
//   - combine heavy hitters that were counted in shards: [JoinHeavyHitters]
//   - decode with a keyed family: [NewReceiver], [NewHeavyReceiver]
//   - plan: [Config.Params]
//   - share between goroutines: package hashfam/sharded
//
// A [Sketch] counts any number of keys:
//
//	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
//	s.AddString("whale")
//	s.CountString("whale") // 1, or a little more
//
// A sketch never returns a count that is too low, unless a counter has reached
// its maximum, [Sketch.Halve] was called, or a key was removed more often than
// it was counted. For any stream, the probability that a count is too high by
// more than Epsilon times the total is no more than Delta. Such an error does
// not matter for frequent keys, but may be larger than the counts of rare ones.
// A sketch cannot list its keys.
//
// [HeavyHitters] and [Window] can list frequent keys. They count a key exactly
// from the moment it becomes frequent, so their counts are often exact, and the
// true count is always between the Low and High of the returned [Estimate].
// Their method All sorts the keys when an iteration begins, in O(r log r) time
// and O(r) memory for r keys. The structure must not be changed during the
// iteration.
//
// Plain update adds to all of a key's counters, while conservative update
// (Estan and Varghese, SIGCOMM 2002) raises only those that the key's own count
// requires. This usually reduces the mean error over all keys to about half,
// and the error of frequent keys even more. But keys cannot be removed, inner
// products cannot be computed, and merged sketches are less accurate than a
// single sketch would be.
//
// Counters have 8, 16, 32 or 64 bits. For a limit of 100, or to compare
// frequencies in a cache, 8 bits are enough, and use a quarter of the memory of
// the default, 32 bits.
//
// See package [hashfam] for what all packages have in common: concurrency, zero
// values, cost, errors, encoding and printing.
package countmin
