package bloom_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/checks"
)

// A full disk takes half of a filter.
type fullDisk struct{ *bloom.Filter }

var errFull = errors.New("no space left on device")

func (d fullDisk) WriteTo(w io.Writer) (int64, error) {
	half, err := w.Write(make([]byte, d.SizeBytes()/2))
	return int64(half), errors.Join(err, errFull)
}

// If the disk is full, save returns the error of the disk. The old file stays,
// and nothing else.
func TestASaveToAFullDiskKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "filter")
	require.NoError(t, save(versioned(1), name))
	for range 3 {
		require.ErrorIs(t, save(fullDisk{versioned(3)}, name), errFull)
		got, err := load(name)
		require.NoError(t, err)
		require.True(t, got.Equal(versioned(1)))
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, files, 1)
	}
}

// saverVariable names the file that a process saves to until it is killed.
const saverVariable = "FILTERFAM_SAVER"

// A process saves one version of a filter after the other, and is killed at
// random moments: 30 times, or 1,000 with FILTERFAM_LONG=1. Whenever that is,
// the file is the last version whose save has returned, or the one after it.
// The system survives, so this does not test that versions are on the disk.
func TestASaverThatIsKilledLeavesTheOldFilterOrTheNewOne(t *testing.T) {
	if name := os.Getenv(saverVariable); name != "" {
		saveVersions(name)
		return
	}
	kills := 30
	if checks.Long(t, 0.5, 0.1) {
		kills = 1000
	}
	name := filepath.Join(t.TempDir(), "versions")
	want, version := versioned(0), uint64(0)
	require.NoError(t, save(want, name))
	rng := rand.New(rand.NewPCG(1, 2))
	began := 0
	for range kills {
		for saved := killSaver(t, name, rng); version < saved; version++ {
			want.AddDigest(want.Family().SumUint64(version + 1))
		}
		got, err := load(name)
		require.NoError(t, err, "version %d or the next", version)
		if !got.Equal(want) {
			version++
			want.AddDigest(want.Family().SumUint64(version))
			require.True(t, got.Equal(want), "the file is neither version %d nor the one before", version)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(name), ".filter-*"))
		require.NoError(t, err)
		began += len(left)
		for _, file := range left {
			require.NoError(t, os.Remove(file))
		}
	}
	t.Logf("%d versions; %d of %d kills hit a save before it had renamed its file", version, began, kills)
}

// versioned returns version 0 to n of a filter of 256 KiB: it has the keys up
// to its version.
func versioned(n uint64) *bloom.Filter {
	f, err := bloom.NewFromParams(bloom.Params{Bits: 1 << 21, Hashes: 10})
	if err != nil {
		panic(err)
	}
	for i := range n {
		f.AddDigest(f.Family().SumUint64(i + 1))
	}
	return f
}

// saveVersions goes on from the filter in a file, and prints each version that
// it has saved, until that fails.
func saveVersions(name string) {
	f, err := load(name)
	version := uint64(1)
	for err == nil {
		for f.ContainsDigest(f.Family().SumUint64(version)) { // 10 of 2^21 bits per key: no false positive
			version++
		}
		f.AddDigest(f.Family().SumUint64(version))
		if err = save(f, name); err == nil {
			_, err = fmt.Println(version)
		}
	}
	fmt.Println(err)
}

// killSaver starts a process that saves versions and kills it at a random
// moment after its first save. It returns the last version whose save has
// returned.
func killSaver(t *testing.T, name string, rng *rand.Rand) (saved uint64) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), saverVariable+"="+name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Skip("this program cannot start itself: ", err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.ParseUint(lines.Text(), 10, 64)
		require.NoError(t, err, lines.Text())
		if saved == 0 {
			time.AfterFunc(time.Duration(rng.IntN(20_000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
		saved = n
	}
	require.Error(t, cmd.Wait(), "the process was not killed")
	return saved
}
