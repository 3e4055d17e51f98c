package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// fails runs filterfam and returns the line on standard error.
func fails(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	r := run(t, dir, input, args...)
	require.Equal(t, failed, r.code, args)
	require.Equal(t, 1, strings.Count(r.log, "\n"), r.log)
	return r.log
}

// A week of days that were each built with the -n of a day has a useless rate.
// The -n that the error names is right.
func TestMergesWithUselessRatesAreRefused(t *testing.T) {
	for _, kind := range []string{"bloom", "counting", "cuckoo"} {
		dir := t.TempDir()
		build := func(n string) (days []string) {
			for day := range 7 {
				name := fmt.Sprint("day", day)
				succeeds(t, dir, numbers(1000*day, 1000*day+1000), "build", "--type", kind, "-n", n, "-o", name)
				days = append(days, name)
			}
			return days
		}
		log := fails(t, dir, "", append([]string{"merge", "-o", "week"}, build("1000")...)...)
		require.NoFileExists(t, filepath.Join(dir, "week"))
		if kind != "cuckoo" {
			require.Contains(t, log, "the rate is ")
			require.Equal(t, 0, run(t, dir, "", append([]string{"merge", "--force", "-o", "week"}, build("1000")...)...).code)
			require.FileExists(t, filepath.Join(dir, "week"))
		}
		named := regexp.MustCompile(`want -n (\d+)`).FindStringSubmatch(log)
		require.NotNil(t, named, log)
		n, err := strconv.Atoi(named[1])
		require.NoError(t, err)
		if kind != "cuckoo" { // whose error comes before all days have been read
			require.InDelta(t, 7000, n, 300, log)
		}
		succeeds(t, dir, "", append([]string{"merge", "-o", "week"}, build("7000")...)...)
		require.Equal(t, "7000\n", succeeds(t, dir, numbers(0, 7000), "query", "-c", "week"))
	}
}

// add refuses what merge refuses, and the file stays.
func TestAddRefusesUselessRates(t *testing.T) {
	for _, kind := range []string{"bloom", "counting", "cuckoo"} {
		dir := t.TempDir()
		succeeds(t, dir, numbers(0, 100), "build", "--type", kind, "-n", "100", "-o", "f")
		before, err := os.ReadFile(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.Contains(t, fails(t, dir, numbers(100, 500), "add", "f"), "filterfam add: f: ")
		after, err := os.ReadFile(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.Equal(t, before, after)
		if kind != "cuckoo" {
			require.Equal(t, 0, run(t, dir, numbers(100, 500), "add", "--force", "f").code)
			require.Equal(t, "500\n", succeeds(t, dir, numbers(0, 500), "query", "-c", "f"))
		}
	}
}

// A memory in which the filter finds most lines is an error that names what
// would do.
func TestMemoryThatIsTooSmallIsRefused(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "keys", numbers(0, 1000))
	for kind, sizes := range map[string][2]string{"static": {"100", "350"}, "bloom": {"100", "400"}, "counting": {"400", "1600"}} {
		for _, args := range [][]string{{"--memory", sizes[0]}, {"--memory", sizes[0], "-n", "10"}} {
			if kind == "static" {
				args = args[:2]
			}
			args = append([]string{"build", "--type", kind, "-o", "f", "keys"}, args...)
			log := fails(t, dir, "", args...)
			require.Contains(t, log, "--memory "+sizes[0]+" is too small for 1000 lines: the rate is ")
			require.NoFileExists(t, filepath.Join(dir, "f"))
			named := regexp.MustCompile(`; --memory (\d+) has 1%`).FindStringSubmatch(log)
			require.NotNil(t, named, log)
			succeeds(t, dir, "", "build", "--type", kind, "-o", "f", "keys", "--memory", named[1])
			require.Equal(t, 0, run(t, dir, "", append(args, "--force")...).code)
			require.NoError(t, os.Remove(filepath.Join(dir, "f")))
		}
		r := run(t, dir, "", "build", "--type", kind, "--memory", sizes[1], "-o", "f", "keys")
		require.Equal(t, 0, r.code, r.log)
		require.Contains(t, r.log, "--memory "+sizes[1]+" is too small for 1000 lines: the rate is ")
		require.NoError(t, os.Remove(filepath.Join(dir, "f")))
	}
}

// With the right -n, no list is refused because its keys happen to fill a small
// filter more than others.
func TestTheRightNumberOfLinesIsEnough(t *testing.T) {
	c := newCommand(build)
	for _, kind := range []string{"bloom", "counting", "cuckoo"} {
		for _, n := range []uint64{1, 2, 3, 5, 17, 300} {
			for _, rate := range []float64{0.1, 0.01, 1e-6} {
				refused := 0
				for list := range uint64(200) {
					f := &buildFlags{kind: kind, rate: 0.01}
					made := filledWith(t, kind, n, rate, list)
					f.rate.Set(fmt.Sprint(rate))
					if c.checkFilled(f, made, n) != nil {
						refused++
					}
				}
				require.Zero(t, refused, "%s for %d keys at %g", kind, n, rate)
			}
		}
	}
	succeeds(t, t.TempDir(), "a62\nb62\nc62\n", "build", "--type", "bloom", "-n", "3", "-o", "f")
}

// A filter contains at least as many keys as leastLen says. Otherwise, uniq
// would refuse lines for which its state has room. For 2,000 filters, the
// chance that a correct program fails is below 1e-6.
func TestFiltersContainMoreKeysThanTheLeast(t *testing.T) {
	for n := range uint64(20) {
		for list := range uint64(100) {
			f := filledWith(t, "bloom", n+1, 1e-6, list)
			require.LessOrEqual(t, leastLen(f), n+1)
		}
	}
	f := filledWith(t, "counting", 1000, 0.01, 1)
	require.Greater(t, leastLen(f), uint64(800))
}

// filledWith returns a filter for n keys that contains n keys of a list.
func filledWith(t *testing.T, kind string, n uint64, rate float64, list uint64) structure {
	t.Helper()
	var digests []hashfam.Digest
	for key := range n {
		digests = append(digests, hashfam.Family{}.SumUint64(list<<32|key))
	}
	switch kind {
	case "bloom":
		f := hashfam.Must(bloom.New(bloom.Config{Capacity: n, FPRate: rate, Layout: bloom.Blocked}))
		f.AddAll(digests)
		return f
	case "counting":
		f := hashfam.Must(counting.New(counting.Config{Capacity: n, FPRate: rate}))
		f.AddAll(digests)
		return f
	}
	f := hashfam.Must(cuckoo.New(cuckoo.Config{Capacity: n, FPRate: rate}))
	_, err := f.AddAll(digests)
	require.NoError(t, err)
	return f
}

// Exactly -n lines can be printed, also in several runs, and old lines never
// fail.
func TestUniqPrintsTheNumberOfLinesThatItIsFor(t *testing.T) {
	dir := t.TempDir()
	for n := 1; n <= 20; n++ {
		os.Remove(filepath.Join(dir, "state"))
		all := numbers(100*n, 101*n)
		require.Equal(t, all, succeeds(t, dir, all, "uniq", "-n", fmt.Sprint(n)))
		args := []string{"uniq", "--state", "state", "-n", fmt.Sprint(n)}
		require.Equal(t, numbers(100*n, 100*n+n/2), succeeds(t, dir, numbers(100*n, 100*n+n/2), args...))
		require.Equal(t, numbers(100*n+n/2, 101*n), succeeds(t, dir, all, args...))
		require.Empty(t, succeeds(t, dir, all, args...))
	}
}

// A download that failed does not replace yesterday's list.
func TestEmptyInputsReplaceNothing(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "old", "old")
	for _, args := range [][]string{
		{"build", "-o", "old"}, {"build", "--type", "bloom", "-n", "9", "-o", "old"}, {"build", "--type", "sketch", "-o", "old"},
		{"build", "--type", "heavy", "-o", "old"}, {"top", "-o", "old"}, {"build", "-o", "-"},
	} {
		require.Contains(t, fails(t, dir, "\n\n", args...), "has no lines", args)
		data, err := os.ReadFile(filepath.Join(dir, "old"))
		require.NoError(t, err)
		require.Equal(t, "old", string(data))
	}
	require.Contains(t, fails(t, dir, "a,b\n", "build", "-d,", "-f3", "-o", "old"), "has no lines with such fields")
	require.Contains(t, fails(t, dir, "0 a\n", "top", "--weight-field", "1", "-o", "old"), "has no lines with such fields")
	succeeds(t, dir, "", "build", "--force", "-o", "old")
}

// Structures are not read as lines.
func TestStructuresAreNotLines(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "lines", "ada\n")
	for _, kind := range kinds {
		succeeds(t, dir, "ada\n", "build", "--type", kind, "-o", "f")
		for _, args := range [][]string{
			{"build", "-o", "x", "f", "lines"}, {"build", "--type", "bloom", "-o", "x", "f"}, {"query", "f", "f"}, {"uniq", "f"},
			{"top", "lines", "f"}, {"count", "f"}, {"add", "f", "./f"},
		} {
			log := fails(t, dir, "", args...)
			require.Regexp(t, "f: (is|begins|-o).*|f: is also an input", log, args)
			require.NoFileExists(t, filepath.Join(dir, "x"))
		}
	}
	require.Contains(t, fails(t, dir, "", "build", "-o", "x", "f"), "use filterfam merge")
}

// No subcommand reads what it prints.
func TestNoSubcommandReadsItsOutput(t *testing.T) {
	dir := t.TempDir()
	succeeds(t, dir, "a\nb\n", "build", "--type", "bloom", "-o", "filter")
	writeText(t, dir, "keys", "a\nb")
	for _, args := range [][]string{
		{"uniq", "keys"}, {"top", "keys"}, {"query", "filter", "keys"}, {"build", "-o", "-", "keys"}, {"build", "--type", "bloom", "-o", "-", "keys"},
		{"merge", "-o", "-", "filter", "keys"}, {"count", "keys"}, {"info", "filter", "keys"},
	} {
		out, err := os.OpenFile(filepath.Join(dir, "keys"), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		cmd := filterfam(t, dir, args...)
		cmd.Stdout = out
		var log strings.Builder
		cmd.Stderr = &log
		require.Error(t, cmd.Run(), args)
		require.NoError(t, out.Close())
		require.Contains(t, log.String(), "keys: is also the output", args)
		data, err := os.ReadFile(filepath.Join(dir, "keys"))
		require.NoError(t, errors.Join(err))
		require.Equal(t, "a\nb", string(data), args)
	}
}
