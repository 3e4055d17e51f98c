// Package bloom implements Bloom filters: sets that use a few bits per key and
// report that a key may be in the set, or that it is certainly not.
//
// Most programs need only these names:
//
//   - create: [Config], [New]
//   - add: [Filter.Add], [Filter.AddString], [Filter.ContainsOrAdd]
//   - query: [Filter.Contains], [Filter.ContainsString]
//   - combine: [Filter.Merge]
//   - store: [Filter.WriteTo] or [Filter.MarshalBinary], [Filter.ReadFrom]
//   - inspect: [Filter.FalsePositiveRate], [Filter.EstimatedLen]
//
// These are for special purposes:
//
//   - process many keys at once: [Filter.AddAll], [Filter.ContainsAll]
//   - intersect, compare: [Filter.Intersect], [Filter.Jaccard]
//   - make smaller: [Filter.Fold], [Filter.FoldTo]
//   - decode with a keyed family: [NewReceiver]
//   - encode without a filter: [AppendFrame]
//   - query encoded filters: [NewView], [NewFrameReader]
//   - update copies on other servers: [Filter.AppendDelta], [Filter.ApplyDelta]
//   - plan: [Config.Params], [Params.RateAt], [Params.CapacityAt]
//   - grow, forget, share: [NewScalable], [NewRotating], [NewConcurrent]
//
// A filter never loses a key: a key that was added will always be found. A key
// that was not added is found with a small probability, the false-positive rate
// (Bloom, CACM 13(7), 1970), or rate for short. The [Config] sets this rate,
// which every layout meets until more than Capacity keys are added. A filter
// uses 9.6 bits per key for a rate of 1%, and 14.4 for 0.1%, regardless of key
// size.
//
//	f, err := bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01})
//	f.AddString("example.org")
//	f.ContainsString("example.org") // true
//
// Package [hashfam] describes what all types have in common: concurrency, zero
// values, cost, errors, encoding and printing. Only [Concurrent] can be changed
// by several goroutines at the same time. In this package, m is the number of
// bits and k is the number of hash functions, so methods run in O(k) time for a
// key and in O(m) time for a whole filter.
//
// # Layouts
//
// [Classic], the default, places a key's k positions anywhere in the array and
// needs the least memory. [Partitioned] uses a separate slice of the array for
// each of the k hash functions. [Blocked] places all of a key's positions in a
// single cache line of 512 bits (Putze, Sanders and Singler, JEA 14, 2009). It
// is the fastest layout when the filter is larger than the cache, but needs 3%
// more memory for a rate of 1%, and 15% more for 0.01%.
package bloom
