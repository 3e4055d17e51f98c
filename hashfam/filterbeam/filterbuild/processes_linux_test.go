package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A shell runs the commands of docs/distributed.md as they are printed, in the
// root of the repository, with a folder of its own in place of /data and a free
// port. Its filterbuild is this program.
type shell struct {
	dir     string
	environ []string
	changes *strings.Replacer
}

// poolPort is the port of the SDK's worker pool, which has no flag for it.
const poolPort = "50000"

func newShell(t *testing.T) shell {
	t.Helper()
	s := shell{dir: t.TempDir()}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(bin, "filterbuild")))
	s.environ = append(os.Environ(), asCommand+"=1", "TMPDIR="+t.TempDir(), "PATH="+bin+":"+os.Getenv("PATH"))
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	s.changes = strings.NewReplacer("/data/", s.dir+"/", "8073", fmt.Sprint(listener.Addr().(*net.TCPAddr).Port))
	return s
}

func (s shell) file(name string) string { return filepath.Join(s.dir, name) }

// command returns a command. It and all that it starts end with the test.
func (s shell) command(t *testing.T, text string) *exec.Cmd {
	t.Helper()
	c := exec.Command("bash", "-euc", s.changes.Replace(text))
	c.Dir, c.Env = filepath.Join("..", "..", ".."), s.environ
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.CreateTemp(t.TempDir(), "log")
	require.NoError(t, err)
	c.Stdout, c.Stderr = log, log
	t.Cleanup(func() {
		if c.Process != nil {
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // it may have ended
		}
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s\n%s", c, text)
		}
	})
	return c
}

// run runs a block. If the block starts a server, run waits until it accepts
// connections. Otherwise the block builds a filter, which run compares with the
// filter of the direct runner.
func (s shell) run(t *testing.T, block string) {
	t.Helper()
	require.NoError(t, s.command(t, block).Run(), block)
	if strings.HasSuffix(block, "&\n") {
		at := poolPort
		if m := regexp.MustCompile(`_port=(\d+)`).FindStringSubmatch(block); m != nil {
			at = s.changes.Replace(m[1])
		}
		s.await(t, block, at)
		return
	}
	_, what, found := strings.Cut(block, "-type")
	require.True(t, found, block)
	direct := "filterbuild -runner=direct -type" + strings.NewReplacer(".bin", ".direct", "-force", "").Replace(what)
	require.NoError(t, s.command(t, direct).Run())
	out := regexp.MustCompile(`(\w+)\.bin`).FindStringSubmatch(block)[1]
	want, err := os.ReadFile(s.file(out + ".direct"))
	require.NoError(t, err)
	got, err := os.ReadFile(s.file(out + ".bin"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), block)
	require.NoError(t, os.Remove(s.file(out+".direct")))
}

// await waits until a block's server accepts connections at a port. If another
// connection uses the port at first, the server exits, so await starts it again
// every minute.
func (s shell) await(t *testing.T, block, port string) {
	t.Helper()
	begin := time.Now()
	for last := begin; !answers(port); time.Sleep(10 * time.Millisecond) {
		require.Less(t, time.Since(begin), 10*time.Minute, block)
		if time.Since(last) > time.Minute {
			last = time.Now()
			require.NoError(t, s.command(t, block).Run(), block)
		}
	}
}

// answers reports whether a server accepts connections at a port.
func answers(port string) bool {
	conn, err := net.Dial("tcp", "localhost:"+port)
	if err == nil {
		err = conn.Close()
	}
	return err == nil
}

// writeKeys writes n keys to eight files in a folder.
func (s shell) writeKeys(t *testing.T, folder string, n int) {
	t.Helper()
	require.NoError(t, os.Mkdir(s.file(folder), 0o700))
	for i := range 8 {
		var text bytes.Buffer
		for j := range n / 8 {
			fmt.Fprintf(&text, "key %d of %d\n", j, i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(s.file(folder), fmt.Sprint(i, ".txt")), text.Bytes(), 0o600))
	}
}

// Every command of the document runs as it is printed, unless the text says why
// not. Then the worker of a job, which the SDK's boot program has started, is
// killed.
func TestDocumentedCommandsWork(t *testing.T) {
	if testing.Short() || answers(poolPort) {
		t.Skip("links three programs, and needs port " + poolPort)
	}
	removeStaged(t)
	s := newShell(t)
	s.writeKeys(t, "keys", 20_000)
	text, err := os.ReadFile("../../../docs/distributed.md")
	require.NoError(t, err)
	last, blocks := "", 0
	for _, b := range regexp.MustCompile("(?ms)([^\n]*)\n\n```sh\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(b[1], "not run by the tests: ") {
			s.run(t, b[2])
			last, blocks = b[2], blocks+1
		}
	}
	require.Equal(t, 5, blocks)
	requireKillable(t, s, last)
	left, err := os.ReadDir(s.dir)
	require.NoError(t, err)
	require.Len(t, left, 2+2, "the keys and the filters")
}

// requireKillable kills the worker of a job of the given command, while the job
// is waiting for keys from a pipe. The job fails and leaves no files, and can
// be run again.
func requireKillable(t *testing.T, s shell, command string) {
	t.Helper()
	s.writeKeys(t, "slow", 100_000)
	pipe := filepath.Join(s.file("slow"), "9.txt")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	name := fmt.Sprint("slow-", os.Getpid(), "-", time.Now().UnixNano())
	command = strings.NewReplacer("filterbuild", "filterbuild -job_name="+name,
		"out.bin", "slow.bin", "/keys/", "/slow/").Replace(command)
	slow := s.command(t, command)
	require.NoError(t, slow.Start())
	var worker int
	require.Eventually(t, func() bool { worker = workerOf(name); return worker > 0 }, 10*time.Minute, 10*time.Millisecond)
	require.NoError(t, syscall.Kill(worker, syscall.SIGKILL))

	ended := make(chan error, 1)
	go func() { ended <- slow.Wait() }()
	select {
	case err := <-ended:
		require.Error(t, err)
	case <-time.After(10 * time.Second): // Prism does not always notice
		_ = syscall.Kill(-slow.Process.Pid, syscall.SIGINT) // it may end right now
		require.Error(t, <-ended)
	}
	require.NoFileExists(t, s.file("slow.bin"))
	require.NoError(t, os.Remove(pipe))
	s.run(t, command)
}

// workerOf returns the process that works for a job, or 0.
func workerOf(name string) int {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range lines {
		line, _ := os.ReadFile(file) // the process may have ended
		if bytes.Contains(line, []byte("--worker=true")) && bytes.Contains(line, []byte(name)) {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return n
		}
	}
	return 0
}

// When the test ends, removeStaged removes the files that the SDK's boot
// program leaves: copies of this program in /tmp, and the job's options.
func removeStaged(t *testing.T) {
	start := time.Now()
	self, err := os.Stat(os.Args[0])
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = os.Remove("../pipeline_options.json")
		for _, pattern := range []string{"/tmp/bin*/worker", "/tmp/staged/*"} {
			names, _ := filepath.Glob(pattern)
			for _, name := range names {
				if info, err := os.Stat(name); err == nil && info.Size() == self.Size() && info.ModTime().After(start) {
					require.NoError(t, os.Remove(name))
					_ = os.Remove(filepath.Dir(name)) // if nothing else is there
				}
			}
		}
	})
}

// An interrupt ends the build with exit code 130, also while the job writes
// files. This filter has a gigabyte, so writing it takes some time.
func TestInterruptedJobsLeaveNoFiles(t *testing.T) {
	keys, out := inputs(t, "ada\n")
	writes := func() bool {
		names, err := filepath.Glob(out + ".tmp-*")
		_, done := os.Stat(out)
		return err == nil && len(names) > 0 || done == nil
	}
	var log bytes.Buffer
	interrupt := func() error {
		build := filterbuild(t, "-type=bloom", "-n=1e9", "-o="+out, keys)
		build.Stderr = &log
		require.NoError(t, build.Start())
		require.Eventually(t, writes, 4*time.Minute, time.Millisecond)
		require.NoError(t, build.Process.Signal(os.Interrupt))
		return build.Wait()
	}
	err := interrupt()
	for range 9 {
		if err != nil {
			break
		}
		require.NoError(t, os.Remove(out)) // it was written before the interrupt arrived
		err = interrupt()
	}
	require.ErrorContains(t, err, "exit status 130")
	require.Regexp(t, `^filterbuild: interrupted( \(.*\))?\n$`, log.String())
	left, err := os.ReadDir(filepath.Dir(keys))
	require.NoError(t, err)
	require.Len(t, left, 1)
}
