// Package journal keeps a structure in a file, so that everything that was
// added before the last [Journal.Sync] survives a crash of the program or of
// the machine.
//
//   - open or create a file: [Open], with [Shards] for several goroutines
//   - record changes: [Journal.Add], [Journal.Delete], [Journal.Advance]
//   - make them durable: [Journal.Sync], which writes 8 bytes for each key
//   - after any other change, such as Merge or Reset: [Journal.Save]
//
// For example:
//
//	seen := hashfam.Must(bloom.New(config))
//	j, err := journal.Open("seen.journal", seen) // seen is now as it was at the last Sync
//	for offset := j.Position(); ; offset++ {
//		d := seen.Family().SumString(message(offset))
//		if !seen.ContainsOrAddDigest(d) {
//			j.Add(d)
//			process(message(offset))
//		}
//		if offset%1000 == 999 {
//			err = j.Sync(offset + 1)
//		}
//	}
//
// The program uses the structure as usual, and records what it did. The journal
// first writes the whole structure to the file, and does so again whenever the
// recorded keys need as much space. In between, Sync appends only the new keys.
// The file is therefore about twice as large as the structure at most, and
// needs room for three times as much while it is written again.
//
// A journal can contain Bloom filters, counting filters, cuckoo filters and
// count-min sketches, but not HeavyHitters or a Window, which need keys instead
// of digests: call [hashfam.WriteFile] from time to time for these.
//
// # What is durable
//
// A position is a number that belongs to the state of the structure, such as
// the offset of the next message of a stream, so 0 means that nothing was
// processed. Everything that was recorded between two calls of Sync is in the
// file together with the position, or not at all. After a crash, Open restores
// the state and the position of the last call that returned nil, or of the next
// one if this was running or returned an error. The program then processes the
// messages from this position on again, so it must first undo what it did for
// them before the crash, if that matters: see "Pass on each message once" in
// docs/recipes.md.
//
// A structure from [Shards] is an exception: its file can also contain changes
// that were made after the last Sync.
//
// For several partitions of a stream, use a journal for each. Commit an offset
// to the broker after Sync.
//
// # Goroutines
//
// Sync and Save read the structure, so a structure that goroutines share needs
// locks: use [Shards], even for a single shard. First change the structure, and
// then record the change in the same call of Do:
//
//	shards.Do(d, func(f *counting.Filter) { f.AddDigest(d); j.Add(d) })
//
// If a new file is written in between, a record that was made before the change
// can be lost, and a record that was made after Do can be repeated. Do not call
// Sync or Save in Do, since this can deadlock.
package journal
