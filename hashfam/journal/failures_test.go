package journal

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// requireFileHas checks that a copy of a file has a state and a position.
func requireFileHas(t testing.TB, name string, again Structure, want string, position uint64) {
	t.Helper()
	copied := filepath.Join(quickDir(t), "copy")
	write(t, copied, readAll(t, name))
	j := mustOpen(t, copied, again)
	require.Equal(t, position, j.Position())
	require.True(t, want == state(again), "another state")
	require.NoError(t, j.Close())
	require.NoError(t, os.Remove(copied))
}

// When fsync fails, the system may drop the pages, and the next fsync succeeds.
// Nevertheless, a Sync that returns nil must have made everything durable, and
// Position must return the position of the last such Sync.
func TestFailedFsyncsLoseNothing(t *testing.T) {
	eachKind(t, func(t *testing.T, create func() kind) {
		name := filepath.Join(quickDir(t), "journal")
		k := create()
		j := mustOpen(t, name, k.Structure)
		defer j.Close()
		rng := rand.New(rand.NewPCG(5, 1))
		failures, durable := 0, j.end.At
		j.fsync = func(f *os.File) error {
			if rng.IntN(3) > 0 {
				return nil
			}
			failures++
			if f == j.file {
				_, err := f.WriteAt(make([]byte, sizeOf(t, name)-durable), durable)
				require.NoError(t, err)
			}
			return syscall.EIO
		}
		o := newOperator(k, j, rng)
		last := uint64(0)
		for i := range uint64(60) {
			for range rng.IntN(20) {
				o.change()
			}
			if err := j.Sync(i); err != nil {
				require.ErrorIs(t, err, syscall.EIO)
				require.Equal(t, last, j.Position())
				continue
			}
			last = i
			durable = j.end.At
			require.Equal(t, i, j.Position())
			requireFileHas(t, name, create().Structure, state(k), i)
		}
		require.Greater(t, failures, 5)
	})
}

// Whenever the journal's file is synced, and not only when Sync returns, it has
// the current state. So a crash between a block and a new file is harmless.
func TestEachSyncedFileHasTheCurrentState(t *testing.T) {
	withLimit(t, 4000)
	name := filepath.Join(quickDir(t), "journal")
	f := newExactFilter()
	j := mustOpen(t, name, f.Filter)
	defer j.Close()
	files := 0
	i := uint64(0)
	synced := false
	j.fsync = func(file *os.File) error {
		if file == j.file {
			synced = true
			requireFileHas(t, name, newExactFilter().Filter, state(f), i)
		} else {
			files++
		}
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		for range 1 + rng.IntN(800) {
			f.operate(j, i)
			i++
		}
		before := files
		synced = false
		require.NoError(t, j.Sync(i))
		require.True(t, synced || files > before, "neither the file nor a new one was synced")
	}
	require.Greater(t, files, 10)
}

// When a block cannot be written or removed, the next Sync writes a new file.
func TestUnusableFilesAreReplaced(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	f := smallBloom()
	j := mustOpen(t, name, f)
	defer j.Close()
	f.AddDigest(7)
	j.Add(7)
	require.NoError(t, j.file.Close())
	require.Error(t, j.Sync(1))
	require.Zero(t, j.Position())
	require.NoError(t, j.Sync(1))
	requireFileHas(t, name, smallBloom(), state(f), 1)
}

// If only syncing the folder failed, a crash could bring back the old file. The
// journal uses the new one, because it has the name, but the next Sync writes
// another new file.
func TestFailedSyncsOfTheFolderLoseNothing(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	f := smallBloom()
	j := mustOpen(t, name, f)
	defer j.Close()
	f.AddDigest(7)
	j.Add(7)
	j.request(5)
	s := renamed(t, j)
	require.Zero(t, j.finish(s, syscall.EIO))
	j.disk.pass(0)
	require.Zero(t, j.Position())
	require.True(t, sameFile(j.file, name), "the new file is not locked")
	require.NoError(t, j.Sync(5))
	require.NotSame(t, s.file, j.file, "no new file was written")
	require.EqualValues(t, 5, j.Position())
	requireFileHas(t, name, smallBloom(), state(f), 5)
}

// When a new file could not be written, perhaps because the disk is full, the
// next one is written only when the blocks are twice as long.
func TestFailedNewFilesAreNotTriedAgainSoon(t *testing.T) {
	j := mustOpen(t, filepath.Join(quickDir(t), "journal"), smallBloom())
	defer j.Close()
	j.limit = 1000
	j.fsync = func(f *os.File) error {
		if f == j.file {
			return nil
		}
		return syscall.EIO
	}
	failures := 0
	for i := range uint64(200) {
		j.Add(1)
		if err := j.Sync(i); err != nil {
			require.ErrorIs(t, err, syscall.EIO)
			failures++
			require.Equal(t, 2*(j.end.At-j.begin), j.limit)
		}
	}
	require.Equal(t, 5, failures) // in a file of 17.6 kB
}

// When a new file cannot be written in the background, the next Sync makes its
// changes durable and returns the error once.
func TestSyncReturnsTheErrorOfTheBackground(t *testing.T) {
	j := mustOpen(t, filepath.Join(quickDir(t), "journal"), Shards(countingShards(100)))
	defer j.Close()
	j.limit = 100
	j.fsync = func(f *os.File) error {
		if f == j.file {
			return nil
		}
		return syscall.EIO
	}
	j.Add(1, 2, 3, 4)
	require.NoError(t, j.Sync(1))
	j.saveInBackground() // if the goroutine of Sync has not begun
	j.saving.Lock()      // if it has begun
	j.saving.Unlock()
	require.ErrorIs(t, j.Sync(2), syscall.EIO)
	require.EqualValues(t, 2, j.Position())
	require.NoError(t, j.Sync(3))
}

// Where open files cannot be replaced, they are closed before. This must work
// everywhere, also when a new file cannot be written.
func TestFilesCanBeClosedBeforeTheyAreReplaced(t *testing.T) {
	before := closeFirst
	closeFirst = true
	defer func() { closeFirst = before }()
	withLimit(t, 4000)
	folder := filepath.Join(quickDir(t), "folder")
	require.NoError(t, os.Mkdir(folder, 0o700))
	name := filepath.Join(folder, "journal")
	f := newExactFilter()
	j := mustOpen(t, name, f.Filter)
	rng := rand.New(rand.NewPCG(1, 1))
	i := uint64(0)
	away := folder + " away"
	for n := range 100 {
		for range rng.IntN(800) {
			f.operate(j, i)
			i++
		}
		if n%5 == 4 { // during the write
			j.fsync = func(file *os.File) error {
				if file != j.file {
					require.NoError(t, os.Rename(folder, away))
				}
				return nil
			}
			require.Error(t, j.Save(i))
			require.NoError(t, os.Rename(away, folder))
			j.fsync = (*os.File).Sync
		}
		if n%5 == 2 { // the old file can be opened again
			j.fsync = func(file *os.File) error {
				if file != j.file {
					require.NoError(t, os.Remove(file.Name()))
				}
				return nil
			}
			require.Error(t, j.Save(i))
			require.True(t, sameFile(j.file, name), "the old file is not locked")
			j.fsync = (*os.File).Sync
		}
		require.NoError(t, j.Sync(i))
		requireFileHas(t, name, newExactFilter().Filter, state(f), i)
	}
	require.NoError(t, j.Close())
}

// A panicking structure panics when it is written.
type panicking struct{ *bloom.Filter }

func (panicking) WriteTo(io.Writer) (int64, error) { panic("not written") }

func TestPanicsLeaveNoTemporaryFile(t *testing.T) {
	folder := quickDir(t)
	name := filepath.Join(folder, "journal")
	require.PanicsWithValue(t, "not written", func() { Open(name, panicking{smallBloom()}) })
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, "journal", left[0].Name())
}

func countingShards(capacity uint64) *sharded.Of[*counting.Filter] {
	return hashfam.Must(sharded.New(16, func(int) (*counting.Filter, error) {
		return counting.New(counting.Config{Capacity: capacity, FPRate: 0.01})
	}))
}
