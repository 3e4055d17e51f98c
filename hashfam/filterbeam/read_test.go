//lint:file-ignore SA1019 jobs must also work on the direct runner

package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// A line may have exactly as many bytes as the error of a longer one says.
func TestALineOfTheGreatestLength(t *testing.T) {
	line := bytes.Repeat([]byte("x"), maxLine)
	for _, end := range []string{"", "\n", "\r\n"} {
		s := newScanner(bytes.NewReader(append([]byte("ada\n"), append(line, end...)...)), 0)
		var keys [][]byte
		for {
			require.NoError(t, s.next(), "%q", end)
			if len(s.keys) == 0 {
				break
			}
			for _, key := range s.keys {
				keys = append(keys, bytes.Clone(key))
			}
		}
		require.Len(t, keys, 2)
		require.True(t, bytes.Equal(line, keys[1]))
		long := newScanner(bytes.NewReader(append([]byte("x"), append(line, end...)...)), 0)
		require.ErrorContains(t, long.next(), "has more than 16777216 bytes", "%q", end)
	}
}

// readPieceOf reads a piece of a file of which the listing said size bytes. It
// splits the piece first.
func readPieceOf(t *testing.T, name string, size int64, pieces ...offsetrange.Restriction) (tally, error) {
	t.Helper()
	p := bloomPlan(bloom.Blocked)
	f := &readFn{bundle{Spec: p.spec}}
	drop := func(int, []byte) {}
	f.StartBundle(drop)
	for _, r := range pieces {
		if err := f.ProcessElement(t.Context(), f.CreateTracker(r), name, size, drop); err != nil {
			return f.tally, err
		}
	}
	return f.tally, nil
}

// A file that has become longer than listed is an error, whatever the place of
// its lines.
func TestAFileThatIsLongerThanListed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	for _, text := range []string{"ada\ngrace\nedsger\n", "ada\ngraceedsger\n", "ada\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := readPieceOf(t, name, 10, offsetrange.Restriction{Start: 0, End: 10})
		require.ErrorContains(t, err, "10 bytes, as listed", "%q", text)
	}
}

// A runner may split a piece before its first line is claimed. The file is
// counted once.
func TestAFileThatIsSplitAtItsStartIsCountedOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	require.NoError(t, os.WriteFile(name, []byte("ada\ngrace\n"), 0o600))
	f := &readFn{}
	tracker := f.CreateTracker(offsetrange.Restriction{Start: 0, End: 10})
	primary, residual, err := tracker.TrySplit(0)
	require.NoError(t, err)
	sum, err := readPieceOf(t, name, 10, primary.(offsetrange.Restriction), residual.(offsetrange.Restriction))
	require.NoError(t, err)
	require.Equal(t, [totals]uint64{keysRead: 2, itemsRead: 2, filesRead: 1, bytesRead: 10, plainRead: 10}, sum.Totals)
}

// buildOnce builds p by the loop or by a job, and returns how many keys were
// read.
func buildOnce(t *testing.T, loop bool, p Plan, out string, patterns ...string) (uint64, error) {
	t.Helper()
	if loop {
		sum, err := Local(t.Context(), p, out, nil, patterns...)
		return sum.Keys, err
	}
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, out, patterns...)
	result, err := direct.Execute(t.Context(), pipeline)
	if err != nil {
		return 0, err
	}
	return Result(out, result).Keys, nil
}

// A file is read once, however often and in whatever way it is named.
func TestAFileWithSeveralNamesIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("keys.txt", []byte("ada\ngrace\n"), 0o600))
	p := must(Sketch(sketchConfig))
	for _, loop := range []bool{true, false} {
		n, err := buildOnce(t, loop, p, filepath.Join(t.TempDir(), "out.bin"),
			"keys.txt", "./keys.txt", "k*", filepath.Join(dir, "keys.txt"), filepath.Join("..", filepath.Base(dir), "keys.txt"))
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
	}
}

// The output is never read as keys, and neither is what a job has made or left,
// whatever its output. That is an error before anything is written.
func TestWhatAJobMakesIsNeverInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("keys.txt", []byte("ada\ngrace\n"), 0o600))
	p := bloomPlan(bloom.Blocked)
	for _, made := range []string{
		"out.bin", unique("out.bin", partPurpose), unique("other.bin", shardPurpose), unique("other.bin", temporaryPurpose),
	} {
		require.NoError(t, os.WriteFile(made, []byte("before"), 0o600))
		for _, loop := range []bool{true, false} {
			for _, out := range []string{"out.bin", filepath.Join(dir, "out.bin")} {
				_, err := buildOnce(t, loop, p, out, "*")
				require.ErrorContains(t, err, "input = "+made)
				text, err := os.ReadFile(made)
				require.NoError(t, err)
				require.Equal(t, "before", string(text))
				left, err := os.ReadDir(dir)
				require.NoError(t, err)
				require.Len(t, left, 2)
			}
		}
		require.NoError(t, os.Remove(made))
	}
	require.NoError(t, os.WriteFile("keys.part-1", nil, 0o600)) // of somebody else
	_, err := buildOnce(t, true, p, "out.bin", "keys*")
	require.NoError(t, err)
}

// Clean removes what jobs have left, and neither the output nor its parts.
func TestWhatAJobHasLeftIsRemoved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	p := bloomPlan(bloom.Blocked)
	pattern := writeKeys(t, t.TempDir(), testKeys(100), 2)
	removed, err := Clean(t.Context(), out)
	require.NoError(t, err)
	require.Empty(t, removed)
	for n := range 3 { // a frame, then filters in one and in two parts
		made := must(p.Parts(n))
		_, err = buildOnce(t, false, made, out, pattern)
		require.NoError(t, err)
		before, err := os.ReadDir(filepath.Dir(out))
		require.NoError(t, err)
		require.Len(t, before, 1+n)
		left := []string{unique(out, partPurpose), unique(out, shardPurpose), unique(out, temporaryPurpose)}
		for _, name := range left {
			require.NoError(t, os.WriteFile(name, nil, 0o600))
		}
		removed, err := Clean(t.Context(), out)
		require.NoError(t, err)
		require.Equal(t, left, removed)
		after, err := os.ReadDir(filepath.Dir(out))
		require.NoError(t, err)
		require.Equal(t, len(before), len(after))
	}
	require.NoError(t, os.WriteFile(out, []byte("{damaged"), 0o600))
	require.NoError(t, os.WriteFile(unique(out, shardPurpose), nil, 0o600))
	_, err = Clean(t.Context(), out)
	require.Error(t, err, "the parts to keep are not known")
}
