package filterbeam

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	localfiles "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/fsx"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
)

// A job removes intermediate files and no others, although their names begin
// alike.
func TestFilesOfOthersAreNotRemoved(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.bin")
	stay := []string{
		"out.bin.bak", "out.bin.part-1", "out.bin.shard-notes.txt", "out.bin.tmp-of-mine",
		"out.bin.part-AAAAAAAAAAAAAAAAAAAAAAAAAA.txt", filepath.Base(unique("out.bin.part-1", temporaryPurpose)),
	}
	for _, name := range stay {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600))
	}
	require.NoError(t, os.WriteFile(unique(out, partPurpose), nil, 0o600))
	p := bloomPlan(bloom.Blocked)
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, out, writeKeys(t, t.TempDir(), testKeys(10), 1))
	require.NoError(t, ptest.Run(pipeline))
	for _, name := range stay {
		require.FileExists(t, filepath.Join(dir, name))
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, len(stay)+1)
}

// An output may have any name that the file system takes.
func TestOutputsOfAnyName(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(100), 2)
	p := must(Static(static.Config{FPRate: 0.01}))
	for _, name := range []string{"out 1.bin", "100%d.bin", "ключ.bin", "[a-z].bin", `a\b*?`, "caf\xe9", "a\nb"} {
		dir := filepath.Join(t.TempDir(), name)
		if os.Mkdir(dir, 0o700) != nil {
			continue // no file of this system can have such a name
		}
		out := filepath.Join(dir, name)
		pipeline, s := beam.NewPipelineWithRoot()
		Files(s, p, out, pattern)
		require.NoError(t, ptest.Run(pipeline), "%q", name)
		require.FileExists(t, out, "%q", name)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 1, "%q", name)
	}
}

// storeScheme is that of a file system whose listings are those of a store.
const storeScheme = "store://"

func init() {
	filesystem.Register("store", func(ctx context.Context) filesystem.Interface { return storeFiles{cutFiles{localfiles.New(ctx)}} })
}

// A storeFiles lists what begins with the text before the first asterisk of a
// pattern, as the SDK's file systems of gs:// and s3:// do.
type storeFiles struct{ cutFiles }

func (s storeFiles) local(name string) string { return strings.TrimPrefix(name, storeScheme) }

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

func (s storeFiles) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	return s.cutFiles.local.OpenRead(ctx, s.local(name))
}

func (s storeFiles) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	return s.cutFiles.local.OpenWrite(ctx, s.local(name))
}

func (s storeFiles) Remove(ctx context.Context, name string) error {
	return s.cutFiles.Remove(ctx, s.local(name))
}

func (s storeFiles) Rename(ctx context.Context, from, to string) error {
	return s.cutFiles.Rename(ctx, s.local(from), s.local(to))
}

// Nothing is left in a store, whatever the characters of the name.
func TestOutputsOfAnyNameInAStore(t *testing.T) {
	if filepath.Separator == '\\' {
		t.Skip("no file of this system can have such a name")
	}
	pattern := writeKeys(t, t.TempDir(), testKeys(100), 2)
	p := must(Static(static.Config{FPRate: 0.01}))
	for _, name := range []string{"out.bin", "out[1].bin", "[", "a?b*"} {
		dir := t.TempDir()
		pipeline, s := beam.NewPipelineWithRoot()
		Files(s, p, storeScheme+filepath.Join(dir, name), pattern)
		require.NoError(t, ptest.Run(pipeline), name)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 1, name)
	}
}

// An index is JSON and cannot name the parts of an output that is not UTF-8.
// The job fails, and says so.
func TestPartsOfANameThatIsNotUTF8(t *testing.T) {
	p := bloomPlan(bloom.Blocked)
	p = must(p.Parts(3))
	dir := filepath.Join(t.TempDir(), "caf\xe9")
	if os.Mkdir(dir, 0o700) != nil {
		t.Skip("no file of this system can have such a name")
	}
	out := filepath.Join(dir, "caf\xe9")
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, out, writeKeys(t, t.TempDir(), testKeys(100), 2))
	require.ErrorContains(t, ptest.Run(pipeline), "want UTF-8")
	require.NoFileExists(t, out)
}

// Input files may have any name, too.
func TestInputsOfAnyName(t *testing.T) {
	p := bloomPlan(bloom.Blocked)
	for _, name := range []string{"100%d", "ключ", "caf\xe9", "a b"} {
		dir := filepath.Join(t.TempDir(), name)
		if os.Mkdir(dir, 0o700) != nil {
			continue // no file of this system can have such a name
		}
		require.NotEmpty(t, runFiles(t, p, writeKeys(t, dir, testKeys(10), 1)), "%q", name)
	}
}
