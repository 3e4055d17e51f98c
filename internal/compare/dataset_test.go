package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func list(l *keyList) []string {
	keys := []string{}
	for i := range l.len() {
		keys = append(keys, string(l.at(i)))
	}
	return keys
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "keys.txt")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestDistinctReadsLines(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		dropped    dropped
	}{
		{"nothing", "", []string{}, dropped{}},
		{"last line ended", "a\nb\n", []string{"a", "b"}, dropped{}},
		{"last line open", "a\nb", []string{"a", "b"}, dropped{}},
		{"written on Windows", "a\r\nb\r\n", []string{"a", "b"}, dropped{}},
		{"other carriage returns are kept", "a\r\r\n\rb\n", []string{"a\r", "\rb"}, dropped{}},
		{"empty lines", "\na\n\n\r\n", []string{"a"}, dropped{empty: 3}},
		{"repeated", "a\nb\na\r\na", []string{"a", "b"}, dropped{repeated: 2}},
		{"excluded", "x\na\nx", []string{"a"}, dropped{excluded: 2, both: []byte("x")}},
		{"any bytes", "\x00\xff\n \t\n\xe9", []string{"\x00\xff", " \t", "\xe9"}, dropped{}},
	} {
		set, exclude, read := newKeySet(), newKeySet(), 0
		exclude.add([]byte("x"))
		got, err := distinct(t.Context(), set, iotest.OneByteReader(strings.NewReader(c.text)), exclude, func(n int) { read += n })
		require.NoError(t, err)
		assert.Equal(t, c.want, list(&set.keyList), c.name)
		assert.Equal(t, c.dropped, got, c.name)
		assert.Equal(t, len(c.text), read, c.name)
	}
}

func TestLongLinesAreKeysUpToALimit(t *testing.T) {
	long := strings.Repeat("long ", 1<<16)
	set := newKeySet()
	_, err := distinct(t.Context(), set, strings.NewReader(long+"\nshort\n"+long+"\n"+long+"er"), nil, func(int) {})
	require.NoError(t, err)
	assert.Equal(t, []string{long, "short", long + "er"}, list(&set.keyList))

	endless := io.MultiReader(strings.NewReader("a\n"), bytes.NewReader(make([]byte, longestKey+1<<20)))
	_, err = distinct(t.Context(), newKeySet(), endless, nil, func(int) {})
	require.ErrorContains(t, err, "line 2 is longer than 16,777,216 bytes")
}

func TestReadingEndsIfTheFileFailsOrTheUserInterrupts(t *testing.T) {
	broken := errors.New("broken")
	_, err := distinct(t.Context(), newKeySet(), io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), nil, func(int) {})
	require.ErrorIs(t, err, broken)

	ctx, cancel := context.WithCancel(t.Context())
	set := newKeySet()
	_, err = distinct(ctx, set, strings.NewReader(strings.Repeat("line\n", 1<<20)), nil, func(int) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}

// A pipe may give its start and then nothing for as long as it likes.
func TestAnInterruptEndsTheWaitForAPipe(t *testing.T) {
	for _, start := range []string{"", "key\n", "\x1f\x8b"} {
		in, feed := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = io.WriteString(feed, start)
			cancel()
		}()
		var stderr bytes.Buffer
		code := run(ctx, []string{"-keys", "-", "-o", ""}, in, io.Discard, &stderr)
		assert.Equal(t, exitInterrupted, code)
		assert.Equal(t, "compare: interrupted before the keys were read\n", stderr.String())
		require.NoError(t, feed.Close()) // ends the Read that was left behind
	}
}

func TestAFileNameCannotDisturbTheTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file can have such a name")
	}
	name := filepath.Join(t.TempDir(), "a\x1b[2J\n")
	require.NoError(t, os.WriteFile(name, []byte("k\x00\nl\n"), 0o600))
	code, stdout, stderr := compare(t, "-keys", name, "-fpr", "0.1", "-structures", "bloom", "-o", "")
	assert.Equal(t, exitOK, code)
	_, _, missing := compare(t, "-keys", name+"x")
	for _, text := range []string{stdout, stderr, missing} {
		assert.NotContains(t, text, "\x1b")
		assert.Contains(t, text, `a\x1b[2J\n`)
	}
	assert.Equal(t, "Schlüssel 1.txt", show("dir/Schlüssel 1.txt"))
	assert.Equal(t, `"\xff"`, show("\xff"))
}

func TestAKeySetKeepsOneOfEachKey(t *testing.T) {
	set, want := newKeySet(), map[string]bool{}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		key := fmt.Append(nil, random.IntN(50_000))
		require.Equal(t, want[string(key)], set.has(key))
		require.Equal(t, !want[string(key)], set.add(key))
		want[string(key)] = true
	}
	require.Equal(t, len(want), set.len())
}

func TestDefaultDataIsTheEmbeddedDomains(t *testing.T) {
	d, err := loadData(t.Context(), options{}, nil, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, 18147, d.members.len())
	assert.Equal(t, 19717, d.absent.len())
	assert.Empty(t, d.notes)
}

func TestFilesAreReadAndCleaned(t *testing.T) {
	o := options{keysFile: write(t, "a\nb\n\na\n"), absentFile: "-"}
	d, err := loadData(t.Context(), o, strings.NewReader("c\nb\nd\nd\n"), io.Discard)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, list(&d.members))
	assert.Equal(t, []string{"c", "d"}, list(&d.absent))
	assert.Equal(t, []string{
		"1 line of -keys repeats an earlier one and was left out",
		"1 empty line of -keys was left out",
		"1 line of -absent repeats an earlier one and was left out",
		`1 line of -absent is a member too and was left out: "b"`,
	}, d.notes)
	assert.Contains(t, d.about, "standard input")
}

func TestAbsentKeysAreMadeUpIfNoneAreGiven(t *testing.T) {
	d, err := loadData(t.Context(), options{keysFile: "-"}, strings.NewReader("a\nb"), io.Discard)
	require.NoError(t, err)
	absent := list(&d.absent)
	assert.Len(t, absent, 100_000)
	seen := map[string]bool{"a": true, "b": true}
	for _, key := range absent {
		require.False(t, seen[key], key)
		seen[key] = true
	}
	require.Len(t, d.notes, 2)
	assert.Contains(t, d.notes[0], "random ending")
}

// Absent keys made of long members have only the end of them: copies of whole
// members would take hundreds of times the memory of the file.
func TestMadeUpKeysOfLongMembersAreShort(t *testing.T) {
	end := strings.Repeat("e", absentEnd)
	set, absent := newKeySet(), newKeySet()
	set.add([]byte("ab" + end))
	set.add([]byte("b" + end))
	set.add([]byte(end))
	require.NoError(t, makeAbsent(t.Context(), absent, set))
	require.Equal(t, 100_000, absent.len())
	for _, key := range list(&absent.keyList) {
		require.True(t, len(key) == absentEnd+8 && strings.HasPrefix(key, end), key)
	}
}

func TestAnInterruptEndsTheMakingOfAbsentKeys(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	set, absent := newKeySet(), newKeySet()
	set.add([]byte("a"))
	require.ErrorIs(t, makeAbsent(ctx, absent, set), context.Canceled)
	assert.Less(t, absent.len(), 10_000)
}

func TestSyntheticKeysAreDistinct(t *testing.T) {
	d, err := loadData(t.Context(), options{synthetic: 1000}, nil, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, 1000, d.members.len())
	assert.Equal(t, absentGoal, d.absent.len())
	seen := make(map[string]struct{})
	for _, l := range []*keyList{&d.members, &d.absent} {
		for i := range l.len() {
			require.Len(t, l.at(i), 16)
			seen[string(l.at(i))] = struct{}{}
		}
	}
	assert.Len(t, seen, 1000+absentGoal)
}

func TestUnusableFilesAreErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.txt")
	for _, c := range []struct {
		name string
		o    options
		want []string
	}{
		{"missing", options{keysFile: missing}, []string{"-keys " + missing, "no such file"}},
		{"missing, relative", options{absentFile: "no/such.txt"}, []string{"-absent no/such.txt", "start at internal/compare"}},
		{"a directory", options{keysFile: t.TempDir()}, []string{"-keys", "directory"}},
		{"empty", options{keysFile: write(t, "")}, []string{"-keys", "no key in it"}},
		{"empty lines only", options{keysFile: write(t, "\n\r\n")}, []string{"no key in it"}},
		{"all absent are members", options{keysFile: write(t, "a\n"), absentFile: write(t, "a\n")}, []string{"-absent", "not a member"}},
	} {
		_, err := loadData(t.Context(), c.o, strings.NewReader(""), io.Discard)
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

func TestGzipIsUnpacked(t *testing.T) {
	packed := gzipped(t, "a\nb\n")
	for _, c := range []struct {
		o     options
		stdin string
	}{
		{options{keysFile: write(t, packed)}, ""},
		{options{keysFile: "-"}, packed},
	} {
		var warnings bytes.Buffer
		d, err := loadData(t.Context(), c.o, strings.NewReader(c.stdin), &warnings)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, list(&d.members))
		assert.Empty(t, warnings.String())
	}
	for _, damaged := range []string{packed[:len(packed)-3], packed[:5], packed[:10] + "\xff", "\x1f\x8bnot gzip"} {
		_, err := loadData(t.Context(), options{keysFile: write(t, damaged)}, nil, io.Discard)
		require.ErrorContains(t, err, "-keys")
		assert.Equal(t, 1, strings.Count(err.Error(), "gzip: "), err)
	}
}

func TestABinaryFileGivesAWarning(t *testing.T) {
	for text, want := range map[string]bool{
		"a\nb\n": false, "\xff\xe9\n": false, "\x7fELF\x00\x01\n": true, gzipped(t, "a\x00b"): true,
	} {
		var warnings bytes.Buffer
		_, err := loadData(t.Context(), options{keysFile: write(t, text)}, nil, &warnings)
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(warnings.String(), "looks like a binary file"), "%q: %s", text, warnings.String())
	}
}

func TestOneKeyIsSingular(t *testing.T) {
	d, err := loadData(t.Context(), options{keysFile: write(t, "a\n")}, nil, io.Discard)
	require.NoError(t, err)
	assert.Contains(t, d.about, "Members: 1 key of keys.txt, ")
	assert.Contains(t, syntheticData(1).about, "Members: 1 random key of")
}

func TestKeysCannotGrowIntoTheirNeighbor(t *testing.T) {
	var l keyList
	l.add([]byte("a"))
	l.add([]byte("b"))
	_ = append(l.at(0), 'X')
	assert.Equal(t, []string{"a", "b"}, list(&l))
}
