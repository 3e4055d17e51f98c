package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The arguments of system calls are at fixed addresses.
var terminalLock, terminalNumber int32

// terminal returns a terminal, and a function that closes it and returns what
// was written.
func terminal(t *testing.T) (*os.File, func() string) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no terminals: ", err)
	}
	t.Cleanup(func() { screen.Close() })
	for request, argument := range map[uintptr]*int32{syscall.TIOCSPTLCK: &terminalLock, syscall.TIOCGPTN: &terminalNumber} {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, reflect.ValueOf(argument).Pointer())
		require.Zero(t, failed)
	}
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", terminalNumber), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(screen) // ends with an error when the terminal is closed
		text <- string(all)
	}()
	return tty, func() string {
		require.NoError(t, tty.Close())
		return <-text
	}
}

// onTerminal runs a command whose standard error is a terminal, and returns
// what it has written there.
func onTerminal(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	tty, written := terminal(t)
	cmd.Env = append(cmd.Env, impatient+"=1")
	cmd.Stderr = tty
	require.NoError(t, cmd.Run())
	return written()
}

// On a terminal, build and merge show their progress in one line and remove it
// at the end.
func TestProgressIsShownOnTerminals(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "keys", numbers(0, 100_000))
	for _, test := range []struct {
		want []string
		args []string
	}{
		{[]string{" lines ", "/989 kB, ", "100000 lines, building "}, []string{"build", "-o", "static", "keys"}},
		{[]string{" lines ", "/2.0 MB, "}, []string{"build", "--type", "bloom", "-o", "bloom", "keys"}},
		{[]string{"/240 kB, "}, []string{"merge", "-o", "both", "bloom", "bloom"}},
	} {
		text := onTerminal(t, filterfam(t, dir, test.args...))
		for _, want := range test.want {
			require.Contains(t, text, want)
		}
		require.NotContains(t, text, "\n")
		require.True(t, strings.HasSuffix(text, "\x1b[2K\r"), "%q", text)
		require.Empty(t, onTerminal(t, filterfam(t, dir, append(test.args, "-q")...)))
	}
	require.Empty(t, onTerminal(t, filterfam(t, dir, "query", "-c", "bloom", "keys")))
}

// What ends soon shows nothing, and the line does not change at every read.
func TestProgressWaits(t *testing.T) {
	defer func(after, every time.Duration) { showAfter, showEvery = after, every }(showAfter, showEvery)
	showAfter, showEvery = time.Hour, time.Hour // the machine may be slow
	p := &progress{started: time.Now(), total: unknownSize}
	tty, written := terminal(t)
	stderr := os.Stderr
	os.Stderr = tty
	p.read(1)
	p.clear()
	p.started = p.started.Add(-2 * time.Hour)
	p.read(1)
	p.read(1)
	os.Stderr = stderr
	require.Equal(t, 1, strings.Count(written(), "0 lines"))
}
