package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The lines of absent lists are never found, all lines of the list are, and few
// others.
func TestAbsentLinesAreNotFound(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "list", numbers(0, 1000))
	writeText(t, dir, "absent1", numbers(1000, 3000))
	writeText(t, dir, "absent2", strings.ReplaceAll(numbers(2000, 9000), "\n", "\r\n"))
	for _, rate := range []string{"0.5", "10%", "0.01"} {
		succeeds(t, dir, "", "build", "--fpr", rate, "--absent", "absent1", "--absent=absent2", "-o", "f", "list")
		require.Equal(t, "1000\n", succeeds(t, dir, "", "query", "-c", "f", "list"))
		require.Equal(t, nothingFound, run(t, dir, "", "query", "-q", "f", "absent1", "absent2").code)
		require.Contains(t, succeeds(t, dir, "", "info", "f"), "keys         1000\nabsent keys  8000\n")
	}
	n := strings.Count(run(t, dir, numbers(9000, 19_000), "query", "f").out, "\n")
	require.InDelta(t, 100, n, 60) // at 1%, six standard deviations
	require.Contains(t, fails(t, dir, "", "build", "--type", "bloom", "--absent", "list", "-o", "x", "list"), "--absent cannot be used with --type bloom")
	require.Contains(t, fails(t, dir, "", "build", "--absent", "absent1", "-o", "./absent1", "list"), "-o ./absent1: is also an input")
	require.Contains(t, fails(t, dir, "", "build", "--absent", "list", "-o", "x"), "has no lines")
}

// A line in both lists is an error that names it and both places.
func TestLinesInBothListsAreErrors(t *testing.T) {
	dir := t.TempDir()
	writeText(t, dir, "list", "\n"+numbers(0, 1000))
	writeText(t, dir, "other", numbers(2000, 3000))
	for _, n := range []int{0, 1, 999} {
		args := []string{"build", "-f2-", "-d ", "-o", "f", "--absent", "other", "--absent", "absent"}
		want := fmt.Sprintf("%q is also in absent:3, so it would have to be found and not to be found\n", fmt.Sprint("key ", n))
		writeText(t, dir, "absent", fmt.Sprintf("\n\nx %d\n", n))
		require.Equal(t, fmt.Sprintf("filterfam build: list:%d: ", n+2)+want, fails(t, dir, "", append(args, "list")...))
		require.Equal(t, "filterfam build: standard input: "+want, fails(t, dir, numbers(0, 1000), args...))
	}
}
