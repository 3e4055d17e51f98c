package conformance

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzBytes fuzzes a function of any bytes. The inputs that every run tries
// first, go test without -fuzz among them, are the lines of
// testdata/fuzz/NAME.txt, if there is such a file: bytes in hexadecimal digits.
// Empty lines and those that begin with # are comments.
//
// A failing input that go test -fuzz writes to a file of its own is added to
// the lines by hand: the digits are in the message of the failure.
func FuzzBytes(f *testing.F, check func(*testing.T, []byte)) {
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

// FuzzProgram runs any program.
func (s Suite[T]) FuzzProgram(f *testing.F) {
	FuzzBytes(f, func(t *testing.T, program []byte) { s.program(t, &Code{program}) })
}
