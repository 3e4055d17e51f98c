package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		{"excluded, and repeated once excluded", "x\na\nx", []string{"a"}, dropped{excluded: 1, repeated: 1}},
		{"any bytes", "\x00\xff\n \t\n\xe9", []string{"\x00\xff", " \t", "\xe9"}, dropped{}},
	} {
		var l keyList
		got := distinct(&l, []byte(c.text), map[string]struct{}{}, map[string]struct{}{"x": {}})
		assert.Equal(t, c.want, list(&l), c.name)
		assert.Equal(t, c.dropped, got, c.name)
	}
}

func TestDefaultDataIsTheEmbeddedDomains(t *testing.T) {
	d, err := loadData(options{}, nil)
	require.NoError(t, err)
	assert.Equal(t, 18147, d.members.len())
	assert.Equal(t, 19717, d.absent.len())
	assert.Empty(t, d.notes)
}

func TestFilesAreReadAndCleaned(t *testing.T) {
	o := options{keysFile: write(t, "a\nb\n\na\n"), absentFile: "-"}
	d, err := loadData(o, strings.NewReader("c\nb\nd\nd\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, list(&d.members))
	assert.Equal(t, []string{"c", "d"}, list(&d.absent))
	assert.Equal(t, []string{
		"1 line of -keys repeats an earlier one and was left out",
		"1 empty line of -keys was left out",
		"1 line of -absent repeats an earlier one and was left out",
		"1 key of -absent is a member too and was left out",
	}, d.notes)
	assert.Contains(t, d.about, "standard input")
}

func TestAbsentKeysAreMadeUpWhereNoneAreGiven(t *testing.T) {
	d, err := loadData(options{keysFile: "-"}, strings.NewReader("a\nb"))
	require.NoError(t, err)
	absent := list(&d.absent)
	assert.Len(t, absent, 100_000)
	seen := map[string]bool{"a": true, "b": true}
	for _, key := range absent {
		require.False(t, seen[key], key)
		seen[key] = true
	}
	require.Len(t, d.notes, 1)
	assert.Contains(t, d.notes[0], "random ending")
}

func TestSyntheticKeysAreDistinct(t *testing.T) {
	d, err := loadData(options{synthetic: 1000}, nil)
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
		{"empty", options{keysFile: write(t, "")}, []string{"-keys", "holds no key"}},
		{"empty lines only", options{keysFile: write(t, "\n\r\n")}, []string{"holds no key"}},
		{"all absent are members", options{keysFile: write(t, "a\n"), absentFile: write(t, "a\n")}, []string{"-absent", "not a member"}},
	} {
		_, err := loadData(c.o, strings.NewReader(""))
		require.ErrorIs(t, err, errData, c.name)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want, c.name)
		}
	}
}

func TestKeysCannotGrowIntoTheirNeighbour(t *testing.T) {
	var l keyList
	l.add([]byte("a"))
	l.add([]byte("b"))
	_ = append(l.at(0), 'X')
	assert.Equal(t, []string{"a", "b"}, list(&l))
}
