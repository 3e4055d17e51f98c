package filterbeam

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	localfiles "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/fsx"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// Jobs and Clean remove intermediate files, but not the output, its parts, or
// other files whose names begin alike.
func TestOnlyIntermediateFilesAreRemoved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	dir, p := filepath.Dir(out), bloomPlan(bloom.Blocked)
	pattern := writeKeys(t, t.TempDir(), testKeys(100), 2)
	require.Empty(t, must(Clean(t.Context(), out)))
	stay := []string{
		"out.bin.bak", "out.bin.part-1", "out.bin.shard-notes.txt", "out.bin.tmp-of-mine",
		"out.bin.part-AAAAAAAAAAAAAAAAAAAAAAAAAA.txt", filepath.Base(unique("out.bin.part-1", temporaryPurpose)),
	}
	for _, name := range stay {
		write(t, filepath.Join(dir, name), "mine")
	}
	for n := range 3 { // a frame, then filters in one and in two parts
		write(t, unique(out, partPurpose), "")
		runTo(t, out, must(p.Parts(n)), prismRunner, files(pattern))
		requireFiles(t, dir, len(stay)+1+n)
		left := []string{unique(out, partPurpose), unique(out, shardPurpose), unique(out, temporaryPurpose)}
		for _, name := range left {
			write(t, name, "")
		}
		require.Equal(t, left, must(Clean(t.Context(), out)))
		requireFiles(t, dir, len(stay)+1+n)
	}
	kept := unique(out, partPurpose)
	require.NoError(t, os.Mkdir(kept, 0o700))
	write(t, filepath.Join(kept, "file"), "")
	removed, err := Clean(t.Context(), out)
	require.Error(t, err, "a folder with a file cannot be removed")
	require.Empty(t, removed)
	write(t, out, "{damaged")
	write(t, unique(out, shardPurpose), "")
	_, err = Clean(t.Context(), out)
	require.ErrorIs(t, err, hashfam.ErrCorrupt, "the parts to keep are not known")
	for _, name := range stay {
		require.FileExists(t, filepath.Join(dir, name))
	}
}

// storeScheme is the scheme of a file system that lists files like a store.
const storeScheme = "store://"

func init() {
	filesystem.Register("store", func(ctx context.Context) filesystem.Interface {
		return storeFiles{cutFiles{localfiles.New(ctx).(fullFiles), storeScheme}}
	})
}

// A storeFiles lists the files whose names begin with the text before the first
// asterisk of a pattern, as the SDK's file systems for gs:// and s3:// do.
type storeFiles struct{ cutFiles }

func (s storeFiles) List(_ context.Context, pattern string) ([]string, error) {
	var names []string
	pattern = s.local(pattern)
	prefix := fsx.GetPrefix(pattern)
	err := filepath.WalkDir(filepath.Dir(prefix), func(name string, d fs.DirEntry, err error) error {
		if matched, _ := filepath.Match(pattern, name); matched && strings.HasPrefix(name, prefix) {
			names = append(names, storeScheme+name)
		}
		return err
	})
	return names, err
}

// Files and folders can have any name that the file system accepts, and no
// other file is left in the output's folder. An index cannot name parts that
// are not UTF-8, since it is JSON.
func TestFilesCanHaveAnyName(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(100), 2)
	static, apart := ordered[0].plan, must(bloomPlan(bloom.Blocked).Parts(3))
	for _, name := range []string{"out 1.bin", "100%d", "ключ", "[a-z].bin", "[", "a?b*", `a\b*?`, "caf\xe9", "a\nb"} {
		dir := filepath.Join(t.TempDir(), name)
		if os.Mkdir(dir, 0o700) != nil {
			continue // no file of this system can have such a name
		}
		for _, scheme := range []string{"", storeScheme} {
			if scheme != "" && filepath.Separator == '\\' {
				continue
			}
			out := filepath.Join(dir, name)
			runTo(t, scheme+out, static, prismRunner, files(pattern))
			requireFiles(t, dir, 1)
			if name == "caf\xe9" {
				_, err := prismRunner.try(t, scheme+out+"2", apart, files(pattern))
				require.ErrorContains(t, err, "want UTF-8")
				require.NoFileExists(t, out+"2")
				require.Len(t, must(Clean(t.Context(), scheme+out+"2")), 3)
			}
			require.NoError(t, os.Remove(out))
			require.Empty(t, must(Clean(t.Context(), scheme+out)))
		}
		if !strings.ContainsAny(name, `[?*\`) { // the folder is not a pattern
			runTo(t, filepath.Join(t.TempDir(), "out.bin"), static, prismRunner, files(writeKeys(t, dir, testKeys(10), 1)))
		}
	}
}

// A line that is too long ends a job.
func TestLongLinesAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.txt")
	write(t, file, strings.Repeat("x", maxLine+1))
	require.ErrorContains(t, fails(t, bloomPlan(bloom.Classic), file), "has more than 16777216 bytes")
}

// readPieces reads pieces of a file whose listed size is size.
func readPieces(t *testing.T, p Plan, name string, size int64, pieces ...offsetrange.Restriction) (tally, error) {
	t.Helper()
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

// A file that is longer or shorter than listed is an error, wherever its lines
// are, and also if it is compressed.
func TestFilesMustHaveTheListedLength(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	for _, text := range []string{"ada\ngrace\nedsger\n", "ada\ngraceedsger\n", "ada\n"} {
		write(t, name, text)
		_, err := readPieces(t, bloomPlan(bloom.Blocked), name, 10, offsetrange.Restriction{Start: 0, End: 10})
		require.ErrorContains(t, err, "10 bytes, as listed", "%q", text)
	}
	one := gzipped(t, "ada\n")
	two := one + gzipped(t, "grace\n")
	for text, listed := range map[string]int{one: len(two), two: len(one), one + "\x00": len(one)} {
		write(t, name, text)
		_, err := readPieces(t, bloomPlan(bloom.Blocked), name, int64(listed), offsetrange.Restriction{End: int64(listed)})
		require.ErrorContains(t, err, fmt.Sprintf("%d bytes, as listed", listed))
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
	sum, err := readPieces(t, bloomPlan(bloom.Blocked), name, 10, primary.(offsetrange.Restriction), residual.(offsetrange.Restriction))
	require.NoError(t, err)
	require.Equal(t, [totals]uint64{keysRead: 2, itemsRead: 2, filesRead: 1, bytesRead: 10, storedRead: 10}, sum.Totals)
}

// Wherever a file is split, all its bytes are counted, and each line is read
// once, except for empty lines that are not keys.
func TestEmptyLinesAreCountedAndSkipped(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	for text, lines := range map[string]Lines{
		"\n\nada\n\r\n\ngrace\n\n": {}, "\n\n\n": {}, "\x00ada\x00\x00b\nc\x00": {NUL: true}, "\nada\n\nb\n\n": {Empty: true},
	} {
		size := int64(len(text))
		write(t, name, text)
		end := "\n"
		if lines.NUL {
			end = "\x00"
		}
		want := uint64(0)
		for line := range strings.SplitSeq(strings.TrimSuffix(text, end), end) {
			if lines.Empty || strings.TrimSpace(line) != "" {
				want++
			}
		}
		for cut := range size {
			p := bloomPlan(bloom.Blocked).Lines(lines)
			sum, err := readPieces(t, p, name, size, offsetrange.Restriction{End: cut}, offsetrange.Restriction{Start: cut, End: size})
			require.NoError(t, err)
			require.Equal(t, [totals]uint64{
				keysRead: want, itemsRead: want, filesRead: 1, bytesRead: uint64(size), storedRead: uint64(size),
			}, sum.Totals, "%q, %d", text, cut)
		}
	}
}

// A compressed file is read by the piece with its start, whatever its name, and
// wherever a runner splits it.
func TestCompressedFilesAreReadOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	text := gzipped(t, "ada\ngrace\n")
	write(t, name, text)
	size := int64(len(text))
	for cut := int64(1); cut < size; cut += 7 {
		sum, err := readPieces(t, bloomPlan(bloom.Blocked), name, size, offsetrange.Restriction{End: cut}, offsetrange.Restriction{Start: cut, End: size})
		require.NoError(t, err)
		require.Equal(t, [totals]uint64{keysRead: 2, itemsRead: 2, filesRead: 1, bytesRead: 10, storedRead: uint64(size)}, sum.Totals)
	}
	require.False(t, splittable(name))
	write(t, name, "ada\n")
	require.True(t, splittable(name))
	require.False(t, splittable(name+"none"))
}

// A byte order mark is skipped, wherever a runner splits the file. A file that
// contains nothing else has no lines.
func TestByteOrderMarksAreSkipped(t *testing.T) {
	const mark = "\ufeff"
	name := filepath.Join(t.TempDir(), "keys.txt")
	for text, keys := range map[string]uint64{mark: 0, mark + "ada\r\ngrace\r\n": 2} {
		write(t, name, text)
		size := int64(len(text))
		for cut := int64(1); cut < size; cut++ {
			sum, err := readPieces(t, bloomPlan(bloom.Blocked), name, size, offsetrange.Restriction{End: cut}, offsetrange.Restriction{Start: cut, End: size})
			require.NoError(t, err)
			read := uint64(size)
			require.Equal(t, keys, sum.Totals[keysRead], "%q, %d", text, cut)
			require.Equal(t, [...]uint64{1, read, read}, [...]uint64{sum.Totals[filesRead], sum.Totals[bytesRead], sum.Totals[storedRead]}, "%q, %d", text, cut)
		}
	}
}

// Files that are not lines are errors that say what to do. Only gzip files are
// decompressed, and zeros may follow their last member.
func TestFilesThatAreNotLinesAreRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	once := gzipped(t, "ada\n")
	for text, want := range map[string]string{
		"\xf1fam\x07\x01":          "is a static filter, not lines",
		"\xfd7zXZ\x00\x00":         "is compressed by xz, not lines: use xzcat FILE",
		"\xff\xfea\x00\n\x00":      "is UTF-16, not lines: use iconv -f UTF-16 -t UTF-8 FILE",
		"ada\rgrace\r":             "lines end with a carriage return alone",
		gzipped(t, "\x1f\x8b\x08"): "after decompression, it is compressed by gzip",
		once + "\x00\x00":          "",
		once + "\x00\x00ada":       "other bytes follow the gzip data",
	} {
		write(t, name, text)
		size := int64(len(text))
		sum, err := readPieces(t, bloomPlan(bloom.Blocked), name, size, offsetrange.Restriction{End: size})
		if want == "" {
			require.NoError(t, err)
			require.EqualValues(t, 1, sum.Totals[keysRead])
			continue
		}
		require.ErrorContains(t, err, name+": "+want)
	}
}

// build builds p from files, and returns the number of keys.
func build(t *testing.T, p Plan, out string, patterns ...string) (uint64, error) {
	t.Helper()
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
	n, err := build(t, bloomPlan(bloom.Blocked), filepath.Join(t.TempDir(), "out.bin"),
		"keys.txt", "./keys.txt", "k*", filepath.Join(dir, "keys.txt"), filepath.Join("..", filepath.Base(dir), "keys.txt"))
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
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
		for _, out := range []string{"out.bin", filepath.Join(dir, "out.bin")} {
			_, err := build(t, p, out, "*")
			require.ErrorContains(t, err, "input = "+made)
			require.Equal(t, "before", string(must(os.ReadFile(made))))
			requireFiles(t, dir, 2)
		}
		require.NoError(t, os.Remove(made))
	}
	write(t, "keys.part-1", "") // not of a job
	_, err := build(t, p, "out.bin", "keys*")
	require.NoError(t, err)
}

// A canceling content cancels a context when it is written.
type canceling context.CancelFunc

func (cancel canceling) WriteTo(w io.Writer) (int64, error) {
	defer cancel()
	n, err := w.Write([]byte("after"))
	return int64(n), err
}

// The output is unchanged if the context is canceled while the frame is
// written.
func TestCanceledContextsLeaveTheOutput(t *testing.T) {
	out := outputBefore(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := replace(ctx, out, canceling(cancel))
	require.ErrorIs(t, err, context.Canceled)
	requireUntouched(t, out)
}

// A frame that cannot be renamed is removed.
func TestFramesThatCannotBeRenamedAreRemoved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "folder")
	require.NoError(t, os.Mkdir(out, 0o700))
	_, err := build(t, bloomPlan(bloom.Blocked), out, writeKeys(t, t.TempDir(), testKeys(10), 1))
	require.ErrorContains(t, err, "filterbeam: "+out)
	requireFiles(t, filepath.Dir(out), 1)
}

// Without patterns nothing is built, since an empty filter would not contain
// any key. A pattern must match a file.
func TestPatternsMustMatchAFile(t *testing.T) {
	for _, patterns := range [][]string{nil, {""}, {filepath.Join(t.TempDir(), "*.txt")}} {
		_, err := newMatchFn("out.bin", patterns).match(t.Context())
		require.ErrorIs(t, err, hashfam.ErrParams)
		err = fails(t, bloomPlan(bloom.Blocked), patterns...)
		require.ErrorContains(t, err, hashfam.ErrParams.Error())
		require.ErrorContains(t, err, "one that matches a file")
	}
	require.ErrorContains(t, fails(t, Plan{}, writeKeys(t, t.TempDir(), testKeys(10), 1)), "the zero Plan")
}
