package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Fuzz fuzzes a property: the input is what it draws from. Rapid skips a test
// when the input ends, and most inputs of a fuzzer are short. So random bytes
// follow the input, which depend on its beginning.
func Fuzz(f *testing.F, property func(*rapid.T)) {
	run := rapid.MakeFuzz(property)
	FuzzBytes(f, func(t *testing.T, input []byte) { run(t, extended(input)) })
}

// extended returns the input, filled up to whole words, and 32 KiB more.
func extended(input []byte) []byte {
	b := append(slices.Clip(input), make([]byte, -len(input)&7)...)
	r := rand.NewPCG(16, 0)
	if len(b) > 0 {
		r.Seed(16, binary.LittleEndian.Uint64(b))
	}
	for range 4096 {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return b
}

// FuzzBytes fuzzes a function of any bytes. If the environment variable
// FILTERFAM_COVERAGE names a file, it appends a line for each input: the name
// of the test, and the share of the code that it and the inputs before it have
// covered. So internal/corpus finds the inputs to keep.
func FuzzBytes(f *testing.F, check func(*testing.T, []byte)) {
	name := os.Getenv("FILTERFAM_COVERAGE")
	if name == "" {
		f.Fuzz(check)
		return
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		defer report(t, name) // also if rapid skips the rest because the input ends
		check(t, input)
	})
}

// report appends the coverage of all inputs so far to a file.
func report(t *testing.T, name string) {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	_, err = fmt.Fprintln(file, t.Name(), testing.Coverage())
	require.NoError(t, err)
	require.NoError(t, file.Close())
}
