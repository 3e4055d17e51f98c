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

// On a full disk, the old file stays.
func TestFullDisksKeepTheOldFile(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("only root can create a small file system: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
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

// A named pipe without a writer can neither be opened nor read, but waiting for
// it can be interrupted. So can a key that never arrives.
func TestWaitingForPipesIsInterrupted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := input.Open(ctx, pipe)
	require.ErrorIs(t, err, context.Canceled)
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
