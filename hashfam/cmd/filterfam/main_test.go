package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// asCommand is the environment variable that makes this program the command.
const asCommand = "FILTERFAM_AS_COMMAND"

// impatient is the environment variable that shortens the times and the longest
// line of the command.
const impatient = "FILTERFAM_IMPATIENT"

func TestMain(m *testing.M) {
	if os.Getenv(impatient) != "" {
		maxLine = 100
		saveEvery = time.Millisecond
		showAfter = 0
		showEvery = 0
	}
	if os.Getenv(asCommand) != "" {
		main()
	}
	// A process in the background of a script ignores interrupts, and so would
	// the commands that tests start. A signal with a handler has its default
	// action there.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, hangup} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// A result is what a command has printed.
type result struct {
	out, log string
	code     int
}

// prepare returns a command that runs in a folder. It is killed if it does not
// end.
func prepare(t testing.TB, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Minute
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// filterfam returns the command filterfam.
func filterfam(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return prepare(t, dir, self, args...)
}

// begin starts a command, and returns its input and output.
func begin(t testing.TB, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err = cmd.StdoutPipe()
	require.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Skip("this program cannot start itself: ", err)
	}
	return in, out
}

// exchange writes lines to a running command, and reads the same lines.
func exchange(t testing.TB, in io.Writer, out io.Reader, lines string) {
	t.Helper()
	_, err := io.WriteString(in, lines)
	require.NoError(t, err)
	printed := make([]byte, len(lines))
	_, err = io.ReadFull(out, printed)
	require.NoError(t, err)
	require.Equal(t, lines, string(printed))
}

// finish runs a command to its end.
func finish(t testing.TB, cmd *exec.Cmd) result {
	t.Helper()
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Skip("this program cannot start itself: ", err)
	}
	return result{out.String(), log.String(), cmd.ProcessState.ExitCode()}
}

// run runs filterfam in a folder.
func run(t testing.TB, dir, input string, args ...string) result {
	t.Helper()
	cmd := filterfam(t, dir, args...)
	cmd.Stdin = strings.NewReader(input)
	return finish(t, cmd)
}

// succeeds runs filterfam and returns its output.
func succeeds(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	r := run(t, dir, input, args...)
	require.Equal(t, result{r.out, "", 0}, r, "%s", args)
	return r.out
}

func writeText(t testing.TB, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// namesIn returns the names of all files in a folder.
func namesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func zipped(t require.TestingT, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// numbers returns a text with the numbers from first to last-1.
func numbers(first, last int) string {
	var b strings.Builder
	for i := first; i < last; i++ {
		fmt.Fprintln(&b, "key", i)
	}
	return b.String()
}

var kinds = []string{"static", "bloom", "cuckoo", "counting", "sketch"}

// Every line of the input is found, and query -v prints the other lines.
func TestQueryFindsEveryLineThatWasBuilt(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "keys.txt", numbers(0, 1000))
	writeText(t, dir, "both.txt", numbers(500, 2500))
	for _, kind := range kinds {
		succeeds(t, dir, "", "build", "--type", kind, "-o", kind, "keys.txt")
		require.Equal(t, numbers(0, 1000), succeeds(t, dir, "", "query", kind, "keys.txt"))
		require.Equal(t, "1000\n", succeeds(t, dir, numbers(0, 1000), "query", "-c", kind))
		yes := succeeds(t, dir, "", "query", kind, "both.txt")
		no := succeeds(t, dir, "", "query", "-v", kind, "-", "both.txt")
		require.True(t, strings.HasPrefix(yes, numbers(500, 1000)))
		require.Equal(t, 2000, strings.Count(yes, "\n")+strings.Count(no, "\n"))
		require.Less(t, strings.Count(yes, "\n"), 600)
		succeeds(t, dir, numbers(0, 1000), "build", "--type="+kind, "-o", kind+"2")
		one, err := os.ReadFile(filepath.Join(dir, kind))
		require.NoError(t, err)
		two, err := os.ReadFile(filepath.Join(dir, kind+"2"))
		require.NoError(t, err)
		require.True(t, bytes.Equal(one, two), "standard input gives another %s", kind)
		require.Equal(t, string(one), succeeds(t, dir, "", "build", "--type", kind, "keys.txt", "-o", "-"))
	}
	require.Equal(t, result{"", "", nothingFound}, run(t, dir, "absent\n", "query", "static"))
	require.Equal(t, result{"0\n", "", nothingFound}, run(t, dir, "absent\n", "query", "-c", "static"))
}

// The same keys have the same filter, however they are stored.
func TestKeysDoNotDependOnTheFile(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "lf", "ada\n\ngrace\nedsger")
	writeText(t, dir, "crlf", "ada\r\ngrace\r\n\r\nedsger\r\n")
	writeText(t, dir, "words.txt", zipped(t, "ada\ngrace\nedsger\n"))
	writeText(t, dir, "-", "edsger\nada\ngrace\nada\n")
	writeText(t, dir, "zeros", "ada\x00grace\x00edsger")
	want := succeeds(t, dir, "", "build", "-o", "-", "lf")
	for _, args := range [][]string{{"crlf"}, {"words.txt"}, {"./-"}, {"-0", "zeros"}, {"--", "lf", "crlf", "words.txt"}} {
		require.Equal(t, want, succeeds(t, dir, "", append([]string{"build", "-o", "-"}, args...)...), args)
	}
	require.Equal(t, want, succeeds(t, dir, zipped(t, "ada\ngrace\nedsger\n"), "build", "-o", "-"))
	succeeds(t, dir, "", "build", "--empty", "-o", "empty", "lf")
	require.Equal(t, "\nada\n", succeeds(t, dir, "\nada\n", "query", "--empty", "empty"))
	require.Equal(t, "ada\n", succeeds(t, dir, "\nada\n", "query", "empty"))
	require.Equal(t, "a\nb\x00", succeeds(t, dir, "a\nb\x00a\nb\x00", "uniq", "-0"))
	succeeds(t, dir, "", "build", "--force", "-o", "none", os.DevNull)
	require.Equal(t, nothingFound, run(t, dir, "ada\n", "query", "none").code)
}

// uniq prints what awk '!seen[$0]++' prints, also when it is restarted.
func TestUniqPrintsEachLineOnce(t *testing.T) {
	dir := t.TempDir()
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		if round > 15 {
			return // a process takes milliseconds
		}
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "dd", "e e"}), 0, 20).Draw(rt, "lines")
		cut := rapid.IntRange(0, len(lines)).Draw(rt, "cut")
		want, seen := "", map[string]bool{}
		for _, line := range lines {
			if !seen[line] {
				want += line + "\n"
			}
			seen[line] = true
		}
		text := func(lines []string) string { return strings.Join(append(lines[:len(lines):len(lines)], ""), "\n") }
		require.Equal(rt, want, succeeds(t, dir, text(lines), "uniq"))
		for _, args := range [][]string{{"-n", "1000"}, {"--memory", "1K"}, nil} {
			os.Remove(filepath.Join(dir, "state"))
			args = append([]string{"uniq", "--state", "state"}, args...)
			got := succeeds(t, dir, text(lines[:cut]), args...) + succeeds(t, dir, text(lines[cut:]), args...)
			require.Equal(rt, want, got)
		}
	})
	r := run(t, dir, "", "uniq", "-n", "7", "--state", "state")
	require.Contains(t, r.log, "filterfam uniq: --state state: was made with another -n")
	r = run(t, dir, numbers(0, 1000), "uniq", "-n", "100")
	require.Contains(t, r.log, "the rate has reached twice --fpr after ")
	require.Equal(t, failed, r.code)
	require.True(t, strings.HasPrefix(numbers(0, 1000), r.out))
	require.Greater(t, strings.Count(r.out, "\n"), 99)
	require.Equal(t, 0, run(t, dir, numbers(0, 1000), "uniq", "-n", "100", "--force").code)
}

func TestTopPrintsTheMostFrequentLines(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("ada\n", 30) + strings.Repeat("grace\n", 20) + numbers(0, 50)
	require.Equal(t, "30\t30\tada\n20\t20\tgrace\n", succeeds(t, dir, text, "top", "-k", "2"))
	require.Equal(t, "30\t30\tada\n", succeeds(t, dir, text, "top", "--phi", "0.25", "--low"))
	r := run(t, dir, numbers(0, 20_000), "top", "--memory", "1K")
	require.Equal(t, 0, r.code)
	require.Contains(t, r.log, "filterfam top: the list may be incomplete")
}

// Structures that only programs write can also be queried and described.
func TestHeavyHittersHaveCounts(t *testing.T) {
	dir := t.TempDir()
	fam := hashfam.New(hashfam.Key{1})
	heavy := hashfam.Must(countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.1, Family: fam}))
	heavy.AddN([]byte("ada"), 7)
	require.NoError(t, hashfam.WriteFile(filepath.Join(dir, "heavy"), heavy))
	require.Contains(t, succeeds(t, dir, "", "info", "heavy"), "total        7\n")
	t.Setenv(keyVariable, "01"+strings.Repeat("00", 15))
	require.Equal(t, "7\tada\n", succeeds(t, dir, "alan\nada\n", "query", "--counts", "heavy"))
	require.Contains(t, succeeds(t, dir, "", "info", "heavy"), "total        7\n")
}

func TestSecretFamilies(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "key", succeeds(t, dir, "", "key"))
	writeText(t, dir, "raw", "0123456789abcdef")
	writeText(t, dir, "short", "12345")
	writeText(t, dir, "zero", strings.Repeat("0", 32)+"\n")
	writeText(t, dir, "letters", strings.Repeat("x", 32))
	writeText(t, dir, "long", strings.Repeat("0", 2000))
	for _, name := range []string{"key", "raw"} {
		succeeds(t, dir, "ada\n", "build", "--key-file", name, "-o", name+".filter")
		require.Equal(t, "ada\n", succeeds(t, dir, "ada\n", "query", "--key-file", name, name+".filter"))
		require.Regexp(t, "family +keyed:[0-9a-f]{16}\n", succeeds(t, dir, "", "info", name+".filter"))
	}
	for name, want := range map[string]string{
		"": "needs the secret key of family keyed:", "raw": "has family keyed:", "short": "5 bytes, want 32 hexadecimal",
		"zero": "all zeros", "letters": "not hexadecimal", "long": "more than 1024 bytes", "none": "no such file",
	} {
		r := run(t, dir, "ada\n", "query", "--key-file", name, "key.filter")
		require.Equal(t, failed, r.code)
		require.Contains(t, r.log, want)
	}
	other := strings.TrimSpace(succeeds(t, dir, "", "key"))
	t.Setenv(keyVariable, other)
	r := run(t, dir, "", "query", "key.filter")
	require.Contains(t, r.log, "has family keyed:")
	require.NotContains(t, r.log, other)
}

func TestMergeIsABuildOfAllLines(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range kinds[1:] {
		args := []string{"build", "--type", kind, "-o"}
		if kind != "sketch" {
			args = []string{"build", "--type", kind, "-n", "3000", "-o"}
		}
		succeeds(t, dir, numbers(0, 1000), append(args, "a")...)
		succeeds(t, dir, numbers(1000, 2000), append(args, "b")...)
		succeeds(t, dir, "", "merge", "-o", "both", "a", "b")
		require.Equal(t, "2000\n", succeeds(t, dir, numbers(0, 2000), "query", "-c", "both"))
	}
	succeeds(t, dir, numbers(0, 10), "build", "-o", "static")
	succeeds(t, dir, numbers(0, 10), "build", "--type=bloom", "-n=10", "-o=small")
	succeeds(t, dir, numbers(0, 10), "build", "--type=bloom", "-n=100", "-o=large")
	for want, args := range map[string][]string{
		"static: is a static filter, but small is a Bloom filter": {"-o", "x", "small", "static"},
		"large: bits is 968, but 104 in small":                    {"-o", "x", "small", "large"},
		"cannot be merged: query several with -F":                 {"-o", "x", "static", "static"},
		"at least two files":                                      {"-o", "x", "static"},
		"-o small: is also an input":                              {"-o", "small", "small", "large"},
	} {
		r := run(t, dir, "", append([]string{"merge"}, args...)...)
		require.Equal(t, failed, r.code)
		require.Contains(t, r.log, want)
	}
	require.NoFileExists(t, filepath.Join(dir, "x"))
}

// An error is one line, in the words of the flags, and leaves no file.
func TestErrorsAreOneLine(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "keys", numbers(0, 1000))
	writeText(t, dir, "bad.gz", "\x1f\x8bnot compressed")
	writeText(t, dir, "cut.gz", zipped(t, numbers(0, 1000))[:500])
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	require.NoError(t, os.Symlink("none/x", filepath.Join(dir, "lost")))
	long := strings.Repeat("x", 300)
	before := namesIn(t, dir)
	for _, test := range []struct {
		want string
		args []string
	}{
		{"build: want -o FILE", []string{"build", "keys"}},
		{"build: unknown flag: --zap; filterfam build --help lists the flags\n", []string{"build", "--zap"}},
		{"build: --type tree, want static, bloom", []string{"build", "--type", "tree", "-o", "x", "keys"}},
		{"build: --layout square, want classic", []string{"build", "--layout", "square", "--type", "bloom", "-o", "x", "keys"}},
		{"build: -n 20000000000000: needs 22336.9 GiB of memory, but only ", []string{"build", "--type", "bloom", "-n", "2e13", "-o", "x", "keys"}},
		{"build: -n 20000000000000: needs ", []string{"build", "--type", "cuckoo", "-n", "2e13", "-o", "x", "keys"}},
		{"build: -n 6000000000000: needs ", []string{"build", "--type", "counting", "-n", "6e12", "-o", "x", "keys"}},
		{"build: --memory 30786325577728: needs ", []string{"build", "--type", "bloom", "--memory", "28T", "-o", "x", "keys"}},
		{"build: --epsilon 2e-12: needs ", []string{"build", "--type", "sketch", "--epsilon", "2e-12", "-o", "x", "keys"}},
		{"uniq: -n 6000000000000: needs ", []string{"uniq", "-n", "6e12", "keys"}},
		{"uniq: --memory 30786325577728: needs ", []string{"uniq", "--memory", "28T", "keys"}},
		{"build: --fpr 2, want above 0", []string{"build", "--fpr", "2", "-o", "x", "keys"}},
		{"build: --fpr NaN, want above 0", []string{"build", "--fpr", "NaN", "-o", "x", "keys"}},
		{"-n, --keys\" flag: want a whole number", []string{"build", "-n", "1.5", "-o", "x", "keys"}},
		{"-n, --keys\" flag: want a whole number", []string{"build", "-n", "1e30", "-o", "x", "keys"}},
		{"--memory\" flag: want a number of bytes", []string{"build", "--memory", "1X", "-o", "x", "keys"}},
		{"build: -n cannot be used with --type static", []string{"build", "-n", "9", "-o", "x", "keys"}},
		{"build: -n 9 is too small for 1000 keys: the rate is 100%, more than twice 1%; want -n 1000, or --force\n", []string{"build", "--type", "bloom", "-n", "9", "-o", "x", "keys"}},
		{"want -n 1000, or --force", []string{"build", "--type", "counting", "-n", "9", "-o", "x", "keys"}},
		{"-n 9 is too small for 1000 keys; want -n 1000", []string{"build", "--type", "cuckoo", "-n", "9", "-o", "x", "keys"}},
		{"-o keys: is also an input", []string{"build", "-o", "keys", "keys"}},
		{"-o ./keys: is also an input", []string{"build", "-o", "./keys", "bad.gz", "keys"}},
		{"-o folder: is a folder", []string{"build", "-o", "folder", "keys"}},
		{"-o none/x: folder none/: no such file", []string{"build", "-o", "none/x", "none"}},
		{"-o loop: is a loop of links", []string{"build", "-o", "loop", "none"}},
		{"-o lost: folder none/: no such file", []string{"build", "-o", "lost", "none"}},
		{"-o " + long + ": file name too long", []string{"build", "-o", long, "none"}},
		{"--state loop: is a loop of links", []string{"uniq", "--state", "loop", "none"}},
		{"none: no such file", []string{"build", "-o", "x", "none"}},
		{"folder: is a folder", []string{"build", "-o", "x", "folder"}},
		{"bad.gz: the compressed data is damaged: gzip: ", []string{"build", "-o", "x", "bad.gz"}},
		{"cut.gz: the compressed data ends too early", []string{"build", "-o", "x", "cut.gz"}},
		{`invalid argument "1p" for "--fpr" flag: want a number such as 0.01`, []string{"build", "--fpr", "1p", "-o", "x", "keys"}},
		{`invalid argument "x" for "-v, --invert-match" flag: `, []string{"query", "-v=x", "keys"}},
		{"query: want the name of a filter", []string{"query"}},
		{"keys: is not a filter, or another structure that filterfam writes", []string{"query", "keys"}},
		{"keys: is not a filter, or another structure that filterfam writes", []string{"info", "keys"}},
		{"want the name of a file", []string{"info"}},
		{"want one of the two", []string{"top", "-k", "1", "--phi", "0.1", "keys"}},
		{"--phi 2, want above 0 and at most 1, or -k", []string{"top", "--phi", "2", "keys"}},
		{"-k 4294967297, want 1 to 268435456", []string{"top", "-k", "4294967297", "keys"}},
		{"--memory 2147483648, want 1K to 1G", []string{"top", "--memory", "2G", "keys"}},
		{"--memory 9, want 1K to 1G", []string{"top", "--memory", "9", "keys"}},
		{"--fpr 1e-30, want above n/2^64 = ", []string{"build", "--type", "bloom", "--fpr", "1e-30", "-o", "x", "keys"}},
		{"--key-file none: no such file", []string{"build", "--key-file", "none", "-o", "x", "keys"}},
		{"want -n or --memory", []string{"plan"}},
		{`"ad" is not a subcommand`, []string{"ad"}},
		{`"x": want no arguments`, []string{"key", "x"}},
	} {
		r := run(t, dir, "", test.args...)
		require.Equal(t, failed, r.code, test.args)
		require.Contains(t, r.log, test.want)
		require.Equal(t, 1, strings.Count(r.log, "\n"), r.log)
		require.True(t, strings.HasPrefix(r.log, "filterfam"), r.log)
		require.NotRegexp(t, "Config|Capacity|FPRate|MemoryBytes", r.log)
		require.Equal(t, before, namesIn(t, dir), test.args)
	}
	require.Equal(t, 0, run(t, dir, "", "build", "--type", "bloom", "-n", "9", "--force", "-o", "x", "keys").code)
}

// Standard input and the file with the key are inputs, too, so neither is
// replaced.
func TestOutputsDoNotReplaceAnyInput(t *testing.T) {
	dir := t.TempDir()
	key := succeeds(t, dir, "", "key")
	writeText(t, dir, "secret", key)
	writeText(t, dir, "keys", "ada\n")
	for _, args := range [][]string{
		{"build", "-o", "keys"}, {"build", "-o", "keys", "-"}, {"uniq", "--state", "keys"},
		{"build", "--key-file", "secret", "-o", "secret", "keys"}, {"uniq", "--key-file", "secret", "--state", "secret"},
		{"merge", "--key-file", "secret", "-o", "secret", "keys", "keys"},
	} {
		in, err := os.Open(filepath.Join(dir, "keys"))
		require.NoError(t, err)
		cmd := filterfam(t, dir, args...)
		cmd.Stdin = in
		r := finish(t, cmd)
		require.NoError(t, in.Close())
		require.Equal(t, failed, r.code, args)
		require.Contains(t, r.log, "is also an input", args)
		for name, want := range map[string]string{"keys": "ada\n", "secret": key} {
			got, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Equal(t, want, string(got), args)
		}
	}
}

// Damaged and truncated files are refused, and info says so.
func TestDamagedFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range kinds {
		whole := succeeds(t, dir, numbers(0, 100), "build", "--type", kind, "-o", "-")
		at := len(whole) / 2
		writeText(t, dir, "good", whole)
		require.Contains(t, succeeds(t, dir, "", "info", "good"), "checksum     right\n")
		for name, text := range map[string]string{
			"damaged": whole[:at] + string(whole[at]^1) + whole[at+1:], "cut": whole[:at], "longer": whole + "more", "header": whole[:30],
		} {
			writeText(t, dir, name, text)
			r := run(t, dir, "key 1\n", "query", name)
			require.Equal(t, failed, r.code, "%s %s", kind, name)
			require.Contains(t, r.log, name+": ")
			require.Equal(t, 1, strings.Count(r.log, "\n"))
			require.Equal(t, failed, run(t, dir, "", "info", name).code, "%s %s", kind, name)
		}
		require.Contains(t, run(t, dir, "", "info", "damaged").out, "checksum     wrong\n")
	}
	writeText(t, dir, "empty", "")
	require.Contains(t, run(t, dir, "", "query", "empty").log, "empty: is not a filter, or another structure that filterfam writes")
}

// The checksum of a file can be right although its contents cannot be decoded:
// here, a key seems to be longer than the file.
func TestChecksumsAreRightIfOnlyTheContentsAreWrong(t *testing.T) {
	dir := t.TempDir()
	whole := succeeds(t, dir, "ada\n", "build", "--type", "heavy", "-o", "-")
	at := strings.Index(whole, "\x03\x00\x00\x00ada")
	writeText(t, dir, "long", string(frametest.Set([]byte(whole), map[int]uint64{at: math.MaxUint64})))
	r := run(t, dir, "", "info", "long")
	require.Equal(t, failed, r.code)
	require.Contains(t, r.out, "checksum     right\n")
	require.Contains(t, r.out, "remark       the contents are invalid: ")
	require.Contains(t, r.out, "key length of record 0 of 1 4294967295")
	require.Contains(t, r.log, "long: the contents are invalid")
}

// A delta is not a structure of its own, but damage to it is found.
func TestDamagedDeltasAreFound(t *testing.T) {
	dir := t.TempDir()
	for _, fam := range []hashfam.Family{{}, hashfam.New(hashfam.Key{1})} {
		f := hashfam.Must(bloom.New(bloom.Config{Capacity: 100, FPRate: 0.01, Family: fam}))
		old := f.Clone()
		f.AddString("ada")
		delta := hashfam.Must(f.AppendDelta(nil, old))
		writeText(t, dir, "good", string(delta))
		require.Contains(t, succeeds(t, dir, "", "info", "good"), "checksum     right\n")
		delta[len(delta)-9] ^= 1
		writeText(t, dir, "damaged", string(delta))
		r := run(t, dir, "", "info", "damaged")
		require.Equal(t, failed, r.code)
		require.Contains(t, r.out, "checksum     wrong\n")
	}
}

// claim returns the header of a Bloom filter with this many bytes, and 1000
// bytes of it.
func claim(t testing.TB, size uint64) string {
	t.Helper()
	h := frame.Array{Kind: frame.Bloom, Cells: 8 * size, Hashes: 7}.Header(hashfam.Family{}.CheckValue())
	var b bytes.Buffer
	_, err := frame.Write(&b, h, func(yield func([]byte) bool) { yield(make([]byte, 1000)) })
	require.NoError(t, err)
	return b.String()
}

// A file or a pipe that claims to contain a large structure is refused without
// allocating it. More bytes follow in the pipe.
func TestFilesThatClaimTooMuchAreRefused(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []uint64{1 << 20, 1 << 44} {
		writeText(t, dir, "x", claim(t, size))
		for _, args := range [][]string{{"query", "x"}, {"merge", "-o", "y", "x", "x"}, {"uniq", "-n", "9", "--state", "x"}} {
			r := run(t, dir, "", args...)
			require.Equal(t, failed, r.code)
			require.Contains(t, r.log, "x: ")
			require.Contains(t, r.log, "corrupt encoding: ")
			require.Equal(t, 1, strings.Count(r.log, "\n"), r.log)
		}
		require.Equal(t, failed, run(t, dir, "", "info", "x").code)
		require.Contains(t, run(t, dir, "", "info", "x").out, "the file has 1072 bytes, but the structure needs ")
	}
	for _, args := range [][]string{{"query", "-", "x"}, {"merge", "-o", "y", "-", "x"}, {"info", "-"}} {
		r := run(t, dir, claim(t, 1<<44)+strings.Repeat("\x00", 1<<24), args...)
		require.Equal(t, result{"", r.log, failed}, r)
		require.Contains(t, r.log, "standard input: needs 32768.0 GiB of memory, but only ")
		require.Equal(t, 1, strings.Count(r.log, "\n"), r.log)
	}
}

// A line can be huge. The long form has one of a gigabyte, and one that is a
// byte too long.
func TestHugeLines(t *testing.T) {
	sizes := []int{64 << 20}
	if checks.Long(t, 1, 3) {
		sizes = []int{maxLine, maxLine + 1}
	}
	dir := t.TempDir()
	for _, size := range sizes {
		cmd := filterfam(t, dir, "build", "--type=bloom", "-n=10", "-o=huge")
		cmd.Stdin = io.MultiReader(strings.NewReader("ada\n"), io.LimitReader(xs{}, int64(size)), strings.NewReader("\ngrace\n"))
		r := finish(t, cmd)
		if size > maxLine {
			require.Equal(t, result{"", "filterfam build: standard input: line at byte 4 has more than 1073741824 bytes\n", failed}, r)
			continue
		}
		require.Equal(t, result{}, r)
		require.Equal(t, "ada\ngrace\n", succeeds(t, dir, "ada\ngrace\n", "query", "huge"))
	}
}

type xs struct{}

func (xs) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// After an interrupt, build and top leave nothing, and uniq the state of the
// lines that it has printed.
func TestInterruptsLeaveNothing(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("this system has no such signals")
	}
	dir := t.TempDir()
	many := numbers(0, 50_000) // more than a pipe holds, so they are written when the command reads them
	for _, args := range [][]string{{"build", "-o", "filter"}, {"top"}, {"uniq", "--state", "state"}} {
		cmd := filterfam(t, dir, args...)
		var log bytes.Buffer
		cmd.Stderr = &log
		in, out := begin(t, cmd)
		if args[0] == "uniq" { // it prints lines without waiting for more
			exchange(t, in, out, numbers(0, 3))
		} else {
			_, err := io.WriteString(in, many)
			require.NoError(t, err)
		}
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.Error(t, cmd.Wait())
		require.Equal(t, interrupted, cmd.ProcessState.ExitCode(), log.String())
		require.True(t, strings.HasSuffix(log.String(), "filterfam "+args[0]+": interrupted\n"), log.String())
	}
	require.Equal(t, []string{"state"}, namesIn(t, dir))
	require.Equal(t, "key 3\n", succeeds(t, dir, numbers(0, 4), "uniq", "--state", "state"))
}

// The examples of each help text run, and each text fits on a screen.
func TestExamplesOfTheHelpRun(t *testing.T) {
	examples := map[string]string{"": overviewExamples}
	for _, sub := range subcommands() {
		c := newCommand(sub)
		examples[c.Name()] = c.Example
		help := succeeds(t, t.TempDir(), "", "help", c.Name())
		require.Equal(t, help, succeeds(t, t.TempDir(), "", c.Name(), "-h"))
		require.True(t, strings.HasPrefix(help, c.Long+"\n"), help)
		require.NotEmpty(t, c.Short, c.Name())
	}
	require.Equal(t, succeeds(t, t.TempDir(), "", "help"), succeeds(t, t.TempDir(), "", "--help"))
	require.Contains(t, succeeds(t, t.TempDir(), "", "help", "help"), "filterfam help [SUBCOMMAND]")
	for name, commands := range examples {
		help := succeeds(t, t.TempDir(), "", strings.Fields("help "+name)...)
		require.Contains(t, help, commands)
		require.LessOrEqual(t, strings.Count(help, "\n"), 50, name)
		for line := range strings.Lines(help) {
			require.LessOrEqual(t, len(line), 110, line)
		}
		require.GreaterOrEqual(t, strings.Count(commands, "filterfam"), 2, name)
		dir := t.TempDir()
		writeText(t, dir, "words.txt", "ada\ngrace\n")
		succeeds(t, dir, "ada\ngrace\n", "build", "-o", "words.filter")
		r := shell(t, dir, "set -e\n"+commands)
		require.Equal(t, 0, r.code, "%s: %s", name, r.log)
	}
}

// shell runs a script in a folder, in which filterfam is a command.
func shell(t *testing.T, dir, script string) result {
	t.Helper()
	sh, err := exec.LookPath("bash") // some scripts set pipefail
	if err != nil {
		t.Skip("there is no shell")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "filterfam")); err != nil {
		t.Skip("this system has no links: ", err)
	}
	cmd := prepare(t, dir, sh, "-c", script)
	cmd.Env = append(cmd.Env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return finish(t, cmd)
}

// The documents show commands and what they print.
var blocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n\n```\n(.*?)^```$")

func TestCommandsInDocumentsPrintWhatIsShown(t *testing.T) {
	for name, least := range map[string]int{"docs/command.md": 17, "README.md": 1} {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		require.NoError(t, err)
		found := blocks.FindAllStringSubmatch(string(text), -1)
		require.GreaterOrEqual(t, len(found), least, name)
		require.Len(t, found, strings.Count(string(text), "```sh\n"), name)
		dir := t.TempDir()
		for _, b := range found {
			r := shell(t, dir, "set -e\n"+b[1])
			require.Equal(t, result{b[2], "", 0}, r, b[1])
		}
	}
}
