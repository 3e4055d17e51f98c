package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// A line can have exactly the length that the error for longer lines allows.
func TestLinesOfTheGreatestLength(t *testing.T) {
	line := bytes.Repeat([]byte("x"), maxLine)
	for _, end := range []string{"", "\n", "\r\n"} {
		s := newScanner(bytes.NewReader(append([]byte("ada\n"), append(line, end...)...)), 0)
		require.NoError(t, s.next(), "%q", end)
		require.Equal(t, [][]byte{[]byte("ada")}, s.keys)
		require.NoError(t, s.next(), "%q", end)
		require.True(t, len(s.keys) == 1 && bytes.Equal(line, s.keys[0]), "%q", end)
		require.NoError(t, s.next(), "%q", end)
		require.Empty(t, s.keys)
		long := newScanner(bytes.NewReader(append([]byte("x"), append(line, end...)...)), 0)
		require.ErrorContains(t, long.next(), "has more than 16777216 bytes", "%q", end)
	}
	file := filepath.Join(t.TempDir(), "keys.txt")
	write(t, file, string(line)+"x")
	require.ErrorContains(t, fails(t, bloomPlan(bloom.Classic), file), "has more than 16777216 bytes")
}

// readPieces reads pieces of a file whose listed size is size.
func readPieces(t *testing.T, name string, size int64, pieces ...offsetrange.Restriction) (tally, error) {
	t.Helper()
	f := &readFn{bundle{Spec: bloomPlan(bloom.Blocked).spec}}
	drop := func(int, []byte) {}
	f.StartBundle(drop)
	for _, r := range pieces {
		if err := f.ProcessElement(t.Context(), f.CreateTracker(r), name, size, drop); err != nil {
			return f.tally, err
		}
	}
	return f.tally, nil
}

// A file that is longer or shorter than listed is an error, wherever its lines
// are.
func TestFilesMustHaveTheListedLength(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	for _, text := range []string{"ada\ngrace\nedsger\n", "ada\ngraceedsger\n", "ada\n"} {
		write(t, name, text)
		_, err := readPieces(t, name, 10, offsetrange.Restriction{Start: 0, End: 10})
		require.ErrorContains(t, err, "10 bytes, as listed", "%q", text)
	}
}

// A runner may split a piece before its first line is claimed. The file is
// still counted once.
func TestFilesThatAreSplitAtTheirStartAreCountedOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	write(t, name, "ada\ngrace\n")
	tracker := (&readFn{}).CreateTracker(offsetrange.Restriction{Start: 0, End: 10})
	primary, residual, err := tracker.TrySplit(0)
	require.NoError(t, err)
	sum, err := readPieces(t, name, 10, primary.(offsetrange.Restriction), residual.(offsetrange.Restriction))
	require.NoError(t, err)
	require.Equal(t, [totals]uint64{keysRead: 2, itemsRead: 2, filesRead: 1, bytesRead: 10, plainRead: 10}, sum.Totals)
}

// buildOnce builds p by Local or by a job, and returns the number of keys.
func buildOnce(t *testing.T, local bool, p Plan, out string, patterns ...string) (uint64, error) {
	t.Helper()
	if local {
		sum, err := Local(t.Context(), p, out, nil, patterns...)
		return sum.Keys, err
	}
	result, err := runners[0].try(t, out, p, files(patterns...))
	if err != nil {
		return 0, err
	}
	return Result(out, result).Keys, nil
}

// A file is read once, even if several patterns match it.
func TestFilesWithSeveralNamesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "keys.txt", "ada\ngrace\n")
	for _, local := range []bool{true, false} {
		n, err := buildOnce(t, local, bloomPlan(bloom.Blocked), filepath.Join(t.TempDir(), "out.bin"),
			"keys.txt", "./keys.txt", "k*", filepath.Join(dir, "keys.txt"), filepath.Join("..", filepath.Base(dir), "keys.txt"))
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
	}
}

// The output is never read as keys, and neither are files that a job made or
// left for any output. Nothing is written before this error.
func TestFilesOfJobsAreNeverInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "keys.txt", "ada\ngrace\n")
	p := bloomPlan(bloom.Blocked)
	for _, made := range []string{
		"out.bin", unique("out.bin", partPurpose), unique("other.bin", shardPurpose), unique("other.bin", temporaryPurpose),
	} {
		write(t, made, "before")
		for _, local := range []bool{true, false} {
			for _, out := range []string{"out.bin", filepath.Join(dir, "out.bin")} {
				_, err := buildOnce(t, local, p, out, "*")
				require.ErrorContains(t, err, "input = "+made)
				require.Equal(t, "before", string(must(os.ReadFile(made))))
				requireFiles(t, dir, 2)
			}
		}
		require.NoError(t, os.Remove(made))
	}
	write(t, "keys.part-1", "") // not of a job
	_, err := buildOnce(t, true, p, "out.bin", "keys*")
	require.NoError(t, err)
}
