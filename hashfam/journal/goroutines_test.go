package journal

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
)

// While goroutines add, delete and sync, another one writes new files. Changes
// that are recorded in the same call of Do are restored exactly once.
func TestChangesDuringSavesAreExact(t *testing.T) {
	rounds := 3
	if checks.Long(t, 1, 0.1) {
		rounds = 100
	}
	for round := range rounds {
		name := filepath.Join(quickDir(t), "journal")
		o := countingShards(4000)
		j := mustOpen(t, name, Shards(o))
		var changing, saving sync.WaitGroup
		var stop atomic.Bool
		for w := range workers {
			changing.Go(func() { changeAll(t, o, j, w, rand.New(rand.NewPCG(uint64(round), uint64(w)))) })
		}
		saving.Go(func() {
			for !stop.Load() {
				require.NoError(t, j.Save(0))
			}
		})
		changing.Wait()
		stop.Store(true)
		saving.Wait()
		require.NoError(t, j.Sync(9))
		require.NoError(t, j.Close())
		again := countingShards(4000)
		j = mustOpen(t, name, Shards(again))
		require.EqualValues(t, 9, j.Position())
		require.True(t, state(o) == state(again), "other counts")
		require.NoError(t, j.Close())
	}
}

// changeAll adds keys and deletes a third of them.
func changeAll(t *testing.T, o filters, j *Journal, worker int, rng *rand.Rand) {
	for i := range uint64(3000) {
		d := keyOf(worker, i)
		o.Do(d, func(f *counting.Filter) {
			f.AddDigest(d)
			j.Add(d)
		})
		if i%3 == 2 {
			old := keyOf(worker, i-2)
			o.Do(old, func(f *counting.Filter) {
				if f.DeleteDigest(old) {
					j.Delete(old)
				}
			})
		}
		if rng.IntN(100) == 0 {
			require.NoError(t, j.Sync(0))
		}
	}
}

type filters interface {
	Do(hashfam.Digest, func(*counting.Filter))
}

// A new file that is due when a journal is closed must not replace the file of
// the next owner, which may open it at once.
func TestClosedJournalsWriteNoNewFile(t *testing.T) {
	withLimit(t, 100)
	name := filepath.Join(quickDir(t), "journal")
	rounds := uint64(50)
	if checks.Long(t, 0.1, 0.1) {
		rounds = 5000
	}
	for i := range rounds {
		o := countingShards(100)
		j := mustOpen(t, name, Shards(o))
		require.Equal(t, i, j.Position())
		for k := range uint64(10) {
			d := hashfam.Digest(i<<40 + k)
			o.Do(d, func(f *counting.Filter) {
				f.AddDigest(d)
				j.Add(d)
			})
		}
		require.NoError(t, j.Sync(i+1))
		require.NoError(t, j.Close())
		next := countingShards(100)
		j = mustOpen(t, name, Shards(next))
		require.True(t, state(o) == state(next), "another state")
		time.Sleep(200 * time.Microsecond) // for the goroutine of the closed journal
		require.True(t, sameFile(j.file, name), "the closed journal has replaced the file")
		require.NoError(t, j.Close())
	}
}

// Goroutines that sync at the same time share writes, but none returns before
// its own record is in the file.
func TestGoroutinesShareWrites(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	o := countingShards(4000)
	j := mustOpen(t, name, Shards(o))
	defer j.Close()
	var fsyncs atomic.Int64
	var durable atomic.Pointer[string] // the bytes of the file at the last fsync
	durable.Store(new(string))
	j.fsync = func(f *os.File) error {
		fsyncs.Add(1)
		time.Sleep(time.Millisecond)
		data := string(readAll(t, name))
		durable.Store(&data)
		return nil
	}
	const goroutines, each = 64, 20
	var all sync.WaitGroup
	for w := range goroutines {
		all.Go(func() {
			for i := range uint64(each) {
				d := keyOf(w, i)
				o.Do(d, func(f *counting.Filter) {
					f.AddDigest(d)
					j.Add(d)
				})
				require.NoError(t, j.Sync(i))
				require.Contains(t, *durable.Load(), string(littleEndian(uint64(d))), "Sync returned before the record was durable")
			}
		})
	}
	all.Wait()
	t.Logf("%d records, %d writes", goroutines*each, fsyncs.Load())
	require.Less(t, fsyncs.Load(), int64(goroutines*each/2))
}

// When goroutines find that a new file is due at the same time, one is written.
func TestGoroutinesWriteNoNeedlessFiles(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	j := mustOpen(t, name, Shards(countingShards(100)))
	defer j.Close()
	files := 0
	j.fsync = func(f *os.File) error {
		if f != j.file {
			files++
		}
		return nil
	}
	j.limit = 100
	j.Add(make([]hashfam.Digest, 10)...)
	require.NoError(t, j.Sync(1))
	for range 20 {
		j.saveInBackground() // also called by Sync
	}
	j.saving.Lock()
	defer j.saving.Unlock()
	require.Equal(t, 1, files)
}

// A watched filter calls a function before it is written.
type watched struct {
	*counting.Filter
	before func()
}

func (w *watched) WriteTo(to io.Writer) (int64, error) {
	w.before()
	return w.Filter.WriteTo(to)
}

func newWatched(int) (*watched, error) {
	f, err := counting.New(counting.Config{Capacity: 100, FPRate: 0.01})
	return &watched{f, func() {}}, err
}

// While the structure is written to a new file, Sync can append blocks to the
// old one, so it does not wait.
func TestSyncAppendsWhileTheStructureIsWritten(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	f := hashfam.Must(newWatched(0))
	j := mustOpen(t, name, Shards(hashfam.Must(sharded.New(1, func(int) (*watched, error) { return f, nil }))))
	defer j.Close()
	f.AddDigest(7)
	j.Add(7)
	f.before = func() {
		if !assert.False(t, j.disk.held, "Sync would wait") {
			return
		}
		require.NoError(t, j.Sync(2))
		requireFileHas(t, name, Shards(hashfam.Must(sharded.New(1, newWatched))), state(f.Filter), 2)
	}
	old := j.file
	require.NoError(t, j.Save(1))
	require.EqualValues(t, 2, j.Position())
	require.Nil(t, j.recent, "changes are still collected")
	require.ErrorIs(t, old.Close(), os.ErrClosed, "the old file is still open")
}

// The first block of a new file contains a change if its shard was written
// before the change, also if no other change was recorded in between.
func TestChangesBeforeAndAfterAShardIsWrittenAreExact(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	o := hashfam.Must(sharded.New(2, newWatched))
	j := mustOpen(t, name, Shards(o))
	defer j.Close()
	var both []*watched
	o.Each(func(_ int, f *watched) error {
		both = append(both, f)
		return nil
	})
	add := func(shard int) {
		d := hashfam.Digest(uint64(shard)<<63 | 7)
		both[shard].AddDigest(d)
		j.Add(d)
	}
	both[0].before = func() { add(1) }
	j.fsync = func(f *os.File) error {
		if f != j.file { // both shards have been written
			add(1)
			add(0)
		}
		return nil
	}
	require.NoError(t, j.Save(3))
	both[0].before = func() {}
	requireFileHas(t, name, Shards(hashfam.Must(sharded.New(2, newWatched))), state(o), 3)
}

// renamed does the first steps of rewrite: when it returns, the new file has its
// name, and disk is held.
func renamed(t *testing.T, j *Journal) *snapshot {
	s := &snapshot{j: j}
	t.Cleanup(s.discard)
	require.NoError(t, j.beginRecent())
	require.NoError(t, s.writeStructure())
	j.disk.take(always)
	require.NoError(t, s.replaceFile())
	return s
}

// A Sync that is called after the first block of a new file was encoded must
// append another block, although it waits until this file is complete.
func TestNewFilesServeNoLaterRequests(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	f := smallBloom()
	j := mustOpen(t, name, f)
	defer j.Close()
	s := renamed(t, j)
	f.AddDigest(7)
	j.Add(7)
	request := j.request(5)
	j.disk.pass(j.finish(s, nil))
	_, err := j.append(request)
	require.NoError(t, err)
	require.EqualValues(t, 5, j.Position())
	requireFileHas(t, name, smallBloom(), state(f), 5)
}

// A new file that cannot be written does not disturb a goroutine that is
// writing a block: no two goroutines write to the journal's file at once.
func TestFailedSavesWaitForBlocks(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	j := mustOpen(t, name, Shards(countingShards(100)))
	defer j.Close()
	file := j.file
	var writing atomic.Int64
	j.fsync = func(f *os.File) error {
		if f != file {
			return syscall.EIO
		}
		assert.EqualValues(t, 1, writing.Add(1))
		time.Sleep(100 * time.Microsecond)
		writing.Add(-1)
		return nil
	}
	var all sync.WaitGroup
	for w := range uint64(4) {
		all.Go(func() {
			for i := range uint64(50) {
				assert.NoError(t, j.Sync(4*i+w+1))
			}
		})
	}
	for range 50 {
		require.ErrorIs(t, j.Save(0), syscall.EIO)
	}
	all.Wait()
}
