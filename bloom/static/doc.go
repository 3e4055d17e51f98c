// Package static implements filters of sets that do not change. A [Filter] is
// built from all its keys at once and then only queried. In return, it is the
// smallest filter of this module: at 1%, a large filter uses 6.8 bits per key,
// where a Bloom filter uses 9.6. At rates of 2^-7, 2^-8 and so on, the size of
// large filters is within 0.7% of the theoretical minimum.
//
// Most programs need only these names:
//
//   - build: [Config], [New]
//   - query: [Filter.Contains], [Filter.ContainsString]
//   - store: [Filter.WriteTo] or [Filter.MarshalBinary], [Filter.ReadFrom]
//   - inspect: [Filter.Len], [Filter.SizeBytes], [Filter.FalsePositiveRate]
//
// These are for special purposes:
//
//   - find none of a list of absent keys: [NewExact]
//   - query many keys at once: [Filter.ContainsAll]
//   - decode with a keyed family: [NewReceiver]
//   - query stored filters in place: [NewView]
//   - build from keys that do not fit in memory: [NewFromSorted]
//   - store many small filters: [AppendFrame], [NewFrameReader]
//   - plan: [Config.EstimatedBytes]
//
// Every key that a filter was built from will be found. Another key is found
// with a small probability, the false-positive rate, which the [Config] sets.
//
//	c := static.Config{FPRate: 0.01}
//	f, err := static.New(ctx, c, c.Family.SumAllStrings(nil, keys))
//	f.ContainsString("example.org")
//
// If keys will be added later, use package bloom or cuckoo instead, unless the
// keys or their digests can be stored until the last one is known.
//
// If some keys must not be false positives, pass them to [NewExact] as absent
// keys:
//
//	f, err := static.NewExact(ctx, c, members, absent)
//
// See package [hashfam] for concurrency, zero values, errors and encoding.
//
// # How it works
//
// A Filter is a bumped ribbon (Dillinger, Hübschle-Schneider, Sanders and
// Walzer, SEA 2022). A key's digest selects about half of 64 neighboring slots
// in an array, and the sum of these slots modulo 2 is the key's fingerprint. To
// fill the array, a build solves one linear equation for each key. About 2% of
// the keys do not fit and are moved to another array, the second layer, and a
// few of them to further layers. NewExact adds an array that distinguishes the
// members from the absent keys among all that pass the layers.
//
// A build takes longer than adding the keys to a Bloom filter, but it can use
// any number of goroutines. The result does not depend on the number of
// goroutines, or on the order and the copies of keys, so equal sets have equal
// encodings. docs/benchmarks.md compares times.
package static
