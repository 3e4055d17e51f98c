// Package pebblefilter puts the filters of filterfam into the tables of Pebble,
// github.com/cockroachdb/pebble/v2: a read skips a table whose filter says that
// the key is not there.
//
//   - choose a filter: [Static], the smallest, or [Bloom]
//   - inspect: [Policy.Errors]
//
// Set it on every level that is asked:
//
//	p, err := pebblefilter.Static(0.01) // 6.8 bits per key
//	for i := range options.Levels {
//		options.Levels[i].FilterPolicy = p
//	}
//
// # What Pebble asks
//
// Get asks the filters of all levels except the last, which has most of the
// keys: about 90 %, and all of them in a small database. An iterator asks the
// filters of the last level too if IterOptions.UseL6Filters is set. It does so
// in SeekPrefixGE; SeekGE and the rest of a scan ask no filter. So:
//
//   - If you only Get, set Levels[6].FilterPolicy = pebble.NoFilterPolicy, or
//     most of the bytes of filters are never read. The other levels have few
//     keys: 0.001 costs little there.
//   - If keys are often absent, set a policy on all levels, and ask by
//     SeekPrefixGE with UseL6Filters, as the Example does. An iterator answers
//     any number of questions about the database as it was at NewIter.
//   - If you only scan, set none.
//
// A level whose FilterPolicy is nil has that of the level above. If a Comparer
// has a Split that shortens keys, filters contain prefixes, each counted once.
//
// # The gain
//
// DB.Metrics().Filter.Hits counts the tables that Pebble did not read because
// of a filter, and Misses the tables that it read nevertheless. Do not judge by
// the misses of the block cache: filters are blocks too, so with a small cache
// these misses do not fall.
//
// # Another policy, or none
//
// Pebble stores the name of the policy with each table, and looks for it among
// Levels and Options.Filters when it opens the table. If it is not there,
// because it was left out, or because the family is another one, Pebble reads
// the table without its filter and reports nothing: answers are right, and
// DB.Metrics().Filter stops counting.
//
// To move to another policy, set it in Levels, and the old one in Filters:
//
//	options.Filters = map[string]pebble.FilterPolicy{old.Name(): old}
//
// Each table keeps its filter until a compaction writes it again. DB.Compact
// leaves tables of the last level as they are unless something above overlaps
// them. If the database has no range keys, DB.RangeKeyDelete of the range and
// then DB.Compact write them all. The old policy can go when no table has its
// name: see DB.SSTables with [pebble.WithProperties]. The way back is the same.
//
// # Errors
//
// A filter that cannot be read answers that the key may be there, and
// [Policy.Errors] counts it. A question does not check the payload of a filter
// for damage: Pebble has checked the block when it read it from the disk.
package pebblefilter
