package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// The number of different lines is exact up to the number of digests that are
// kept, however often they are repeated.
func TestCountsOfFewLinesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(64, 80).Draw(t, "k")
		l := newLeast(k)
		different := map[hashfam.Digest]bool{}
		for _, key := range rapid.SliceOfN(rapid.Uint64Range(1, 70), 0, 500).Draw(t, "keys") {
			d := hashfam.Family{}.SumUint64(key)
			different[d] = true
			l.add([]hashfam.Digest{d})
		}
		n, deviation := l.count()
		if len(different) <= k {
			require.Equal(t, float64(len(different)), n)
			require.Zero(t, deviation)
		} else {
			require.Greater(t, deviation, 0.0)
		}
	})
}

// Estimates have the deviation that is printed. For 100 sets, the mean square
// of their deviations has a chance below 1e-6 to be above 1.9 or below 0.45.
func TestCountsOfManyLinesAreEstimates(t *testing.T) {
	const keys = 20_000
	sum := 0.0
	for set := range uint64(100) {
		l := newLeast(500)
		for key := range uint64(keys) {
			d := []hashfam.Digest{hashfam.Family{}.SumUint64(set<<32 | key)}
			l.add(d)
			l.add(d)
		}
		n, deviation := l.count()
		sum += math.Pow((n/keys-1)/deviation, 2)
	}
	require.Less(t, sum/100, 1.9)
	require.Greater(t, sum/100, 0.45)
}

func TestCommandDocumentShowsTheErrorOfCount(t *testing.T) {
	l := newLeast(32 << 20 / 16) // without --memory
	l.full = true
	_, deviation := l.count()
	checks.Documented(t, "command.md", "Without `--memory`, it is off by less than %.2g%% with a probability of 95%%", 196*deviation)
	checks.Documented(t, "command.md", "The number is exact up to two million different lines")
	require.GreaterOrEqual(t, l.k, 2_000_000)
}

func TestCountPrintsTheNumberOfDifferentLines(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, "0\n", succeeds(t, dir, "", "count"))
	require.Equal(t, "3\n", succeeds(t, dir, "a\nb\na\nc", "count"))
	require.Equal(t, "2\n", succeeds(t, dir, "a 1\nA 2\nc 2", "count", "-i", "-f1"))
	r := run(t, dir, numbers(0, 10_000), "count", "--memory", "64K")
	require.Equal(t, 0, r.code)
	require.Contains(t, r.log, "filterfam count: this is an estimate; it is off by less than 3.1% with a probability of 95%")
	require.Contains(t, fails(t, dir, "", "count", "--memory", "1"), "--memory 1, want 1K to 64G")
}
