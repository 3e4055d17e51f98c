// Package parts queries filters that are stored in parts, because they are too
// large for one machine or are served by several machines. Package filterbeam
// builds such filters; see Plan.Parts there.
//
//   - open: [Open], which does not read any part
//   - query: [Filter.Contains], [Filter.ContainsDigest]
//   - find the server to query: [Filter.Part]
//   - map or copy a part: [Filter.File]; free its memory: [Filter.Forget]
//
// For example:
//
//	f, err := parts.Open(os.DirFS("/data"), "users", hashfam.Family{})
//	found, err := f.ContainsString("grace")
//
// Part i of n is a separate filter, which contains the keys whose digest d has
// d.Shard(n) == i. Its file is an ordinary frame of package bloom, counting,
// cuckoo or static. A [Filter] reads this file when the part is queried for the
// first time, so a server that is queried for two parts holds only these two in
// memory. The package does not import Apache Beam. Errors are those of package
// [hashfam] and of the file system.
package parts
