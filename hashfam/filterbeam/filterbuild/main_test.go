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
	for _, structure := range []string{"bloom", "counting", "cuckoo", "static", "sketch", "heavy", "topk"} {
		for _, layout := range []string{"classic", "blocked"} {
			text, err := command(t, "-force", "-structure="+structure, "-layout="+layout, "-n=1e3", "-o="+out, keys)
			require.NoError(t, err, structure)
			require.Contains(t, text, "3 lines of 1 files", structure)
		}
	}
}

func TestTheFamilyHasTheSecretKey(t *testing.T) {
	keys, out := inputs(t, "ada\n")
	t.Setenv(keyVariable, "000102030405060708090a0b0c0d0e0f")
	registerFamily()
	_, err := command(t, "-n=10", "-o="+out, keys)
	require.NoError(t, err)
	frame, err := os.ReadFile(out)
	require.NoError(t, err)
	f := bloom.NewReceiver(hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}))
	require.NoError(t, f.UnmarshalBinary(frame))
	require.True(t, f.ContainsString("ada"))
	for _, bad := range []string{"00", "xx0102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f00"} {
		t.Setenv(keyVariable, bad)
		_, err := command(t, "-n=10", "-force", "-o="+out, keys)
		require.ErrorContains(t, err, "want 32 hexadecimal digits")
		require.NotContains(t, err.Error(), bad)
	}
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
		{"-force replaces it", []string{"-n=10", "-o=" + out, keys}},
		{"want bloom, counting", []string{"-structure=tree", "-o=" + out, keys}},
		{"square", []string{"-layout=square", "-o=" + out, keys}},
		{"want -n, the number of distinct keys", []string{"-force", "-o=" + out, keys}},
		{"want a whole number", []string{"-n=1.5", "-o=" + out, keys}},
		{"want a whole number", []string{"-n=-1", "-o=" + out, keys}},
		{"want a whole number", []string{"-n=1e30", "-o=" + out, keys}},
		{"want a whole number", []string{"-n=NaN", "-o=" + out, keys}},
		{"windows", []string{"-n=10", "-windows=-1", "-o=" + out, keys}},
		{"-local: want filterfam build instead", []string{"-local", "-n=10", "-force", "-o=" + out, keys}},
		{"0 to 4096", []string{"-n=10", "-parts=-1", "-force", "-o=" + out, keys}},
		{"want bloom, counting, cuckoo or static", []string{"-structure=topk", "-parts=3", "-force", "-o=" + out, keys}},
		{"one that matches a file", []string{"-n=10", "-force", "-o=" + out, keys + "none*"}},
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
		_, err := command(t, "-n=10", "-o="+out, keys)
		require.NoError(t, err)
		_, err = command(t, "-n=10", "-o="+out, keys)
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
		{0, "1009 lines of 1 files, 1003 distinct keys", []string{"-structure=static", "-o=" + out, keys}},
		{0, "usage: filterbuild", []string{"-help"}},
		{0, "-environment_type", []string{"-help-runner"}},
		{1, "filter is full: -n 100 is too small for 1003 keys; want -n 1003", []string{"-structure=cuckoo", "-n=100", "-force", "-o=" + out, keys}},
		{1, "-n 100 is too small for 1009 keys: the rate is 99.3%, more than twice 1%; want -n 1009, or -force (", []string{"-n=100", "-o=" + other, keys}},
		{1, "-n 100 is too small for 1009 keys: the rate is 8", []string{"-structure=counting", "-parts=3", "-n=100", "-o=" + other, keys}},
		{1, "-n 20000000000000: needs 23984069633216 bytes of memory, but only ", []string{"-n=2e13", "-o=" + other, keys}},
		{1, "-epsilon 2e-12: needs ", []string{"-structure=sketch", "-epsilon=2e-12", "-o=" + other, keys}},
		{1, "bad.gz: gzip: invalid header", []string{"-n=100", "-force", "-o=" + out, keys, filepath.Join(dir, "bad.gz")}},
		{1, "no job server at -endpoint localhost:1: ", []string{"-runner=flink", "-endpoint=localhost:1", "-n=9", "-force", "-o=" + out, keys}},
		{1, "input = " + out, []string{"-n=9", "-force", "-o=" + out, filepath.Join(dir, "*")}},
		{2, "-help lists all flags", []string{"-o=" + out}},
		{2, "not defined: -zap", []string{"-zap"}},
		{2, "want -n, the number", []string{"-o=" + other, keys}},
		{2, "-n: want a whole number from 1", []string{"-n=0", "-o=" + other, keys}},
		{2, "-fpr 2, want above 0 and below 1", []string{"-n=9", "-fpr=2", "-o=" + other, keys}},
		{2, "-local: want filterfam build instead", []string{"-local", "-n=9", "-o=" + other, keys}},
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
			text, err := command(t, "-n=10", "-force", "-o="+out, fmt.Sprint("-0=", name == "nul"), fmt.Sprint("-empty=", empty), file)
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
		_, err := command(t, "-n=9", "-force", "-o="+name, "nothing matches this")
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
		_, log, _ := process(t, "-n=9", "-force", "-o="+out, pattern)
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
	_, log, code := process(t, "-n=9", "-o="+out, filepath.Join(dir, "*.txt"))
	require.Zero(t, code)
	require.Contains(t, log, "1 of the files do not seem to contain lines")
	_, log, _ = process(t, "-n=9", "-force", "-o="+out, filepath.Join(dir, "good.txt"))
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
	require.Contains(t, w.waitsFor(info, 9), "has read 9 keys; it is sorting, solving or writing, or its worker is lost")

	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer listener.Close() // it accepts connections but never responds
	keys, out := inputs(t, "ada\n")
	_, printed, code := process(t, "-runner=universal", "-endpoint="+listener.Addr().String(), "-timeout=1s", "-n=9", "-o="+out, keys)
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
	n, structures := 20_000, []string{"bloom", "topk"}
	if os.Getenv("FILTERFAM_LONG") != "" {
		n, structures = 1_000_000, []string{"bloom", "counting", "cuckoo", "static", "sketch", "heavy", "topk"}
	}
	pattern, dir := writeLines(t, n), t.TempDir()
	for _, structure := range structures {
		frame := func(runner ...string) []byte {
			out := filepath.Join(dir, "out.bin")
			args := append(runner, "-structure="+structure, "-layout=blocked", "-n=1000000", "-windows=2", "-timeout=20m", "-force", "-o="+out, pattern)
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
			if got := frame(runner...); structure != "heavy" && structure != "topk" {
				require.True(t, bytes.Equal(want, got), structure)
			}
		}
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
