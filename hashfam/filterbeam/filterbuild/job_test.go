package main

import (
	"bytes"
	"fmt"
	"iter"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin"
)

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

// The command writes the same frame with each runner. Heavy hitters and a top k
// keep their guarantees. The long form has each structure and a million keys.
func TestTheFramesOfAllRunners(t *testing.T) {
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
			args := append(runner, "-structure="+structure, "-layout=blocked", "-n=1000000", "-windows=2", "-timeout=2m", "-force", "-o="+out, pattern)
			printed, log, code := process(t, args...)
			require.Zero(t, code, "%s", log)
			require.Contains(t, printed, fmt.Sprintf("%d lines of 8 files", n))
			text, err := os.ReadFile(out)
			require.NoError(t, err)
			return text
		}
		want := frame("-local")
		for _, runner := range [][]string{
			{"-runner=direct"}, {"-runner=prism"},
			{"-runner=universal", fmt.Sprintf("-endpoint=localhost:%d", port), "-environment_type=PROCESS"},
		} {
			requireSame(t, structure, want, frame(runner...))
		}
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// A counter is a structure that keeps keys.
type counter interface {
	UnmarshalBinary([]byte) error
	Total() uint64
	Complete() bool
	EstimateString(string) countmin.Estimate
	All() iter.Seq2[string, countmin.Estimate]
}

// requireSame checks that two frames are the same, or that those of structures
// that keep keys tell the same.
func requireSame(t *testing.T, structure string, want, got []byte) {
	t.Helper()
	var a, b counter
	switch structure {
	case "heavy":
		a, b = &countmin.HeavyHitters{}, &countmin.HeavyHitters{}
	case "topk":
		a, b = &countmin.TopK{}, &countmin.TopK{}
	default:
		require.True(t, bytes.Equal(want, got), structure)
		return
	}
	require.NoError(t, a.UnmarshalBinary(want))
	require.NoError(t, b.UnmarshalBinary(got))
	require.Equal(t, a.Total(), b.Total())
	require.True(t, b.Complete() || !a.Complete(), "a job with shards may know more than the loop")
	for key, one := range a.All() {
		other := b.EstimateString(key)
		require.True(t, one.Low <= other.High && other.Low <= one.High, "%s: %v and %v", key, one, other)
	}
}
