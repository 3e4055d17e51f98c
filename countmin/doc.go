// Package countmin counts how often keys occur in a stream, in memory that does
// not grow with it (Cormode and Muthukrishnan, Journal of Algorithms 55, 2005).
//
//   - count any key: [New], [Sketch.Add], [Sketch.AddN], [Sketch.AddAll]
//   - ask: [Sketch.Count], [Sketch.Bounds], [HeavyHitters.Estimate]
//   - keys above a share: [NewHeavyHitters]; the K most frequent: [NewTopK]
//   - the same of the last keys or minutes: [NewWindow], [Window.Advance]
//   - let old counts fade: [Sketch.Halve]
//   - combine: [Sketch.Merge], [HeavyHitters.Merge], [JoinHeavyHitters]
//   - store: [Sketch.WriteTo], [Sketch.ReadFrom], [NewReceiver], [NewView]
//   - inspect: [Config.Params], [Sketch.ErrorBound], [HeavyHitters.Complete]
//   - goroutines: package hashfam/sharded
//
// A [Sketch] counts any number of keys:
//
//	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
//	s.AddString("whale")
//	s.CountString("whale") // 1, or a little more
//
// The count of a sketch is never too low (a saturated counter means "at
// least"); with probability 1-Delta it is at most Epsilon times the total too
// high, whatever the stream. Such an error is negligible for a frequent key and
// swamps a rare one, and a sketch cannot list its keys. HeavyHitters, TopK and
// Window can: they track the frequent keys exactly from the moment they stand
// out, so their counts are often the truth itself, and always between Low and
// High of an [Estimate].
//
// Plain update adds to every counter of a key. Conservative update (Estan and
// Varghese, SIGCOMM 2002) raises only those that the key's own count needs: the
// mean error over the keys falls to about half, that of frequent keys much
// further. In return nothing can be removed, inner products cannot be taken,
// and merged sketches are less exact than a joint one. Why the counters form
// rows is in docs/theory.md.
//
// Counters have 8, 16, 32 or 64 bits. A limit of 100, or the frequencies that a
// cache compares, need no more than 8: a quarter of the usual memory.
//
// Methods that do not change a structure are pure: any number of them may run
// at the same time. A method that changes it must run alone.
//
// The zero value is only a receiver for decoding. Until then, methods that take
// keys, and methods that change it, panic. Methods of a nil pointer may panic.
//
// In the code, start with countmin.go, where a key is counted. params.go sizes
// a [Sketch]; tracked.go is what [HeavyHitters], [TopK] and [Window] have in
// common; a key is admitted to them in internal/tracker/tracker.go.
package countmin
