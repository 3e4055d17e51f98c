package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file of inputs is what the fuzzer writes; only sizes matter here.
func TestTheSmallestInputsComeFirst(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	large := make([]byte, mostBytes+1)
	require.NoError(t, write(a, [][]byte{[]byte("long"), large, []byte("c")}, func(i int, _ []byte) string { return string(rune('x' + i)) }))
	require.NoError(t, write(b, [][]byte{[]byte("b"), []byte("long")}, func(i int, _ []byte) string { return string(rune('x' + i)) }))
	require.Equal(t, [][]byte{[]byte("b"), []byte("c"), []byte("long")}, read(a, b, "no such folder"))
}

func TestAnInputStaysIfItCoversMore(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report")
	lines := "FuzzX/seed#0 0.25\nFuzzX/000000 0.25\nFuzzX/000001 0.5\nFuzzX/000002 0.5\nFuzzX/000003 0.75\n"
	require.NoError(t, os.WriteFile(report, []byte(lines), 0o644))
	inputs := [][]byte{[]byte("0"), []byte("1"), []byte("2"), []byte("3")}
	chosen, err := better(report, "FuzzX", inputs)
	require.NoError(t, err)
	require.Equal(t, [][]byte{inputs[1], inputs[3]}, chosen)
}
