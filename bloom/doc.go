// Package bloom implements Bloom filters: sets that answer "may contain" or
// "certainly does not contain" in a few bits per key.
//
//   - add: [New], [Filter.Add], [Filter.ContainsOrAdd], [Filter.AddAll]
//   - ask: [Filter.Contains], [Filter.ContainsAll]
//   - combine: [Filter.Merge], [Filter.Intersect], [Filter.FoldTo]
//   - store: [Filter.WriteTo], [Filter.ReadFrom], [NewReceiver], [AppendFrame]
//   - ask what is stored: [NewView], [NewFrameReader]
//   - copies on other servers: [Filter.AppendDelta], [Filter.ApplyDelta]
//   - inspect: [Config.Params], [Params.RateAt], [Filter.EstimatedLen]
//   - grow, forget, share: [NewScalable], [NewRotating], [NewConcurrent]
//
// A filter never loses a key: once added, a key is always found. A key that was
// not added is found with a small probability, the false-positive rate (Bloom,
// CACM 13(7), 1970). [Config] sets that rate, and every layout meets it as long
// as at most Capacity keys are added. A key costs 9.6 bits at 1 %, whatever its
// length, and 14.4 bits at 0.1 %.
//
//	f, err := bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01})
//	f.AddString("example.org")
//	f.ContainsString("example.org") // true
//
// # Layouts
//
// [Classic], the default, places the k positions of a key anywhere in the array
// and needs the least memory. [Partitioned] gives each of the k functions a
// slice of its own. [Blocked] keeps a key within one cache line of 512 bits
// (Putze, Sanders and Singler, JEA 14, 2009). It is the fastest if the filter
// is larger than the cache, and costs 3 % more memory at 1 % and 15 % more at
// 0.01 %.
//
// # Concurrency
//
// Methods that do not change a filter are pure: any number of them may run at
// the same time. A method that changes a filter must run alone. [Concurrent] is
// a filter without that limit.
//
// # Zero values and nil
//
// The zero value of a type is only a receiver for decoding; its other methods,
// and all methods of a nil pointer, may panic.
//
// In the code, start with bloom.go, where the bits of a key are set and tested,
// and with blocked.go for the layout of one cache line per key.
package bloom
