// Package countmin counts how often keys occur in a stream, in memory that does
// not grow with it (Cormode and Muthukrishnan, Journal of Algorithms 55, 2005).
//
// A [Sketch] answers how often any key has occurred. The answer is never too
// low (a saturated counter means "at least"); with probability 1-Delta it is at
// most Epsilon times the total too high, whatever the stream.
//
//	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
//	s.AddString("whale")
//	s.CountString("whale") // 1, or a little more
//
// Such an error is negligible for a frequent key and swamps a rare one, and a
// sketch cannot list its keys. [HeavyHitters] finds the keys that make up a
// share Phi of the stream, and [TopK] the K most frequent ones. Both track them
// exactly from the moment they stand out, so their counts are often the truth
// itself, and always between Low and High of an [Estimate].
//
// A [Window] does what HeavyHitters does for the last keys of a stream, or for
// what came in the last minute.
//
// # Update
//
// Plain update adds to every counter of a key. Conservative update (Estan and
// Varghese, SIGCOMM 2002) raises only those that the key's own count needs: the
// mean error over the keys falls to about half, that of frequent keys much
// further. In return nothing can be removed, inner products cannot be taken,
// and merged sketches are less exact than a joint one.
//
// # Rows or one array
//
// The counters of a sketch form rows, and a key has one in each. In the
// literature on spectral Bloom filters (Cohen and Matias, SIGMOD 2003) all
// positions of a key fall anywhere in one array of m = depth*width counters, of
// which the least is taken. At equal memory the two err alike: 9.54 against
// 9.50 counts on average on the words of a novel, at width 2,719 and depth 5.
// Rows have the theorem, and a merged row sums to its total, which a decoder
// can check. If a key's counters are kept near one another, in a block of 16
// columns, the error is 6 % larger and the theorem fails: keys that crowd a
// block crowd all of its rows.
//
// # Concurrency
//
// Methods that do not change a structure are pure: any number of them may run
// at the same time. A method that changes it must run alone. All methods of a
// [ConcurrentSketch] and of [ConcurrentHeavyHitters] may run at the same time;
// Snapshot returns the plain structure, which can be encoded.
//
// # Zero values and nil
//
// A zero Sketch, HeavyHitters, TopK or Window is only a receiver for decoding.
// Every count is math.MaxUint64, and adding to it counts nothing, except the
// total of a Sketch. Zero concurrent structures behave in the same way. Methods
// that return an error return one on a nil pointer, except MarshalJSON, which
// package json does not call then; the others panic.
package countmin
