package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
)

// The state is saved while uniq waits for lines, so that a process that is
// killed forgets only the last of them. Another process cannot use it
// meanwhile.
func TestStatesAreSavedNowAndThen(t *testing.T) {
	dir := t.TempDir()
	saved := func() bool {
		data, err := os.ReadFile(filepath.Join(dir, "state"))
		require.NoError(t, err)
		copied := filepath.Join(t.TempDir(), "state")
		require.NoError(t, os.WriteFile(copied, data, 0o600))
		var lines bloom.Scalable
		j, err := journal.Open(copied, &lines)
		require.NoError(t, err)
		require.NoError(t, j.Close())
		return lines.ContainsString("key 2")
	}
	cmd := filterfam(t, dir, "uniq", "--state", "state")
	cmd.Env = append(cmd.Env, impatient+"=1")
	in, out := begin(t, cmd)
	exchange(t, in, out, numbers(0, 3))
	require.Eventually(t, saved, 4*time.Minute, time.Millisecond)
	require.Equal(t, "filterfam uniq: --state state: is used by another process\n", fails(t, dir, "", "uniq", "--state", "state"))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Equal(t, "key 6\n", succeeds(t, dir, numbers(0, 3)+"key 6\n", "uniq", "--state", "state"))
}

// Lines whose output failed are not saved, so they are printed by the next
// process.
func TestLinesThatWereNotPrintedAreNotSaved(t *testing.T) {
	dir := t.TempDir()
	cmd := filterfam(t, dir, "uniq", "--state", "state")
	closed, err := os.Open(os.DevNull) // it cannot be written
	require.NoError(t, err)
	defer closed.Close()
	cmd.Stdout = closed
	cmd.Stdin = strings.NewReader(numbers(0, 3))
	var log bytes.Buffer
	cmd.Stderr = &log
	require.Error(t, cmd.Run())
	require.Contains(t, log.String(), "filterfam uniq: standard output: ")
	require.Equal(t, numbers(0, 3), succeeds(t, dir, numbers(0, 3), "uniq", "--state", "state"))

	name := filepath.Join(dir, "other")
	lines := hashfam.Must(bloom.New(bloom.Config{Capacity: 9, FPRate: 0.01}))
	j, err := journal.Open(name, lines)
	require.NoError(t, err)
	before, err := os.ReadFile(name)
	require.NoError(t, err)
	s := &saver{lines: lines, journal: j, err: errOutput}
	require.True(t, s.add(7))
	require.NoError(t, s.save())
	after, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoError(t, j.Close())
}

// A state can be continued if its filter is about as large, whatever its
// parameters are, and not if it is for another number of lines.
func TestStatesOfOtherParameters(t *testing.T) {
	dir := t.TempDir()
	write := func(c bloom.Config) {
		f := hashfam.Must(bloom.New(c))
		f.AddString("ada")
		require.NoError(t, hashfam.WriteFile(filepath.Join(dir, "state"), f))
	}
	args := []string{"uniq", "-n", "1000", "--fpr", "1e-6", "--state", "state"}
	write(bloom.Config{Capacity: 1010, FPRate: 1.1e-6})
	require.Equal(t, "grace\n", succeeds(t, dir, "ada\ngrace\n", args...))
	require.Empty(t, succeeds(t, dir, "ada\ngrace\n", args...))
	write(bloom.Config{Capacity: 2000, FPRate: 1e-6})
	require.Contains(t, fails(t, dir, "", args...), "--state state: was made with another -n")
	write(bloom.Config{Capacity: 1000, FPRate: 0.1})
	require.Contains(t, fails(t, dir, "", args...), "--state state: was made with another -n")
	require.Contains(t, fails(t, dir, "", "uniq", "--state", "state"), "--state state: was made with another -n")
	succeeds(t, dir, "ada\n", "build", "-o", "state")
	require.Contains(t, fails(t, dir, "", args...), "--state state: is a static filter, not a state of uniq")
	writeText(t, dir, "state", "ada\n")
	require.Contains(t, fails(t, dir, "", args...), "uniq: --state state: is not a filter, or another structure that filterfam writes\n")
	writeText(t, dir, "state", "")
	require.Equal(t, "ada\n", succeeds(t, dir, "ada\n", args...))
}

// A state that needs more memory than there is is refused before it is read.
func TestStatesThatNeedTooMuchMemory(t *testing.T) {
	dir := t.TempDir()
	const size = 1 << 43
	writeText(t, dir, "state", claim(t, size))
	if err := os.Truncate(filepath.Join(dir, "state"), size+72); err != nil {
		t.Skip("this file system has no such large files: ", err)
	}
	log := fails(t, dir, "", "uniq", "-n", "9", "--state", "state")
	require.Contains(t, log, "filterfam uniq: --state state: needs ")
}
