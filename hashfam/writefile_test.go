package hashfam_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// A version is a structure whose file contains the same number many times.
type version uint64

const versionBytes = 1 << 18

func (v version) WriteTo(w io.Writer) (int64, error) {
	piece := bytes.Repeat(binary.LittleEndian.AppendUint64(nil, uint64(v)), 1<<10)
	n := int64(0)
	for n < versionBytes {
		m, err := w.Write(piece)
		n += int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// loadVersion returns the version in a file, which must be complete.
func loadVersion(t testing.TB, name string) version {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Len(t, data, versionBytes)
	v := version(binary.LittleEndian.Uint64(data))
	var want bytes.Buffer
	_, err = v.WriteTo(&want)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want.Bytes(), data), "parts of several versions")
	return v
}

// requireFiles checks the names of all files in a folder.
func requireFiles(t testing.TB, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	require.ElementsMatch(t, want, names)
}

func TestWriteFileReplacesTheFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "structure")
	require.NoError(t, hashfam.WriteFile(name, version(1)))
	require.Equal(t, version(1), loadVersion(t, name))
	require.NoError(t, hashfam.WriteFile(name, version(2)))
	require.Equal(t, version(2), loadVersion(t, name))
	t.Chdir(folder)
	require.NoError(t, hashfam.WriteFile("structure", version(3)))
	require.Equal(t, version(3), loadVersion(t, name))
	requireFiles(t, folder, "structure")
}

// A new file can be read only by its owner. A file that is replaced keeps its
// mode.
func TestWriteFileKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes")
	}
	name := filepath.Join(t.TempDir(), "structure")
	require.NoError(t, hashfam.WriteFile(name, version(1)))
	for _, mode := range []os.FileMode{0o600, 0o644, 0o440} {
		require.NoError(t, os.Chmod(name, mode))
		require.NoError(t, hashfam.WriteFile(name, version(mode)))
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode())
		require.Equal(t, version(mode), loadVersion(t, name))
	}
}

// A failing structure writes half of its contents and then fails.
type failing struct{ fail func() error }

var errFailing = errors.New("failing")

func (f failing) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(make([]byte, versionBytes/2))
	return int64(n), errors.Join(err, f.fail())
}

func TestFailedWriteFileKeepsTheOldFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "structure")
	fail := failing{func() error { return errFailing }}
	require.ErrorIs(t, hashfam.WriteFile(name, fail), errFailing)
	requireFiles(t, folder)
	require.NoError(t, hashfam.WriteFile(name, version(1)))
	require.ErrorIs(t, hashfam.WriteFile(name, fail), errFailing)
	require.PanicsWithValue(t, errFailing, func() {
		hashfam.WriteFile(name, failing{func() error { panic(errFailing) }})
	})
	require.Equal(t, version(1), loadVersion(t, name))
	requireFiles(t, folder, "structure")
}

func TestWriteFileRefusesWhatIsNotAFile(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	err := hashfam.WriteFile(folder, version(1))
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.ErrorContains(t, err, "this is a folder")
	err = hashfam.WriteFile("", version(1))
	require.ErrorIs(t, err, hashfam.ErrParams)
	err = hashfam.WriteFile(filepath.Join(folder, "file"), nil)
	require.EqualError(t, err, "hashfam: invalid parameters: w = <nil>, want a structure or another io.WriterTo")
	err = hashfam.WriteFile(os.DevNull, version(1))
	if runtime.GOOS != "windows" {
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, "device")
	}
	for _, name := range []string{"", filepath.Join(folder, "none", "structure"), filepath.Join(folder, "file", "structure"), filepath.Join(folder, "none") + "/"} {
		require.Error(t, hashfam.WriteFile(name, version(1)), name)
	}
	requireFiles(t, folder, "file")
	requireFiles(t, filepath.Dir(folder), filepath.Base(folder))
}

// A loop of links is not a file, but a link to a file is as good as the file.
func TestWriteFileFollowsLinks(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"link", "loop"} {
		target := map[string]string{"link": "structure", "loop": "loop"}[name]
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Skip("this system has no links: ", err)
		}
	}
	require.NoError(t, hashfam.WriteFile(filepath.Join(folder, "link"), version(1)))
	require.Equal(t, version(1), loadVersion(t, filepath.Join(folder, "structure")))
	err := hashfam.WriteFile(filepath.Join(folder, "loop"), version(2))
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.ErrorContains(t, err, "links in a row")
	requireFiles(t, folder, "structure", "link", "loop")
}

// Whoever calls WriteFile last wins, and nothing is left.
func TestWriteFileCanBeCalledConcurrently(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "structure")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 4 {
				require.NoError(t, hashfam.WriteFile(name, version(i)))
			}
		})
	}
	all.Wait()
	require.Less(t, loadVersion(t, name), version(8))
	requireFiles(t, folder, "structure")
}

// writerVariable names the file that a process writes until it is killed.
const writerVariable = "FILTERFAM_WRITER"

// A process writes one version after the other, and is killed at random
// moments: 10 times, or 200 times in the long form. The file must then be the
// last version for which WriteFile has returned, or the next one. The system
// survives, so this does not test that versions are on the disk.
func TestKilledWriteFileLeavesTheOldOrTheNewFile(t *testing.T) {
	if name := os.Getenv(writerVariable); name != "" {
		writeVersions(t, name)
		return
	}
	kills := 10
	if checks.Long(t, 0.2, 0.1) {
		kills = 200
	}
	folder := t.TempDir()
	name := filepath.Join(folder, "structure")
	require.NoError(t, hashfam.WriteFile(name, version(0)))
	rng := rand.New(rand.NewPCG(1, 2))
	left := 0
	for range kills {
		before := loadVersion(t, name)
		written := killWriter(t, name, rng)
		got := loadVersion(t, name)
		require.Greater(t, written, before)
		require.True(t, got == written || got == written+1, "version %d after %d was written", got, written)

		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, entry := range entries {
			if entry.Name() != "structure" {
				require.Regexp(t, `^\.filterfam-structure-\d+$`, entry.Name())
				require.NoError(t, os.Remove(filepath.Join(folder, entry.Name())))
				left++
			}
		}
	}
	t.Logf("%d kills left %d files", kills, left)
}

// writeVersions writes and prints the versions that follow the one in a file.
func writeVersions(t *testing.T, name string) {
	v := loadVersion(t, name)
	for {
		v++
		err := hashfam.WriteFile(name, v)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(uint64(v))
	}
}

// killWriter starts a process that writes versions and kills it at a random
// moment after its first one. It returns the last version that was written.
func killWriter(t *testing.T, name string, rng *rand.Rand) (written version) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), writerVariable+"="+name)
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
		if written == 0 {
			time.AfterFunc(time.Duration(rng.IntN(10_000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
		written = version(n)
	}
	require.Error(t, cmd.Wait(), "the process was not killed")
	return written
}
