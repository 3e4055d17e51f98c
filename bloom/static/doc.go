// Package static implements filters of sets that do not change. A [Filter] is
// built from all its keys at once and then only queried. In return it is the
// smallest filter there is in practice: 6.8 bits per key at 1 %, where a Bloom
// filter takes 9.6, and within 0.7 % of the least that is possible at rates of
// 2^-7, 2^-8 and so on.
//
//   - build: [New]; a set that does not fit in memory: [NewFromSorted]
//   - ask: [Filter.Contains], [Filter.ContainsAll]
//   - members of a known universe: [NewExact], [Exact.Contains]
//   - store: [Filter.WriteTo], [Filter.ReadFrom], [NewReceiver], [AppendFrame]
//   - ask what is stored: [NewView], [NewExactView], [NewFrameReader]
//   - inspect: [Config.SizeBytes], [Filter.Params], [Filter.FalsePositiveRate]
//
// A filter never loses a key: every key it was built from is found. Another key
// is found with a small probability, the false-positive rate of its [Config].
//
//	c := static.Config{FPRate: 0.01}
//	f, err := static.New(ctx, c, c.Family.SumAllStrings(nil, keys))
//	f.ContainsString("example.org")
//
// If keys can be added later, use package bloom or cuckoo. If the keys or their
// digests can be kept until the last one is known, build a Filter then.
//
// To read the code, begin with filter.go, and exact.go, which has two levels.
// The ribbon itself is package internal/ribbon: ribbon.go there answers a
// query, system.go solves the equations. The tables of the encodings are in
// internal/frame/headers.go and exactcodec.go.
//
// # How it works
//
// A Filter is a bumped ribbon (Dillinger, Hübschle-Schneider, Sanders and
// Walzer, SEA 2022). The digest of a key selects about half of 64 neighboring
// slots of an array, and the sum of these slots modulo 2 is the fingerprint of
// the key. Building the filter solves one linear equation for each key. Two
// percent of the keys do not fit and go to a second array.
//
// Building takes four to ten times as long as adding the keys to a Bloom
// filter. It uses any number of goroutines. The result does not depend on them,
// on the order of the keys or on copies: equal sets have equal encodings.
//
// # Known universes
//
// If all keys that will ever be asked for are known, no answer needs to be
// wrong. An [Exact] is built from the members and all other keys, and its
// answer is right for each of them. It takes 2.0 bits for each key of the rarer
// class if the classes have the same size, and 7.7 bits if one has 50 times as
// many keys as the other.
package static
