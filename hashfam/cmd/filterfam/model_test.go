package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// stored returns a text as programs store it, which must not matter.
func stored(t *rapid.T, text string) string {
	switch rapid.SampledFrom([]string{"plain", "gzip", "zstd", "mark"}).Draw(t, "stored") {
	case "gzip":
		return zipped(t, text)
	case "zstd":
		w, err := zstd.NewWriter(nil)
		require.NoError(t, err)
		return string(w.EncodeAll([]byte(text), nil))
	case "mark":
		return "\xef\xbb\xbf" + text
	}
	return text
}

// All subcommands treat lines of any bytes as exact models do.
func TestSubcommandsMatchModels(t *testing.T) {
	part := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r", "\x00", "a", "b", "\xff", "\xc3", " ", "ä", "\t"})
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		if round > 25 {
			return // a process takes milliseconds
		}
		dir := t.TempDir()
		text := "x" + strings.Join(rapid.SliceOfN(part, 0, 60).Draw(rt, "text"), "") + "\n"
		nul := rapid.Bool().Draw(rt, "zero bytes end lines")
		end := "\n"
		args := []string{}
		if nul {
			end = "\x00"
			args = append(args, "-0")
		}
		counts := map[string]uint64{}
		firsts := ""
		all := ""
		for line := range strings.SplitSeq(text, end) {
			if !nul {
				line = strings.TrimSuffix(line, "\r")
			}
			if line == "" {
				continue
			}
			counts[line]++
			all += line + end
			if counts[line] == 1 {
				firsts += line + end
			}
		}
		require.NoError(rt, os.WriteFile(filepath.Join(dir, "file"), []byte(stored(rt, text)), 0o600))
		with := func(words ...string) []string { return append(words, args...) }
		require.Equal(rt, firsts, succeeds(t, dir, "", with("uniq", "file")...))
		require.Equal(rt, fmt.Sprintln(len(counts)), succeeds(t, dir, "", with("count", "file")...))
		var want []string
		for line, n := range counts {
			want = append(want, fmt.Sprintf("%d\t%d\t%s", n, n, line))
		}
		got := strings.Split(succeeds(t, dir, "", with("top", "-k", "1000", "file")...), end)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(rt, want, got[1:])
		for _, kind := range kinds {
			succeeds(t, dir, "", with("build", "--type", kind, "-o", kind, "file")...)
			require.Equal(rt, all, succeeds(t, dir, "", with("query", kind, "file")...), kind)
		}
	})
}

// A process that is killed at any time, also while it saves, loses no line: it
// can only print lines again.
func TestKilledProcessesLoseNoLines(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("this system has no processes")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	const rounds, lines = 20, 500
	printed := map[string]bool{}
	for round := range rounds {
		cmd := filterfam(t, dir, "uniq", "-n", fmt.Sprint(rounds*lines), "--state", "state")
		cmd.Env = append(cmd.Env, impatient+"=1")
		var out bytes.Buffer
		cmd.Stdout = &out
		kill(t, cmd, numbers(0, (round+1)*lines), time.Duration(random.IntN(30))*time.Millisecond)
		text := out.String()
		for line := range strings.Lines(text[:strings.LastIndexByte(text, '\n')+1]) {
			printed[line] = true
		}
	}
	for line := range strings.Lines(succeeds(t, dir, numbers(0, rounds*lines), "uniq", "-n", fmt.Sprint(rounds*lines), "--state", "state")) {
		printed[line] = true
	}
	require.Len(t, printed, rounds*lines)
}

// kill runs a command, writes its input in pieces, and kills it after a time.
func kill(t *testing.T, cmd *exec.Cmd, input string, after time.Duration) {
	t.Helper()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Skip("this program cannot start itself: ", err)
	}
	time.AfterFunc(after, func() { cmd.Process.Kill() })
	for len(input) > 0 {
		n := min(len(input), 1000)
		if _, err := in.Write([]byte(input[:n])); err != nil {
			break
		}
		input = input[n:]
	}
	in.Close()
	cmd.Wait()
}
