package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// The state is saved while uniq waits for lines, so that a process that is
// killed forgets only the last of them.
func TestStatesAreSavedNowAndThen(t *testing.T) {
	dir := t.TempDir()
	saved := func(key string) func() bool {
		return func() bool {
			data, err := os.ReadFile(filepath.Join(dir, "state"))
			var lines bloom.Scalable
			return err == nil && lines.UnmarshalBinary(data) == nil && lines.ContainsString(key)
		}
	}
	cmd := filterfam(t, dir, "uniq", "-state", "state")
	cmd.Env = append(cmd.Env, impatient+"=1")
	in, out := begin(t, cmd)
	exchange(t, in, out, numbers(0, 3))
	require.Eventually(t, saved("key 2"), 4*time.Minute, time.Millisecond)
	exchange(t, in, out, numbers(3, 6))
	require.Eventually(t, saved("key 5"), 4*time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Equal(t, "key 6\n", succeeds(t, dir, numbers(0, 7), "uniq", "-state", "state"))
}

// Only changes are saved, and an error of saving ends the command.
func TestStatesAreSavedIfTheyHaveChanged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	s := &saver{output: output{"-state", name}, lines: hashfam.Must(bloom.New(bloom.Config{Capacity: 9, FPRate: 0.01}))}
	s.save(context.Background())
	require.NoFileExists(t, name)
	s.changed = true
	s.save(context.Background())
	require.NoError(t, s.err)
	require.FileExists(t, name)
	require.False(t, s.changed)

	s.name = filepath.Join(name, "none")
	s.changed = true
	s.save(context.Background())
	require.Error(t, s.err)
	c := newCommand("uniq", nil)
	lines := filepath.Join(t.TempDir(), "lines")
	require.NoError(t, os.WriteFile(lines, []byte("ada\n"), 0o600))
	require.ErrorIs(t, c.firsts(context.Background(), []string{lines}, hashfam.Family{}, s, 9), s.err)
}

// An interrupt does not hide that the state is lost.
func TestStatesThatCannotBeSavedAreReported(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no such signals")
	}
	for _, interrupt := range []bool{false, true} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
		cmd := filterfam(t, dir, "uniq", "-state", "sub/state")
		var log bytes.Buffer
		cmd.Stderr = &log
		in, out := begin(t, cmd)
		exchange(t, in, out, numbers(0, 3))
		require.NoError(t, os.Remove(filepath.Join(dir, "sub")))
		if interrupt {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		} else {
			require.NoError(t, in.Close())
		}
		require.Error(t, cmd.Wait())
		require.Equal(t, failed, cmd.ProcessState.ExitCode())
		require.Equal(t, "filterfam uniq: saving the state: -state sub/state: folder sub/: no such file or directory\n", log.String())
	}
}
