package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
)

// smallDisk returns a folder with room for 64 KB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("only root can create a small file system: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// While the disk is full, uniq warns once and goes on. It saves the state when
// there is room again. If there is none until the end, an error says so, even
// after an interrupt.
func TestFullDisksDoNotEndStreams(t *testing.T) {
	for _, end := range []string{"room", "none", "interrupt"} {
		dir := smallDisk(t)
		cmd := filterfam(t, dir, "uniq", "-n", "10000", "--state", "state")
		cmd.Env = append(cmd.Env, impatient+"=1")
		var log strings.Builder
		cmd.Stderr = &log
		in, out := begin(t, cmd)
		exchange(t, in, out, numbers(0, 1))
		big := filepath.Join(dir, "big")
		require.Error(t, os.WriteFile(big, make([]byte, 1<<20), 0o600)) // it takes all room
		text := numbers(1, 2000)
		exchange(t, in, out, text)
		time.Sleep(100 * time.Millisecond) // for many attempts to save
		if end == "room" {
			require.NoError(t, os.Remove(big))
		}
		if end == "interrupt" {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		} else {
			require.NoError(t, in.Close())
		}
		err := cmd.Wait()
		warning := "filterfam uniq: saving the state: --state state: no space left on device; uniq continues and tries again\n"
		require.Equal(t, 1, strings.Count(log.String(), warning), log.String())
		if end == "room" {
			require.NoError(t, err, log.String())
			require.Empty(t, succeeds(t, dir, text, "uniq", "-n", "10000", "--state", "state"))
			continue
		}
		require.Error(t, err)
		require.Equal(t, failed, cmd.ProcessState.ExitCode())
		require.Equal(t, warning+"filterfam uniq: saving the state: --state state: no space left on device\n", log.String())
	}
}

// A hangup ends uniq as other signals do, unless nohup has told the system to
// ignore it.
func TestHangupsSaveTheState(t *testing.T) {
	for _, ignored := range []bool{false, true} {
		dir := t.TempDir()
		cmd := filterfam(t, dir, "uniq", "--state", "state")
		if ignored {
			cmd = prepare(t, dir, "sh", append([]string{"-c", `trap "" HUP; exec "$0" "$@"`}, cmd.Args...)...)
		}
		in, out := begin(t, cmd)
		exchange(t, in, out, numbers(0, 3))
		require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
		if ignored {
			exchange(t, in, out, numbers(3, 4))
			require.NoError(t, in.Close())
			require.NoError(t, cmd.Wait())
		} else {
			require.Error(t, cmd.Wait())
			require.Equal(t, interrupted, cmd.ProcessState.ExitCode())
		}
		require.Equal(t, "key 4\n", succeeds(t, dir, numbers(0, 3)+"key 4\n", "uniq", "--state", "state"))
	}
}

// On a full disk, the old file stays.
func TestFullDisksKeepTheOldFile(t *testing.T) {
	dir := smallDisk(t)
	succeeds(t, dir, "ada\n", "build", "-o", "filter")
	before, err := os.ReadFile(filepath.Join(dir, "filter"))
	require.NoError(t, err)
	r := run(t, dir, numbers(0, 100_000), "build", "-o", "filter")
	require.Equal(t, result{"", "filterfam build: -o filter: no space left on device\n", failed}, r)
	after, err := os.ReadFile(filepath.Join(dir, "filter"))
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Equal(t, []string{"filter"}, namesIn(t, dir))
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, args := range [][]string{{"uniq"}, {"query", "filter"}, {"top"}, {"info", "filter"}, {"plan", "-n", "9"}} {
		cmd := filterfam(t, dir, args...)
		cmd.Stdin = strings.NewReader("ada\n")
		cmd.Stdout = full
		var log strings.Builder
		cmd.Stderr = &log
		require.Error(t, cmd.Run())
		require.Equal(t, failed, cmd.ProcessState.ExitCode(), args)
		require.Contains(t, log.String(), "no space left on device", args)
	}
}

// An error about a line from a pipe names the pipe, and not standard input.
func TestLinesFromPipesAreNamed(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "list", "ada\n")
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	go func() { _ = os.WriteFile(pipe, []byte("ada\n"), 0) }() // waits for a reader
	require.Contains(t, fails(t, dir, "", "build", "-o", "f", "--absent", "pipe", "list"), `list:1: "ada" is also in pipe, so`)
}

// A named pipe without a writer can neither be opened nor read, but waiting for
// it can be interrupted. So can a key that never arrives.
func TestWaitingForPipesIsInterrupted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := input.Open(ctx, pipe)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, pipe)
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer writer.Close()
	soon := func() context.Context { // canceled when the pipe is being read
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		return ctx
	}
	_, err = readKey(soon(), pipe)
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = newCommand(query).load(soon(), pipe, hashfam.Family{}, 0)
	require.ErrorIs(t, err, context.Canceled)
}
