package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/fsx"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// command runs the program with the given arguments, and returns what it
// prints.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	flags := flag.NewFlagSet("filterbuild", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o := newOptions(flags)
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err := run(t.Context(), o, flags.Args(), &out, io.Discard)
	return out.String(), err
}

func TestEveryStructure(t *testing.T) {
	dir := t.TempDir()
	keys, out := filepath.Join(dir, "keys.txt"), filepath.Join(dir, "out.bin")
	require.NoError(t, os.WriteFile(keys, []byte("ada\ngrace\nedsger\n"), 0o600))
	for _, structure := range []string{"bloom", "counting", "cuckoo", "static", "sketch", "heavy", "topk"} {
		for _, layout := range []string{"classic", "blocked"} {
			text, err := command(t, "-local", "-force", "-structure="+structure, "-layout="+layout, "-n=1e3", "-o="+out, keys)
			require.NoError(t, err, structure)
			require.Contains(t, text, "3 lines of 1 files", structure)
		}
	}
}

func TestASecretKey(t *testing.T) {
	dir := t.TempDir()
	keys, out := filepath.Join(dir, "keys.txt"), filepath.Join(dir, "out.bin")
	require.NoError(t, os.WriteFile(keys, []byte("ada\n"), 0o600))
	t.Setenv(keyVariable, "000102030405060708090a0b0c0d0e0f")
	registerFamily()
	_, err := command(t, "-local", "-n=10", "-o="+out, keys)
	require.NoError(t, err)
	frame, err := os.ReadFile(out)
	require.NoError(t, err)
	f := bloom.NewReceiver(hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}))
	require.NoError(t, f.UnmarshalBinary(frame))
	require.True(t, f.ContainsString("ada"))
	for _, bad := range []string{"00", "xx0102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f00"} {
		t.Setenv(keyVariable, bad)
		_, err := command(t, "-local", "-n=10", "-force", "-o="+out, keys)
		require.ErrorContains(t, err, "want 32 hexadecimal digits")
		require.NotContains(t, err.Error(), bad)
	}
}

func TestErrorsSayWhatIsWanted(t *testing.T) {
	dir := t.TempDir()
	keys, out := filepath.Join(dir, "keys.txt"), filepath.Join(dir, "out.bin")
	require.NoError(t, os.WriteFile(keys, []byte("ada\n"), 0o600))
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	for _, test := range []struct {
		want string
		args []string
	}{
		{"want -o FILE", []string{"-local", keys}},
		{"want -o FILE", []string{"-local", "-o=" + out}},
		{"-force replaces it", []string{"-local", "-n=10", "-o=" + out, keys}},
		{"want bloom, counting", []string{"-local", "-structure=tree", "-o=" + out, keys}},
		{"square", []string{"-local", "-layout=square", "-o=" + out, keys}},
		{"Capacity", []string{"-local", "-n=0", "-o=" + out, keys}},
		{"want a whole number", []string{"-local", "-n=1.5", "-o=" + out, keys}},
		{"want a whole number", []string{"-local", "-n=-1", "-o=" + out, keys}},
		{"want a whole number", []string{"-local", "-n=1e30", "-o=" + out, keys}},
		{"want a whole number", []string{"-local", "-n=NaN", "-o=" + out, keys}},
		{"windows", []string{"-local", "-n=10", "-windows=-1", "-o=" + out, keys}},
		{"-local and -parts 3, want one of the two", []string{"-local", "-n=10", "-parts=3", "-force", "-o=" + out, keys}},
		{"0 to 4096", []string{"-local", "-n=10", "-parts=-1", "-force", "-o=" + out, keys}},
		{"want bloom, counting, cuckoo or static", []string{"-local", "-structure=topk", "-parts=3", "-force", "-o=" + out, keys}},
		{"one that matches a file", []string{"-local", "-n=10", "-force", "-o=" + out, filepath.Join(dir, "none*")}},
	} {
		_, err := command(t, test.args...)
		require.ErrorContains(t, err, test.want)
	}
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
}

// The output is a name and not a pattern, whatever its characters.
func TestAnOutputWithTheCharactersOfAPattern(t *testing.T) {
	if filepath.Separator == '\\' {
		t.Skip("no file of this system can have such a name")
	}
	for _, name := range []string{"out[1].bin", "out[", "out?", "*", `out\.bin`} {
		dir := t.TempDir()
		keys, out := filepath.Join(dir, "keys.txt"), filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(keys, []byte("ada\n"), 0o600))
		_, err := command(t, "-local", "-n=10", "-o="+out, keys)
		require.NoError(t, err)
		_, err = command(t, "-local", "-n=10", "-o="+out, keys)
		require.ErrorContains(t, err, "-force replaces it")
	}
}

func init() {
	filesystem.Register("store", func(context.Context) filesystem.Interface { return storeFiles{} })
}

// A storeFiles has one file. It lists what begins with the text before the
// first asterisk of a pattern, as the SDK's file systems of gs:// and s3:// do.
type storeFiles struct{ filesystem.Interface }

func (storeFiles) Close() error { return nil }

func (storeFiles) List(_ context.Context, pattern string) ([]string, error) {
	const name = "store://bucket/out[1].bin"
	matched, err := filepath.Match(pattern, name)
	if !matched || !strings.HasPrefix(name, fsx.GetPrefix(pattern)) {
		return nil, err
	}
	return []string{name}, err
}

// An output in a store is a name, too.
func TestAnOutputInAStoreWithTheCharactersOfAPattern(t *testing.T) {
	o := &options{output: "store://bucket/out[1].bin"}
	require.ErrorContains(t, o.checkOutput(t.Context()), "-force replaces it")
	o.output = "store://bucket/out1.bin"
	require.NoError(t, o.checkOutput(t.Context()))
}
