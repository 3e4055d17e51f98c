package journal

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// smallDisk returns the folder of a file system with 12 MB.
func smallDisk(t *testing.T) string {
	folder := t.TempDir()
	if err := syscall.Mount("none", folder, "tmpfs", 0, "size=12m"); err != nil {
		t.Skip("only root can create a small file system: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(folder, 0)) })
	return folder
}

// fillOrFree makes the disk full, or frees it, or does nothing.
func fillOrFree(t *testing.T, rng *rand.Rand, folder string) {
	filler := filepath.Join(folder, "filler")
	switch rng.IntN(6) {
	case 0:
		f, err := os.Create(filler)
		require.NoError(t, err)
		defer f.Close()
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
	case 1, 2:
		os.Remove(filler)
	}
}

// A disk that becomes full and is freed at random loses nothing: when Sync
// returns nil, everything is in the file, and otherwise it is kept for the next
// call. No temporary file is left.
func TestFullDisksLoseNothing(t *testing.T) {
	folder := smallDisk(t)
	name := filepath.Join(folder, "journal")
	f := hashfam.Must(counting.New(counting.Config{Capacity: 500_000, FPRate: 0.01})) // 2.4 MB
	j := mustOpen(t, name, f)
	defer j.Close()
	fillDisk(t, folder, j, func(d hashfam.Digest) {
		f.AddDigest(d)
		j.Add(d)
	}, func(i uint64) {
		requireFileHas(t, name, new(counting.Filter), state(f), i)
	})
}

func TestFullDisksLoseNothingInTheBackground(t *testing.T) {
	folder := smallDisk(t)
	name := filepath.Join(folder, "journal")
	o := countingShards(30_000) // 2.4 MB
	j := mustOpen(t, name, Shards(o))
	defer j.Close()
	fillDisk(t, folder, j, func(d hashfam.Digest) {
		o.Do(d, func(f *counting.Filter) {
			f.AddDigest(d)
			j.Add(d)
		})
	}, func(i uint64) {
		j.saving.Lock() // no new file replaces it while it is copied
		defer j.saving.Unlock()
		requireFileHas(t, name, Shards(countingShards(30_000)), state(o), i)
	})
}

// fillDisk adds keys and calls Sync while the disk is full or not, and calls
// check after every tenth Sync that returns nil, or each one in the long form.
func fillDisk(t *testing.T, folder string, j *Journal, add func(hashfam.Digest), check func(uint64)) {
	rounds := uint64(100)
	every := 10
	if checks.Long(t, 1, 0.1) {
		rounds = 2000
		every = 1
	}
	rng := rand.New(rand.NewPCG(5, 1))
	good, bad := 0, 0
	for i := range rounds {
		for range 1000 + rng.IntN(10_000) {
			add(hashfam.Digest(rng.Uint64()))
		}
		fillOrFree(t, rng, folder)
		if err := j.Sync(i); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			bad++
			continue
		}
		good++
		if good%every == 0 {
			check(i)
		}
	}
	t.Logf("%d calls returned nil, and %d an error", good, bad)
	require.Greater(t, good, 10)
	require.Greater(t, bad, 10)
	j.saving.Lock()
	defer j.saving.Unlock()
	left, err := filepath.Glob(filepath.Join(folder, ".filterfam-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
