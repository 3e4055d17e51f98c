package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// A filter to which lines were added is that of all lines.
func TestAddIsABuildOfAllLines(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"bloom", "counting", "cuckoo", "sketch", "heavy"} {
		args := []string{"build", "--type", kind, "-n", "300", "-o"}
		if kind == "sketch" || kind == "heavy" {
			args = []string{"build", "--type", kind, "-o"}
		}
		succeeds(t, dir, numbers(0, 300), append(args, "whole")...)
		succeeds(t, dir, numbers(0, 100), append(args, "part")...)
		writeText(t, dir, "more", numbers(100, 200))
		require.Empty(t, succeeds(t, dir, numbers(200, 300), "add", "part", "more", "-"))
		whole, err := os.ReadFile(filepath.Join(dir, "whole"))
		require.NoError(t, err)
		part, err := os.ReadFile(filepath.Join(dir, "part"))
		require.NoError(t, err)
		require.Equal(t, whole, part, kind)
	}
	succeeds(t, dir, "ada\n", "build", "-o", "static")
	require.Contains(t, fails(t, dir, "", "add", "static"), "static: is a static filter, to which no lines can be added")
	require.Contains(t, fails(t, dir, "", "delete", "static"), "static: is a static filter, from which no lines can be deleted")
	require.Contains(t, fails(t, dir, "", "add", "-"), "want the name of a filter")
	require.Contains(t, fails(t, dir, "", "delete"), "want the name of a filter")
}

// add and delete do what a multiset does. The filters are so exact that other
// lines are never found.
func TestAddAndDeleteMatchAMultiset(t *testing.T) {
	words := rapid.SampledFrom([]string{"ada", "grace", "edsger", "alan"})
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		if round > 10 {
			return // a process takes milliseconds
		}
		dir := t.TempDir()
		kind := rapid.SampledFrom([]string{"counting", "cuckoo"}).Draw(rt, "kind")
		succeeds(t, dir, "", "build", "--force", "--type", kind, "-n", "100", "--fpr", "1e-9", "-o", "f")
		in := map[string]int{}
		for range 4 {
			lines := rapid.SliceOfN(words, 0, 4).Draw(rt, "lines")
			text := strings.Join(append(lines, ""), "\n")
			if rapid.Bool().Draw(rt, "add") {
				succeeds(t, dir, text, "add", "f")
				for _, line := range lines {
					in[line]++
					if kind == "cuckoo" {
						in[line] = 1
					}
				}
				continue
			}
			absent := 0
			for _, line := range lines {
				if in[line] == 0 {
					absent++
				}
				in[line] = max(in[line]-1, 0)
			}
			log := ""
			if absent > 0 {
				log = fmt.Sprintf("filterfam delete: %d of %d lines were not in the filter, and were not deleted\n", absent, len(lines))
			}
			require.Equal(rt, result{"", log, 0}, run(t, dir, text, "delete", "f"))
		}
		for line, n := range in {
			want := result{"", "", nothingFound}
			if n > 0 {
				want = result{fmt.Sprintf("%d\t%s\n", n, line), "", 0}
			}
			require.Equal(rt, want, run(t, dir, line, "query", "--counts", "f"))
		}
	})
}

// Deletes from a counting filter lose no other line, and those from a cuckoo
// filter lose a smaller fraction of them than its rate. The lines are always
// the same, so this does not depend on chance.
func TestDeletesLoseFewOtherLines(t *testing.T) {
	dir := t.TempDir()
	for kind, most := range map[string]int{"counting": 0, "cuckoo": 300} {
		succeeds(t, dir, numbers(0, 6000), "build", "--type", kind, "--fpr", "10%", "-n", "6000", "-o", "f")
		run(t, dir, numbers(0, 3000), "delete", "f")
		text := strings.TrimSpace(succeeds(t, dir, numbers(3000, 6000), "query", "-c", "f"))
		found, err := strconv.Atoi(text)
		require.NoError(t, err)
		require.GreaterOrEqual(t, found, 3000-most, kind)
	}
}

// The highest rate that add allows depends on the number of hashes. A blocked
// filter for many lines has fewer, so it may have a higher rate. One for 10
// lines has a single block, and more hashes.
func TestCommandDocumentShowsTheLimitOfAdd(t *testing.T) {
	hashes := func(lines uint64, rate float64, layout bloom.Layout) int {
		p, err := bloom.Config{Capacity: lines, FPRate: rate, Layout: layout}.Params()
		require.NoError(t, err)
		return p.Hashes
	}
	least, most := math.Inf(1), 0.0
	for rate := 0.25; rate > 1e-9; rate *= 0.99 {
		for _, lines := range []uint64{1000, 10_000, 1_000_000} {
			classic := hashes(lines, rate, bloom.Classic)
			factor := allowedRate(classic) / rate
			least, most = min(least, factor), max(most, factor)
			counts, err := counting.Config{Capacity: lines, FPRate: rate}.Params()
			require.NoError(t, err)
			require.Equal(t, classic, counts.Hashes)
		}
		require.LessOrEqual(t, hashes(1e6, rate, bloom.Blocked), hashes(1e6, rate, bloom.Classic))
	}
	require.Greater(t, allowedRate(hashes(1e6, 1e-6, bloom.Blocked)), most*1e-6)
	require.Less(t, allowedRate(hashes(10, 0.01, bloom.Blocked)), least*0.01)
	checks.Documented(t, "command.md", "With the default layout, an `-n` of at least 1,000 and an `--fpr` of at most 25%%, this is %.1f to %.1f times `--fpr`", least, most)
}

// Before merge reads a further structure, it makes sure that there is memory for
// that structure and for joinBytes.
func TestMergeCountsTheMemoryOfJoin(t *testing.T) {
	for _, create := range []func() structure{
		func() structure { return hashfam.Must(bloom.New(bloom.Config{Capacity: 1e6, FPRate: 0.01})) },
		func() structure { return hashfam.Must(counting.New(counting.Config{Capacity: 1e6, FPRate: 0.01})) },
		func() structure { return hashfam.Must(cuckoo.New(cuckoo.Config{Capacity: 1e6, FPRate: 0.01})) },
		func() structure { return hashfam.Must(countmin.New(countmin.Config{Epsilon: 1e-5, Delta: 0.01})) },
	} {
		whole, part := create(), create()
		took := checks.LeastAllocated(3, func() { require.NoError(t, join(whole, part)) })
		require.LessOrEqual(t, whole.SizeBytes()+took, joinBytes(whole)+16_384, "%v", whole)
	}
}

// Hours that top has written are merged to a day, which top prints.
func TestTopOfHoursIsThatOfTheDay(t *testing.T) {
	dir := t.TempDir()
	day := ""
	for hour := range 3 {
		lines := strings.Repeat("ada\n", 10+hour) + strings.Repeat("grace\n", 20) + numbers(10*hour, 10*hour+5)
		day += lines
		require.Empty(t, succeeds(t, dir, lines, "top", "--phi", "10%", "-o", fmt.Sprint("hour", hour)))
	}
	want := succeeds(t, dir, day, "top", "--phi", "0.1")
	require.Equal(t, "60\t60\tgrace\n33\t33\tada\n", want)
	require.Equal(t, want, succeeds(t, dir, "", "top", "hour0", "hour1", "hour2"))
	succeeds(t, dir, "", "merge", "-o", "day", "hour0", "hour1", "hour2")
	require.Equal(t, want, succeeds(t, dir, "", "top", "day"))
	require.Equal(t, "60\t60\tgrace\n", succeeds(t, dir, "", "top", "-k1", "day"))
	succeeds(t, dir, day, "build", "--type", "heavy", "--phi", "0.1", "-o", "built")
	require.Equal(t, want, succeeds(t, dir, "", "top", "built"))
	succeeds(t, dir, "ada\n", "build", "-o", "static")
	require.Contains(t, fails(t, dir, "", "top", "static"), "static: is a static filter, want heavy hitters or lines")
	require.Contains(t, fails(t, dir, "", "top", "--phi", "0.1", "day"), "--phi, --memory and --every cannot be used with the structure in day")
	require.Contains(t, fails(t, dir, "", "build", "--type", "heavy", "-n", "7", "-o", "x"), "-n cannot be used with --type heavy")
}

// Weighted lines count as often as their field says.
func TestWeights(t *testing.T) {
	dir := t.TempDir()
	uniqC := "      3 ada\n      1 grace hopper\n     20 alan\n"
	weighted := []string{"--weight-field", "1", "-f", "2-"}
	require.Equal(t, "20\t20\talan\n3\t3\tada\n1\t1\tgrace hopper\n", succeeds(t, dir, uniqC, append([]string{"top"}, weighted...)...))
	succeeds(t, dir, "0123:7\n4567:1\n", "build", "--type", "sketch", "--weight-field=2", "-d:", "-f1", "-o", "sketch")
	require.Equal(t, "7\t0123\n1\t4567\n", succeeds(t, dir, "0123\n4567\n89ab\n", "query", "--counts", "sketch"))
	succeeds(t, dir, "0123:5\n", "add", "--weight-field=2", "-d:", "-f1", "sketch")
	require.Equal(t, "12\t0123\n", succeeds(t, dir, "0123\n", "query", "--counts", "sketch"))
	require.Equal(t, "20\t20\talan\n3\t3\tada\n1\t1\tgrace hopper\n", succeeds(t, dir, uniqC, "top", "--weight-field", "1"))
	require.Contains(t, fails(t, dir, "", "top", "--weight-field", "0"), "--weight-field 0, want the number of a field from 1")
	require.Contains(t, fails(t, dir, "", "build", "-o", "x", "--weight-field", "1", "-f2"), "--weight-field cannot be used with --type static")
}
