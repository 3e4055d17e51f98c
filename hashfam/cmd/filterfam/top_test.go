package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The bound for lines that are missing holds, also for lines that are tracked
// but not among the first.
func TestMissingLinesOccurAtMostAsOftenAsTopSays(t *testing.T) {
	dir := t.TempDir()
	text := numbers(0, 3000) + strings.Repeat("a\nb\n", 50)
	r := run(t, dir, text, "top", "-k", "1")
	require.Regexp(t, `^$|^filterfam top: the list may be incomplete: a line that is missing occurs at most 5\d times`, r.log)
	for round := range 20 {
		counts := map[string]int{}
		text := ""
		for i := range 400 {
			line := fmt.Sprint("line", i*i%(round*7+11))
			counts[line]++
			text += line + "\n"
		}
		for _, args := range [][]string{{"-k", "3"}, {"-k", "3", "--memory", "1K"}, {"--phi", "0.05", "--memory", "1K"}} {
			r := run(t, dir, text, append([]string{"top"}, args...)...)
			require.Equal(t, 0, r.code)
			missing := maps.Clone(counts)
			for line := range strings.Lines(r.out) {
				fields := strings.Split(strings.TrimSpace(line), "\t")
				low, _ := strconv.Atoi(fields[0])
				high, _ := strconv.Atoi(fields[1])
				require.LessOrEqual(t, low, counts[fields[2]])
				require.GreaterOrEqual(t, high, counts[fields[2]])
				delete(missing, fields[2])
			}
			_, after, incomplete := strings.Cut(r.log, "occurs at most ")
			if !incomplete {
				continue
			}
			var bound int
			_, err := fmt.Sscan(after, &bound)
			require.NoError(t, err)
			for _, n := range missing {
				require.LessOrEqual(t, n, bound, r.log)
			}
		}
	}
}

// After an interrupt, the list of the lines so far is printed.
func TestTopPrintsTheListAtAnInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("this system has no such signals")
	}
	cmd := filterfam(t, t.TempDir(), "top", "-k", "1")
	in, out := begin(t, cmd)
	_, err := io.WriteString(in, strings.Repeat("ada\n", 500_000)) // more than a pipe holds
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	text, err := io.ReadAll(out)
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	require.Equal(t, interrupted, cmd.ProcessState.ExitCode())
	require.Regexp(t, `^(\d+)\t\d+\tada\n$`, string(text))
}

// With --every, the list is printed while the stream goes on, and an empty line
// ends each list but the last.
func TestTopPrintsTheListAgainAndAgain(t *testing.T) {
	cmd := filterfam(t, t.TempDir(), "top", "-k", "1", "--every", "10ms")
	in, out := begin(t, cmd)
	_, err := io.WriteString(in, "ada\n")
	require.NoError(t, err)
	lines := bufio.NewScanner(out)
	for _, want := range []string{"1\t1\tada", "2\t2\tada"} {
		for lines.Scan() && lines.Text() != want {
			require.Contains(t, []string{"", "1\t1\tada"}, lines.Text())
		}
		_, err := io.WriteString(in, "ada\n")
		require.NoError(t, err)
		require.True(t, lines.Scan())
		require.Empty(t, lines.Text())
	}
	time.Sleep(time.Millisecond)
	require.NoError(t, in.Close())
	var rest []string
	for lines.Scan() {
		rest = append(rest, lines.Text())
	}
	require.NoError(t, cmd.Wait())
	require.Equal(t, "3\t3\tada", rest[len(rest)-1])
	require.False(t, slices.Contains(rest, "4\t4\tada"))
}

// The last list is whole, also if the input ends while another list is printed.
func TestTheLastListOfTopIsWhole(t *testing.T) {
	var input, want strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&input, "line %04d\n", i)
		fmt.Fprintf(&want, "1\t1\tline %04d\n", i)
	}
	for range 20 {
		printed := succeeds(t, t.TempDir(), input.String(), "top", "-k", "2000", "--every", "1us")
		before, whole := strings.CutSuffix(printed, want.String())
		require.True(t, whole)
		require.True(t, before == "" || strings.HasSuffix(before, "\n"))
	}
}
