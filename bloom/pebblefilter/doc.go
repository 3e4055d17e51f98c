// Package pebblefilter uses the filters of filterfam in the tables of Pebble,
// github.com/cockroachdb/pebble/v2. When a filter reports that a key is absent,
// Pebble does not need to read the table.
//
//   - choose a filter: [Static], the smallest, or [Bloom]
//   - inspect: [Policy.Errors]
//
// Set the policy on every level that will be queried:
//
//	p, err := pebblefilter.Static(0.01) // 6.8 bits per key
//	for i := range options.Levels {
//		options.Levels[i].FilterPolicy = p
//	}
//
// # When Pebble queries filters
//
// Get queries the filters of all levels except the last, which contains about
// 90% of the keys, or all keys in a small database. An iterator queries filters
// only in SeekPrefixGE, not in SeekGE or during a scan. If
// IterOptions.UseL6Filters is set, it also queries the filters of the last
// level. This means:
//
//   - If you only call Get, set Levels[6].FilterPolicy = pebble.NoFilterPolicy,
//     because otherwise most of the filter bytes will never be read. The other
//     levels contain few keys, so a rate of 0.001 needs little memory there.
//   - If keys are often absent, set a policy on all levels, and call
//     SeekPrefixGE with UseL6Filters instead of Get, as in the Example. An
//     iterator can be used for any number of lookups, but it reads the database
//     as it was when NewIter was called.
//   - If you only scan, do not set a policy.
//
// A level whose FilterPolicy is nil uses the policy of the previous level. If
// the Comparer has a Split that shortens keys, filters contain distinct
// prefixes.
//
// # Measure the gain
//
// DB.Metrics().Filter.Hits counts how often a table was not read because of its
// filter, and Misses how often a table was still read. Block cache misses are
// not a good measure, because filters are also blocks, so with a small cache,
// reading them causes misses, too.
//
// # Change the policy
//
// Pebble stores the policy's name with each table, and looks it up in Levels
// and Options.Filters when it opens the table. If the name is missing there,
// for example because the current policy has another family, Pebble reads the
// table without its filter. Results are still right, but DB.Metrics().Filter
// does not count such a table, and no error is returned.
//
// To change the policy, set the new one in Levels, and the old one in Filters:
//
//	options.Filters = map[string]pebble.FilterPolicy{old.Name(): old}
//
// A table's filter remains until a compaction rewrites it. DB.Compact does not
// rewrite a table in the last level unless another table overlaps it. If the
// database has no range keys, call DB.RangeKeyDelete for the range and then
// DB.Compact to rewrite all tables. The old policy can be removed when no table
// uses its name; call DB.SSTables with [pebble.WithProperties] to check this.
// The same steps lead back to the old policy.
//
// # Errors
//
// [Static] and [Bloom] return the errors of package [hashfam]. If a filter
// cannot be read, Pebble reads the table, and [Policy.Errors] counts the query.
// A query does not check the filter's payload, because Pebble has already
// verified the block's checksum.
package pebblefilter
