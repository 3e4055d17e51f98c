package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
)

// A cluster is a job server and the SDK's boot program, as processes of their
// own. A worker is a third process, which the server starts.
type cluster struct {
	dir, endpoint string
}

// bootScript passes on the worker's id, which Prism puts in quotes, without
// them. The boot program writes a file to its working directory.
const bootScript = `#!/bin/sh
cd %s || exit 1
for a; do shift; set -- "$@" "$(printf %%s "$a" | tr -d "'")"; done
exec %s "$@"
`

func newCluster(t *testing.T) cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("builds three programs and starts them")
	}
	c := cluster{dir: t.TempDir()}
	for name, pkg := range map[string]string{
		"prism":       "github.com/apache/beam/sdks/v2/go/cmd/prism",
		"boot":        "github.com/apache/beam/sdks/v2/go/container",
		"filterbuild": ".",
	} {
		out, err := exec.Command("go", "build", "-o", c.file(name), pkg).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.WriteFile(c.file("boot.sh"), fmt.Appendf(nil, bootScript, c.dir, c.file("boot")), 0o700))
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	c.endpoint = listener.Addr().String()
	require.NoError(t, listener.Close())
	_, port, err := net.SplitHostPort(c.endpoint)
	require.NoError(t, err)
	server := exec.Command(c.file("prism"), "-serve_http=false", "-job_port="+port)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, server.Process.Kill())
		_ = server.Wait() // it was killed
		for _, pid := range c.started("") {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", c.endpoint)
		if err == nil {
			err = conn.Close()
		}
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	return c
}

func (c cluster) file(name string) string { return filepath.Join(c.dir, name) }

// submit returns the command that submits a job.
func (c cluster) submit(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, c.file("filterbuild"), append([]string{
		"-runner=universal", "-endpoint=" + c.endpoint, "-environment_type=PROCESS",
		fmt.Sprintf(`-environment_config={"command":%q,"env":{"FILTERBUILD_TEST":%q}}`, c.file("boot.sh"), c.dir),
		"-structure=bloom", "-layout=blocked", "-n=100000", "-windows=7", "-o=" + c.file("out.bin"), "-force",
	}, args...)...)
}

// writeKeys writes keys to files and returns their pattern.
func (c cluster) writeKeys(t *testing.T, n int) string {
	t.Helper()
	for i := range 4 {
		var text bytes.Buffer
		for j := range n / 4 {
			fmt.Fprintf(&text, "key %d of %d\n", j, i)
		}
		require.NoError(t, os.WriteFile(c.file(fmt.Sprintf("keys-%d.txt", i)), text.Bytes(), 0o600))
	}
	return c.file("keys-*.txt")
}

// A job whose server, worker and submitter are different processes writes the
// frame of the loop.
func TestSeparateProcesses(t *testing.T) {
	c := newCluster(t)
	pattern := c.writeKeys(t, 100_000)
	out, err := c.submit(t.Context(), pattern).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "100000 lines of 4 files")
	frame, err := os.ReadFile(c.file("out.bin"))
	require.NoError(t, err)

	p, err := filterbeam.Bloom(bloom.Config{Capacity: 100_000, FPRate: 0.01, Layout: bloom.Blocked})
	require.NoError(t, err)
	_, err = filterbeam.Local(t.Context(), p, c.file("local.bin"), nil, pattern)
	require.NoError(t, err)
	want, err := os.ReadFile(c.file("local.bin"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, frame))
}

// A worker that is killed leaves the output as it was. It has two million keys,
// which take it a second, so that it does not end before.
func TestAWorkerThatIsKilled(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, os.WriteFile(c.file("out.bin"), []byte("before"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	job := c.submit(ctx, c.writeKeys(t, 2_000_000))
	require.NoError(t, job.Start())
	require.Eventually(t, func() bool { return killWorker(c) }, 2*time.Minute, 10*time.Millisecond)
	ended := make(chan error, 1)
	go func() { ended <- job.Wait() }()
	select {
	case err := <-ended:
		require.Error(t, err)
	case <-time.After(10 * time.Second): // Prism does not always notice
		cancel()
		<-ended
	}
	text, err := os.ReadFile(c.file("out.bin"))
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
}

// killWorker kills the cluster's worker, and reports whether there was one.
func killWorker(c cluster) bool {
	for _, pid := range c.started("--worker=true") {
		return syscall.Kill(pid, syscall.SIGKILL) == nil
	}
	return false
}

// started returns the processes that the server has started, and those that
// they have, with that argument.
func (c cluster) started(argument string) []int {
	var list []int
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		dir := filepath.Dir(name)
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !bytes.Contains(line, []byte(argument)) {
			continue
		}
		environment, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(environment, []byte("FILTERBUILD_TEST="+c.dir+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			list = append(list, pid)
		}
	}
	return list
}
