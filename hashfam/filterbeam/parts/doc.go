// Package parts queries filters in parts: those that are larger than one
// machine, or that several machines serve. Package filterbeam builds them from
// a plan with parts.
//
//   - open: [Open], which reads no part
//   - ask: [Filter.Contains], [Filter.ContainsDigest]
//   - ask the right server: [Filter.Part]
//   - map or copy a part: [Filter.File]; free its memory: [Filter.Forget]
//
// Part i is a filter of its own: it holds the keys whose digest d has
// d.Shard(n) == i, of n parts. Its file is an ordinary frame of package bloom,
// counting, cuckoo or static. A [Filter] reads it when a key of that part is
// asked for, and not before: a server that is asked for keys of two parts holds
// two parts. The package depends on no engine.
package parts
