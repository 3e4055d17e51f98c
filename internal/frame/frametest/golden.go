package frametest

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Update is true if golden files that do not exist yet should be written.
var Update = flag.Bool("update", false, "write new golden files, and the test vectors of docs/format.md")

// Golden compares a frame with the contents of testdata/name. With -update it
// creates the file if it does not exist.
func Golden(t rapid.TB, name string, b []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	want, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && *Update {
		want, err = b, os.WriteFile(file, b, 0o644)
	}
	require.NoError(t, err)
	Equal(t, want, b, name)
}

// Equal is like require.Equal, but does not print the bytes.
func Equal(t rapid.TB, want, got []byte, message string) {
	if bytes.Equal(want, got) {
		return
	}
	t.Helper()
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	t.Fatalf("%s: %d and %d bytes, different from byte %d on", message, len(want), len(got), i)
}

// Fuzz fuzzes a function using arbitrary bytes. Every run begins with the lines
// in testdata/fuzz/NAME.txt: bytes in hexadecimal, or comments after a #. When
// an input fails, the message contains its digits, which should be added to
// this file.
func Fuzz(f *testing.F, check func(*testing.T, []byte)) {
	text, err := os.ReadFile(filepath.Join("testdata", "fuzz", f.Name()+".txt"))
	require.True(f, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			input, err := hex.DecodeString(line)
			require.NoError(f, err)
			f.Add(input)
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		defer func() {
			if t.Failed() {
				t.Logf("the input is %x", input)
			}
		}()
		check(t, input)
	})
}
