package conform

import (
	"bufio"
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
	inputs, err := readInputs(filepath.Join("testdata", "fuzz", f.Name()+".txt"))
	require.NoError(f, err)
	for _, input := range inputs {
		f.Add(input)
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

// readInputs returns the inputs in a file, or none if it does not exist.
func readInputs(name string) (inputs [][]byte, err error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		input, err := hex.DecodeString(line)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	return inputs, lines.Err()
}
