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

// A fullDisk writes half of a filter and then returns an error.
type fullDisk struct{ *bloom.Filter }

var errFull = errors.New("no space left on device")

func (d fullDisk) WriteTo(w io.Writer) (int64, error) {
	half, err := w.Write(make([]byte, d.SizeBytes()/2))
	return int64(half), errors.Join(err, errFull)
}

func TestSaveToFullDiskKeepsOldFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "filter")
	require.NoError(t, save(filter("a"), name))
	require.ErrorIs(t, save(fullDisk{filter("b")}, name), errFull)
	got, err := load(name)
	require.NoError(t, err)
	require.True(t, got.Equal(filter("a")))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

// saverVariable names the file that a process saves to until it is killed.
const saverVariable = "FILTERFAM_SAVER"

// A process saves one version of a filter after the other, and is killed at
// random moments: 10 times, or 1,000 times in the long form. The file must then
// be the last version whose save has returned, or the next one. The system
// survives, so this does not test that versions are on the disk.
func TestKilledSaverLeavesOldOrNewFilter(t *testing.T) {
	if name := os.Getenv(saverVariable); name != "" {
		saveVersions(name)
		return
	}
	kills := 10
	if checks.Long(t, 0.5, 0.1) {
		kills = 1000
	}
	name := filepath.Join(t.TempDir(), "versions")
	f, err := bloom.NewFromParams(bloom.Params{Bits: 1 << 21, Hashes: 10}) // version n has the keys 1 to n
	require.NoError(t, err)
	require.NoError(t, save(f, name))
	version, rng := uint64(0), rand.New(rand.NewPCG(1, 2))
	for range kills {
		for saved := killSaver(t, name, rng); version < saved; version++ {
			f.AddDigest(f.Family().SumUint64(version + 1))
		}
		got, err := load(name)
		require.NoError(t, err, "version %d or the next", version)
		if !got.Equal(f) {
			version++
			f.AddDigest(f.Family().SumUint64(version))
			require.True(t, got.Equal(f), "the file is neither version %d nor the previous one", version)
		}
	}
}

// saveVersions starts with the version in a file, and saves and prints the next
// ones until this fails.
func saveVersions(name string) {
	f, err := load(name)
	for version := uint64(1); err == nil; version++ {
		if f.ContainsOrAddDigest(f.Family().SumUint64(version)) {
			continue // 10 of 2^21 bits per key: no false positive
		}
		if err = save(f, name); err == nil {
			_, err = fmt.Println(version)
		}
	}
	fmt.Println(err)
}

// killSaver starts a process that saves versions and kills it at a random
// moment after its first save. It returns the last version whose save returned.
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
