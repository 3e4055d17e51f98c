package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// asCommand is the environment variable that makes this program filterbuild.
const asCommand = "FILTERBUILD_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	if err := flag.Set("runner", "direct"); err != nil { // for command
		panic(err)
	}
	os.Exit(m.Run())
}

// filterbuild returns filterbuild as a process of its own.
func filterbuild(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+t.TempDir())
	return c
}

// process runs filterbuild as a process, and returns its output and its exit
// code.
func process(t *testing.T, args ...string) (out, log string, code int) {
	t.Helper()
	c := filterbuild(t, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

// command runs the program in this process with the given arguments, using the
// direct runner, and returns its output.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	flags := flag.NewFlagSet("filterbuild", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o := newOptions(flags)
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err := run(t.Context(), o, flags.Args(), &out, io.Discard)
	return out.String(), err
}

// inputs returns the name of a file of keys, and of an output beside it.
func inputs(t *testing.T, text string) (keys, out string) {
	t.Helper()
	dir := t.TempDir()
	keys, out = filepath.Join(dir, "keys.txt"), filepath.Join(dir, "out.bin")
	require.NoError(t, os.WriteFile(keys, []byte(text), 0o600))
	return keys, out
}

func TestEveryStructureAndLayout(t *testing.T) {
	keys, out := inputs(t, "ada\ngrace\nedsger\n")
	for _, flags := range []string{
		"-type=static", "-type=bloom -n=1e3", "-type=bloom -keys=1e3 -layout=blocked", "-type=cuckoo -n=1e3 -compact",
		"-type=counting -n=1e3", "--type=counting -n=1e3 --layout=blocked", "-type=sketch", "-type=heavy", "-type=heavy -lines=3 -memory=64K", "-type=heavy -phi=.1",
	} {
		text, err := command(t, append(strings.Fields(flags), "-force", "-o="+out, keys)...)
		require.NoError(t, err, flags)
		require.Contains(t, text, "3 lines of 1 files", flags)
	}
}

// The secret key is in a file, in one of two forms, or in the environment.
func TestTheFamilyHasTheSecretKey(t *testing.T) {
	const digits = "000102030405060708090a0b0c0d0e0f"
	key := hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	keys, out := inputs(t, "ada\n")
	secret := filepath.Join(t.TempDir(), "secret.key")
	for _, content := range []string{"", digits + "\n", string(key[:])} {
		t.Setenv(keyVariable, digits)
		args := []string{"-type=bloom", "-n=10", "-force", "-o=" + out, keys}
		if content != "" {
			t.Setenv(keyVariable, "")
			require.NoError(t, os.WriteFile(secret, []byte(content), 0o600))
			args = append([]string{"-key-file=" + secret}, args...)
		}
		_, err := command(t, args...)
		require.NoError(t, err)
		frame, err := os.ReadFile(out)
		require.NoError(t, err)
		f := bloom.NewReceiver(hashfam.New(key))
		require.NoError(t, f.UnmarshalBinary(frame))
		require.True(t, f.ContainsString("ada"))
	}
	for _, bad := range []string{"abcdef", "xx0102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f00", strings.Repeat("0", 2000)} {
		t.Setenv(keyVariable, bad)
		_, err := command(t, "-type=bloom", "-n=10", "-force", "-o="+out, keys)
		require.ErrorContains(t, err, keyVariable+": ")
		require.ErrorContains(t, err, "want 32 hexadecimal digits")
		require.NotContains(t, err.Error(), bad)
		require.NoError(t, os.WriteFile(secret, []byte(bad), 0o600))
		_, err = command(t, "-key-file="+secret, "-type=bloom", "-n=10", "-force", "-o="+out, keys)
		require.ErrorContains(t, err, "-key-file "+secret+": ")
		require.NotContains(t, err.Error(), bad)
	}
	require.NoError(t, os.WriteFile(secret, []byte(digits), 0o600))
	_, err := command(t, "-key-file="+secret, "-force", "-o="+secret, keys)
	require.ErrorContains(t, err, "is the file of the secret key")
	_, err = command(t, "-key-file=none", "-force", "-o="+out, keys)
	require.ErrorContains(t, err, "-key-file open none")
}

// A worker without the key says what it needs.
func TestWorkersNeedTheKey(t *testing.T) {
	t.Setenv(keyVariable, "")
	_, err := keyedFamily()
	require.EqualError(t, err, "FILTERFAM_KEY is not set in this worker")
}

func TestErrorsNameTheAllowedValues(t *testing.T) {
	keys, out := inputs(t, "ada\n")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	for _, test := range []struct {
		want string
		args []string
	}{
		{"want -o FILE", []string{keys}},
		{"want -o FILE", []string{"-o=" + out}},
		{"-force replaces it", []string{"-type=bloom", "-n=10", "-o=" + out, keys}},
		{"want static, bloom", []string{"-type=tree", "-o=" + out, keys}},
		{"square", []string{"-type=bloom", "-n=10", "-layout=square", "-o=" + out, keys}},
		{"want -n, the number of distinct keys", []string{"-type=bloom", "-force", "-o=" + out, keys}},
		{"want a whole number", []string{"-type=bloom", "-n=1.5", "-o=" + out, keys}},
		{"want a whole number", []string{"-type=bloom", "-n=-1", "-o=" + out, keys}},
		{"want a whole number", []string{"-type=bloom", "-n=1e30", "-o=" + out, keys}},
		{"want a whole number", []string{"-type=bloom", "-n=NaN", "-o=" + out, keys}},
		{"-n cannot be used with -type static, only with bloom, cuckoo, counting", []string{"-n=10", "-o=" + out, keys}},
		{"-k cannot be used with -type bloom, only with heavy", []string{"-type=bloom", "-n=10", "-lines=3", "-o=" + out, keys}},
		{"-k and -phi, want one of the two", []string{"-type=heavy", "-k=3", "-phi=.1", "-o=" + out, keys}},
		{"want a number of bytes", []string{"-type=heavy", "-memory=many", "-o=" + out, keys}},
		{"windows", []string{"-type=bloom", "-n=10", "-windows=-1", "-o=" + out, keys}},
		{"-local: want filterfam build instead", []string{"-local", "-force", "-o=" + out, keys}},
		{"0 to 4096", []string{"-type=bloom", "-n=10", "-parts=-1", "-force", "-o=" + out, keys}},
		{"want bloom, counting, cuckoo or static", []string{"-type=heavy", "-parts=3", "-force", "-o=" + out, keys}},
		{"one that matches a file", []string{"-type=bloom", "-n=10", "-force", "-o=" + out, keys + "none*"}},
	} {
		_, err := command(t, test.args...)
		require.ErrorContains(t, err, test.want)
	}
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
}

// The output is a name and not a pattern, even if it has special characters.
func TestOutputsMayLookLikePatterns(t *testing.T) {
	if filepath.Separator == '\\' {
		t.Skip("no file of this system can have such a name")
	}
	for _, name := range []string{"out[1].bin", "out[", "out?", "*", `out\.bin`} {
		keys, out := inputs(t, "ada\n")
		out = filepath.Join(filepath.Dir(out), name)
		_, err := command(t, "-type=bloom", "-n=10", "-o="+out, keys)
		require.NoError(t, err)
		_, err = command(t, "-type=bloom", "-n=10", "-o="+out, keys)
		require.ErrorContains(t, err, "-force replaces it")
	}
}

// The exit code reports whether the output was written or the command line was
// wrong. An error is one line, whatever the engine prints.
func TestExitCodes(t *testing.T) {
	text := strings.Repeat("ada\ngrace\nedsger\n", 3)
	for i := range 1000 {
		text += fmt.Sprintln("key", i)
	}
	keys, out := inputs(t, text)
	dir := filepath.Dir(keys)
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.gz"), []byte("\x1f\x8bnot a compressed file\n"), 0o600))
	for _, test := range []struct {
		code int
		want string
		args []string
	}{
		{0, "1009 lines of 1 files, 1003 distinct keys", []string{"-o=" + out, keys}},
		{0, "usage: filterbuild", []string{"-help"}},
		{0, "-environment_type", []string{"-help-runner"}},
		{1, "filter is full: -n 100 is too small for 1003 keys; want -n 1003", []string{"-type=cuckoo", "-n=100", "-force", "-o=" + out, keys}},
		{1, "-n 100 is too small for 1009 keys: the rate is 99.3%, more than twice 1%; want -n 1009, or -force (", []string{"-type=bloom", "-n=100", "-o=" + other, keys}},
		{1, "-n 100 is too small for 1009 keys: the rate is 8", []string{"-type=counting", "-parts=3", "-n=100", "-o=" + other, keys}},
		{1, "-n 20000000000000: needs 22336.9 GiB of memory, but only ", []string{"-type=bloom", "-n=2e13", "-o=" + other, keys}},
		{1, "-epsilon 2e-12: needs ", []string{"-type=sketch", "-epsilon=2e-12", "-o=" + other, keys}},
		{1, "bad.gz: gzip: invalid header", []string{"-type=bloom", "-n=100", "-force", "-o=" + out, keys, filepath.Join(dir, "bad.gz")}},
		{1, "no job server at -endpoint localhost:1: ", []string{"-runner=flink", "-endpoint=localhost:1", "-type=bloom", "-n=9", "-force", "-o=" + out, keys}},
		{1, "input = " + out, []string{"-type=bloom", "-n=9", "-force", "-o=" + out, filepath.Join(dir, "*")}},
		{2, "-help lists all flags", []string{"-o=" + out}},
		{2, "not defined: -zap", []string{"-zap"}},
		{2, "want -n, the number", []string{"-type=bloom", "-o=" + other, keys}},
		{2, "-n: want a whole number from 1", []string{"-type=bloom", "-n=0", "-o=" + other, keys}},
		{2, "-fpr 2, want above 0 and below 1", []string{"-type=bloom", "-n=9", "-fpr=2", "-o=" + other, keys}},
		{2, "-local: want filterfam build instead", []string{"-local", "-o=" + other, keys}},
	} {
		printed, log, code := process(t, test.args...)
		require.Equal(t, test.code, code, "%s%s", printed, log)
		require.Contains(t, printed+log, test.want)
		if code > 0 {
			require.Equal(t, 1, strings.Count(log, "\n"), log)
		}
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 3, "keys, no gzip, the output")
	}
}

// The help fits on one screen and lists only the program's own flags.
func TestHelpFitsOnOneScreen(t *testing.T) {
	help, _, _ := process(t, "-help")
	require.LessOrEqual(t, strings.Count(help, "\n"), 30)
	for line := range strings.Lines(help) {
		require.LessOrEqual(t, len(line), 100, line)
	}
	require.NotContains(t, help, "environment")
	require.NotContains(t, help, "-local")
	runner, _, _ := process(t, "-help-runner")
	require.NotContains(t, runner, "-fpr")
}

// The keys are the same as for filterfam, however they are stored.
func TestKeysDoNotDependOnTheFile(t *testing.T) {
	dir := t.TempDir()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := io.WriteString(w, "ada\n\ngrace\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	frames := map[string]string{}
	for name, text := range map[string]string{
		"lf": "\nada\n\ngrace", "crlf": "ada\r\ngrace\r\n\r\n", "plain.gz": "ada\ngrace\n", "zipped": zipped.String(), "nul": "ada\x00\x00grace",
	} {
		file, out := filepath.Join(dir, name), filepath.Join(dir, name+".bin")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for _, empty := range []bool{false, true} {
			text, err := command(t, "-type=bloom", "-n=10", "-force", "-o="+out, fmt.Sprint("-0=", name == "nul"), fmt.Sprint("-empty=", empty), file)
			require.NoError(t, err, name)
			var f bloom.Filter
			frame, err := os.ReadFile(out)
			require.NoError(t, err)
			require.NoError(t, f.UnmarshalBinary(frame))
			require.True(t, f.ContainsString("ada") && f.ContainsString("grace"), name)
			require.Equal(t, empty && name != "plain.gz", f.ContainsString(""), name)
			if !empty {
				require.Contains(t, text, "2 lines of 1 files", name)
				frames[string(frame)] = name
			}
		}
	}
	require.Len(t, frames, 1)
}

// A folder, a link or a device is not replaced. This error is returned before
// any key is read.
func TestOutputsMustBeFiles(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(filepath.Join(dir, "file"), link))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, want := range map[string]string{
		dir: "is a folder", link: "is a link", os.DevNull: "is a device", filepath.Join(file, "out.bin"): "-o " + file,
		filepath.Join(dir, strings.Repeat("x", 300)): "file name too long",
	} {
		_, err := command(t, "-type=bloom", "-n=9", "-force", "-o="+name, "nothing matches this")
		require.ErrorContains(t, err, want)
	}
	_, err := os.Lstat(link)
	require.NoError(t, err)
}

// A job removes the files that an earlier job left when it was killed, and
// prints their names, even if it fails.
func TestFilesOfAKilledJobAreRemoved(t *testing.T) {
	keys, out := inputs(t, "ada\n")
	for _, pattern := range []string{keys, "nothing matches this"} {
		left := out + ".part-AAAAAAAAAAAAAAAAAAAAAAAAAA"
		require.NoError(t, os.WriteFile(left, nil, 0o600))
		_, log, _ := process(t, "-type=bloom", "-n=9", "-force", "-o="+out, pattern)
		require.Contains(t, log, "removed "+left)
		require.NoFileExists(t, left)
	}
}

// The program prints a remark about files that do not seem to contain lines.
func TestBinaryFilesAreReported(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"zero.txt": "ada\n\x00grace\n", "good.txt": "ada\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	out := filepath.Join(t.TempDir(), "out.bin")
	_, log, code := process(t, "-type=bloom", "-n=9", "-o="+out, filepath.Join(dir, "*.txt"))
	require.Zero(t, code)
	require.Contains(t, log, "1 of the files do not seem to contain lines")
	_, log, _ = process(t, "-type=bloom", "-n=9", "-force", "-o="+out, filepath.Join(dir, "good.txt"))
	require.Empty(t, log)
}

// An untilWritten calls end when something is written to it.
type untilWritten struct {
	bytes.Buffer
	end func()
}

func (w *untilWritten) Write(b []byte) (int, error) {
	w.end()
	return w.Buffer.Write(b)
}

// A job without a worker prints that it is waiting. A build can have a time
// limit.
func TestWaitingJobsAreReported(t *testing.T) {
	const nobody = "localhost:1" // an endpoint without a server
	ctx, end := context.WithCancel(t.Context())
	defer end()
	log := untilWritten{end: end}
	ask(nobody, func(w watcher) { w.watch(ctx, &log, time.Millisecond) })
	require.Contains(t, log.String(), "has not accepted the job yet")
	w := watcher{endpoint: nobody}
	info := &jobpb.JobInfo{JobId: "job-1"}
	require.Contains(t, w.waitsFor(info, 0), "job job-1 at localhost:1 is UNSPECIFIED, but no worker has read a key yet")
	require.Contains(t, w.waitsFor(info, 9), "has read 9 keys; it is sorting, building or writing, or its worker is lost")

	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer listener.Close() // it accepts connections but never responds
	keys, out := inputs(t, "ada\n")
	_, printed, code := process(t, "-runner=universal", "-endpoint="+listener.Addr().String(), "-timeout=1s", "-type=bloom", "-n=9", "-o="+out, keys)
	require.Equal(t, failed, code)
	require.Contains(t, printed, "not done after -timeout 1s")
}

// writeLines writes n lines to eight files, of which some occur often, and
// returns their pattern.
func writeLines(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 8 {
		var text bytes.Buffer
		for j := i; j < n; j += 8 {
			fmt.Fprintf(&text, "key %d\n", j>>(j%19))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".txt")), text.Bytes(), 0o600))
	}
	return filepath.Join(dir, "*.txt")
}

// The command reads all lines with each runner, and writes the same frame if it
// does not depend on their order. The long form has each structure and a
// million keys.
func TestAllRunnersWriteTheSameFrame(t *testing.T) {
	t.Setenv(asCommand, "1") // for the workers that the server starts
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	port := listener.Addr().(*net.TCPAddr).Port
	_, err = prism.CreateJobServer(t.Context(), prism.Options{Port: port})
	require.NoError(t, err)
	n := 20_000
	types := map[string][]string{"bloom": {"-n=1000000", "-layout=blocked"}, "heavy": {"-k=100"}}
	if os.Getenv("FILTERFAM_LONG") != "" {
		n = 1_000_000
		types = map[string][]string{
			"bloom": {"-n=1000000", "-layout=blocked"}, "counting": {"-n=1000000", "-layout=blocked"},
			"cuckoo": {"-n=1000000"}, "static": nil, "sketch": nil, "heavy": {"-k=100"},
		}
	}
	pattern := writeLines(t, n)
	dir := t.TempDir()
	for kind, flags := range types {
		frame := func(runner ...string) []byte {
			out := filepath.Join(dir, "out.bin")
			args := append(append(runner, flags...), "-type="+kind, "-windows=2", "-timeout=20m", "-force", "-o="+out, pattern)
			printed, log, code := process(t, args...)
			require.Zero(t, code, "%s", log)
			require.Contains(t, printed, fmt.Sprintf("%d lines of 8 files", n))
			text, err := os.ReadFile(out)
			require.NoError(t, err)
			return text
		}
		want := frame("-runner=direct")
		for _, runner := range [][]string{
			{"-runner=prism"},
			{"-runner=universal", fmt.Sprintf("-endpoint=localhost:%d", port), "-environment_type=PROCESS"},
		} {
			if got := frame(runner...); kind != "heavy" {
				require.True(t, bytes.Equal(want, got), kind)
			}
		}
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
