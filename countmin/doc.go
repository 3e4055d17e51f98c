// Package countmin counts how often keys occur in a stream, using memory that
// does not grow with the stream. It implements the count-min sketch (Cormode
// and Muthukrishnan, Journal of Algorithms 55, 2005).
//
//   - count any key: [New], [Sketch.Add], [Sketch.AddN], [Sketch.AddAll]
//   - query a count: [Sketch.Count], [HeavyHitters.Estimate]
//   - know the error of counts: [Sketch.ErrorQuantile], [Sketch.ErrorBound]
//   - find frequent keys: [NewHeavyHitters], above a fraction or the first K
//   - find frequent keys of the last minutes: [NewWindow], [Window.Advance]
//   - let old counts fade: [Sketch.Halve]
//   - combine: [Sketch.Merge], [HeavyHitters.Merge], [JoinHeavyHitters]
//   - store: [Sketch.WriteTo], [Sketch.ReadFrom], [NewReceiver]
//   - inspect: [Config.Params], [Sketch.ErrorBound], [HeavyHitters.Complete]
//   - share between goroutines: package hashfam/sharded
//
// A [Sketch] counts any number of keys:
//
//	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
//	s.AddString("whale")
//	s.CountString("whale") // 1, or a little more
//
// A sketch never returns a count that is too low, until a counter reaches its
// maximum, or after [Sketch.Halve]. For any stream, the probability that a count
// is too high by more than Epsilon times the total is no more than Delta. Such
// an error does not matter for frequent keys, but is larger than the counts of
// rare ones, and a sketch cannot list its keys.
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
// requires. This halves the mean error over all keys, and reduces the error of
// frequent keys even more. But keys cannot be removed, inner products cannot be
// computed, and merged sketches are less accurate than a single sketch would
// be. docs/theory.md explains why the counters form rows.
//
// Counters have 8, 16, 32 or 64 bits. For a limit of 100, or to compare
// frequencies in a cache, 8 bits are enough, and use a quarter of the memory of
// the default, 32 bits.
//
// See package [hashfam] for what all packages have in common: concurrency, zero
// values, cost, errors, encoding and printing.
package countmin
