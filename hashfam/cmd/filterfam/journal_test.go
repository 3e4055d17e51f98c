package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// writeJournal writes a journal with three blocks, the last of which is
// interrupted.
func writeJournal(t *testing.T, dir string, of journal.Structure) {
	t.Helper()
	name := filepath.Join(dir, "journal")
	j, err := journal.Open(name, of)
	require.NoError(t, err)
	j.Add(1, 2, 3)
	require.NoError(t, j.Sync(5))
	j.Add(4, 5)
	require.NoError(t, j.Sync(7))
	require.NoError(t, j.Close())
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(name, info.Size()-1))
}

func TestInfoDescribesJournals(t *testing.T) {
	dir := t.TempDir()
	fam := hashfam.New(hashfam.Key{1})
	writeJournal(t, dir, hashfam.Must(bloom.New(bloom.Config{Capacity: 100, FPRate: 0.01, Family: fam})))
	require.Equal(t, `file         journal
kind         journal, version 1
family       `+fam.String()+`
parameters   bloom.Filter(classic, 968 bits, 7 hashes)
position     5
blocks       2, with 3 records
cut off      95 bytes at the end, of a block that was interrupted
bytes        543
checksum     right
`, succeeds(t, dir, "", "info", "journal"))
	var a about
	require.NoError(t, json.Unmarshal([]byte(succeeds(t, dir, "", "info", "--json", "journal")), &a))
	require.Equal(t, &aboutJournal{Position: 5, Blocks: 2, Records: 3, Cut: 95}, a.Journal)
	b, err := os.ReadFile(filepath.Join(dir, "journal"))
	require.NoError(t, err)
	for _, at := range []int{30, 100, 300, len(b) - 250} {
		b[at] ^= 1
		writeText(t, dir, "damaged", string(b))
		b[at] ^= 1
		r := run(t, dir, "", "info", "damaged")
		require.Equal(t, failed, r.code, at)
		require.Contains(t, r.out+r.log, "damaged")
	}
}

func TestInfoDescribesJournalsOfShards(t *testing.T) {
	dir := t.TempDir()
	writeJournal(t, dir, journal.Shards(hashfam.Must(sharded.New(4, func(int) (*counting.Filter, error) {
		return counting.New(counting.Config{Capacity: 100, FPRate: 0.01})
	}))))
	require.Contains(t, succeeds(t, dir, "", "info", "journal"), "shards       4\nposition     5\n")
	r := run(t, dir, "", "query", "journal")
	require.Equal(t, failed, r.code)
	require.Contains(t, r.log, "is a journal, which cannot be used here")
}
