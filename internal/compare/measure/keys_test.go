package measure

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks"
)

func list(l *Keys) []string {
	keys := []string{}
	for i := range l.Len() {
		keys = append(keys, string(l.At(i)))
	}
	return keys
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "keys.txt")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// loaded loads a source whose standard input is the given text.
func loaded(t *testing.T, s Source, stdin string) (*Dataset, error) {
	t.Helper()
	s.Stdin = strings.NewReader(stdin)
	return Load(s)
}

func TestLinesAreKeys(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		dropped    dropped
	}{
		{"last line open", "a\nb", []string{"a", "b"}, dropped{}},
		{"written on Windows", "a\r\nb\r\n", []string{"a", "b"}, dropped{}},
		{"other carriage returns are kept", "a\r\r\n\rb\n", []string{"a\r", "\rb"}, dropped{}},
		{"empty lines", "\na\n\n\r\n", []string{"a"}, dropped{empty: 3}},
		{"repeated", "a\nb\na\r\na", []string{"a", "b"}, dropped{repeated: 2}},
		{"excluded", "x\na\nx", []string{"a"}, dropped{excluded: 2}},
		{"any bytes", "\x00\xff\n \t\n\xe9", []string{"\x00\xff", " \t", "\xe9"}, dropped{}},
	} {
		set, exclude := newKeySet(), newKeySet("x")
		got, err := distinct(set, iotest.OneByteReader(strings.NewReader(c.text)), exclude)
		require.NoError(t, err)
		assert.Equal(t, c.want, list(&set.Keys), c.name)
		assert.Equal(t, c.dropped, got, c.name)
	}
}

func TestLongLinesAreKeys(t *testing.T) {
	long := strings.Repeat("long ", 1<<16)
	set := newKeySet()
	_, err := distinct(set, strings.NewReader(long+"\nshort\n"+long+"\n"+long+"er"), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{long, "short", long + "er"}, list(&set.Keys))

	endless := io.MultiReader(strings.NewReader("a\n"), bytes.NewReader(make([]byte, longestKey+1<<20)))
	_, err = distinct(newKeySet(), endless, nil)
	require.ErrorContains(t, err, "line 2 is longer than 16,777,216 bytes")
}

// A line that is too long is an error before memory for the file is allocated.
func TestAFileOfOneLineDoesNotAllocateItsSize(t *testing.T) {
	name := write(t, "")
	require.NoError(t, os.Truncate(name, 1<<30)) // a sparse file
	var err error
	took := checks.LeastAllocated(1, func() { _, err = Source{KeysFile: name}.read(name, newKeySet(), nil) })
	require.ErrorContains(t, err, "line 1 is longer than")
	require.Less(t, took, uint64(4*longestKey))
}

func TestUnusableFilesAreReported(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.txt")
	for _, c := range []struct {
		name string
		from Source
		want []string
	}{
		{"missing", Source{KeysFile: missing}, []string{"-keys " + strconv.Quote(missing), "no such file"}},
		{"missing, relative", Source{AbsentFile: "no/such.txt"}, []string{`-absent "no/such.txt"`, "relative to internal/compare"}},
		{"a directory", Source{KeysFile: t.TempDir()}, []string{"-keys", "directory"}},
		{"control characters", Source{KeysFile: "a\x1b[2J\n"}, []string{`-keys "a\x1b[2J\n"`}},
		{"empty", Source{KeysFile: write(t, "")}, []string{"-keys", "contains no key"}},
		{"empty lines only", Source{KeysFile: write(t, "\n\r\n")}, []string{"contains no key"}},
		{"all absent are members", Source{KeysFile: write(t, "a\n"), AbsentFile: write(t, "a\n")}, []string{"-absent", "not a member"}},
	} {
		_, err := loaded(t, c.from, "")
		require.Error(t, err, c.name)
		assert.Regexp(t, "^-(keys|absent) ", err.Error(), "%s: the cause comes first", c.name)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want, c.name)
		}
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

func TestGzipIsDecompressed(t *testing.T) {
	packed := gzipped(t, "a\nb\n")
	for _, name := range []string{write(t, packed), "-"} {
		d, err := loaded(t, Source{KeysFile: name}, packed)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, list(&d.Members))
		assert.Len(t, d.Notes, 2, "that no -absent is given, and nothing repeated")
	}
	for _, damaged := range []string{packed[:len(packed)-3], packed[:5], packed[:10] + "\xff", "\x1f\x8bnot gzip"} {
		_, err := loaded(t, Source{KeysFile: write(t, damaged)}, "")
		require.ErrorContains(t, err, "-keys")
	}
}

func TestBinaryFileIsNoted(t *testing.T) {
	for text, want := range map[string]bool{
		"a\nb\n": false, "\xff\xe9\n": false, "\x7fELF\x00\x01\n": true, gzipped(t, "a\x00b"): true,
	} {
		d, err := loaded(t, Source{KeysFile: write(t, text)}, "")
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(strings.Join(d.Notes, " "), "-keys looks like a binary file"), "%q: %s", text, d.Notes)
	}
}

func TestDefaultKeysAreDomains(t *testing.T) {
	d, err := loaded(t, Source{}, "")
	require.NoError(t, err)
	assert.Equal(t, [3]int{18147, 19717, 0}, [3]int{d.Members.Len(), d.Absent.Len(), len(d.Notes)})
}

func TestFilesAreCleaned(t *testing.T) {
	d, err := loaded(t, Source{KeysFile: write(t, "a\nb\n\na\n"), AbsentFile: "-"}, "c\nb\nd\nd\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, list(&d.Members))
	assert.Equal(t, []string{"c", "d"}, list(&d.Absent))
	assert.Equal(t, []string{
		"ignored lines of -keys: 1 empty, 1 repeated, 0 members",
		"ignored lines of -absent: 0 empty, 1 repeated, 1 members",
	}, d.Notes)
	assert.Contains(t, d.About, "standard input")
	assert.Equal(t, `"a\x1b[2J\n"`, show("dir/a\x1b[2J\n"))
}

// Copies of whole members could need hundreds of times the memory of the file.
func TestAbsentKeysAreMadeUp(t *testing.T) {
	end := strings.Repeat("e", absentEnd)
	d, err := loaded(t, Source{KeysFile: "-"}, "a"+end+"\nb"+end+"\n"+end)
	require.NoError(t, err)
	absent := list(&d.Absent)
	assert.Len(t, absent, 100_000)
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(absent))), 100_000)
	for _, key := range absent {
		require.True(t, len(key) == absentEnd+8 && strings.HasPrefix(key, end), key)
	}
	require.Len(t, d.Notes, 2)
	assert.Contains(t, d.Notes[0], "random ending")
}
