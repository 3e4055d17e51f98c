package filterbeam

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	localfiles "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/fsx"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
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
	write(t, out, "{damaged")
	write(t, unique(out, shardPurpose), "")
	_, err := Clean(t.Context(), out)
	require.Error(t, err, "the parts to keep are not known")
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
