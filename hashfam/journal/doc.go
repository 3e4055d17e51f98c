// Package journal keeps a structure in a file, so that all changes that were
// recorded before the last [Journal.Sync] survive a crash of the program or of
// the machine.
//
//   - open or create a file: [Open], [Journal.Position], [Journal.Close]
//   - record changes: [Journal.Add], [Journal.Delete], [Journal.Advance]
//   - make them durable: [Journal.Sync]
//   - write the whole structure after other changes: [Journal.Save]
//   - share a structure between goroutines: [Shards]
//
// The program uses the structure as usual, and records its changes in the
// journal. For example:
//
//	seen := hashfam.Must(bloom.New(config))
//	j, err := journal.Open("seen.journal", seen) // restores seen
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
// When the journal is opened for the first time, it writes the whole structure
// to the file. Then Sync appends only the recorded changes, which usually need
// 8 bytes for each key. When these have become longer than the structure and
// longer than 1 MiB, the journal writes the structure to a new file, which
// replaces the old one. If each Sync appends little, a file is therefore at
// most about twice as large as the structure, or 1 MiB larger than a structure
// below 1 MiB. While a new file is written, the old one still exists, so the
// disk needs room for both.
//
// A journal can contain Bloom filters, counting filters, cuckoo filters and
// count-min sketches. It cannot contain HeavyHitters or a Window, which need
// keys in addition to digests, so call [hashfam.WriteFile] from time to time
// for these.
//
// # What is durable
//
// A position is a number that belongs to the state of the structure, for
// example the offset of the next message of a stream. When the file is created,
// it is 0. Later, it comes from a single call of Sync or Save, and the file
// contains all changes that were recorded before this call, but none that were
// recorded after it.
//
// After a crash, Open restores the state and the position of the last call of
// Sync or Save that returned nil, or of a later call that was interrupted or
// returned an error. The program then processes the messages from this position
// on again. If no message may be processed twice, the program must first undo
// what it did for these messages before the crash: see "Pass on each message
// once" in docs/recipes.md.
//
// A structure from [Shards] is an exception, because its file can also contain
// changes that were made after the last Sync.
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
// Otherwise, a new file could be written between the change and its record. A
// change that is recorded before Do could then be lost, and a change that is
// recorded after Do could be repeated when the file is opened. Do not call
// Sync, Save or Close in Do, since this can deadlock.
package journal
