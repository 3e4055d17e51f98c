package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
)

// A cluster is a job server, which starts each worker as a process: this
// program, which is then filterbuild.
type cluster struct {
	dir, endpoint string
}

func newCluster(t *testing.T) cluster {
	t.Helper()
	c := cluster{dir: t.TempDir()}
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	port := listener.Addr().(*net.TCPAddr).Port
	_, err = prism.CreateJobServer(t.Context(), prism.Options{Port: port})
	require.NoError(t, err)
	c.endpoint = fmt.Sprintf("localhost:%d", port)
	t.Cleanup(func() {
		for _, pid := range c.started("") {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	})
	return c
}

func (c cluster) file(name string) string { return filepath.Join(c.dir, name) }

// submit returns the command that submits a job.
func (c cluster) submit(t *testing.T, args ...string) *exec.Cmd {
	return filterbuild(t, append([]string{
		"-runner=universal", "-endpoint=" + c.endpoint, "-environment_type=PROCESS",
		fmt.Sprintf(`-environment_config={"command":%q,"env":{%q:"1","FILTERBUILD_TEST":%q}}`, os.Args[0], asCommand, c.dir),
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
	out, err := c.submit(t, pattern).CombinedOutput()
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
	job := c.submit(t, c.writeKeys(t, 2_000_000))
	require.NoError(t, job.Start())
	require.Eventually(t, func() bool { return killWorker(c) }, 2*time.Minute, 10*time.Millisecond)
	ended := make(chan error, 1)
	go func() { ended <- job.Wait() }()
	select {
	case err := <-ended:
		require.Error(t, err)
	case <-time.After(10 * time.Second): // Prism does not always notice
		require.NoError(t, job.Process.Signal(os.Interrupt))
		require.ErrorContains(t, <-ended, "exit status 130")
	}
	left, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	require.Len(t, left, 1+4, "the output and the keys")
	text, err := os.ReadFile(c.file("out.bin"))
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
}

// killWorker kills the cluster's worker, and reports whether there was one.
func killWorker(c cluster) bool {
	for _, pid := range c.started("--provision_endpoint=") {
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

// An interrupt ends the build with a code of its own, and leaves nothing. The
// keys never end.
func TestAnInterrupt(t *testing.T) {
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	require.NoError(t, syscall.Mkfifo(keys, 0o600))
	pipe, err := os.OpenFile(keys, os.O_RDWR, 0)
	require.NoError(t, err)
	go func() {
		for err := error(nil); err == nil; {
			_, err = pipe.WriteString("ada\n")
		}
	}()
	defer pipe.Close()
	build := filterbuild(t, "-local", "-n=10", "-o="+filepath.Join(dir, "out.bin"), keys)
	var log bytes.Buffer
	build.Stderr = &log
	require.NoError(t, build.Start())
	time.Sleep(time.Second)
	require.NoError(t, build.Process.Signal(os.Interrupt))
	require.ErrorContains(t, build.Wait(), "exit status 130")
	require.Equal(t, "filterbuild: interrupted\n", log.String())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
