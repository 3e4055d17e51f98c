// Package frametest helps to test encoders and decoders. It damages and changes
// frames, corrects their checksums, compares them with golden files, and fuzzes
// decoders. It does not use package frame, but repeats the offsets in
// docs/format.md, so that tests notice a changed format.
package frametest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const magic = "\xf1fam"

// Offsets in a frame.
const (
	Kind     = 4
	Version  = 5
	paramLen = 6
	Payload  = 16 // the length of the payload
	Params   = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// HeaderLen returns the length of a frame's header.
func HeaderLen(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[paramLen:]))
	return (Params + p + 8 + 63) / 64 * 64
}

// Len returns the length of the first frame in b, or len(b) if the frame is
// longer.
func Len(b []byte) int {
	if len(b) >= Params {
		n := binary.LittleEndian.Uint64(b[Payload:])
		if size := uint64(HeaderLen(b)) + 8; n <= uint64(len(b)) && size+n <= uint64(len(b)) {
			return int(size + n)
		}
	}
	return len(b)
}

// Seal returns a copy of the first frame in b with correct checksums, so that a
// decoder will check the rest. Frames in the payload are corrected, too.
func Seal(b []byte) []byte {
	b = bytes.Clone(b[:Len(b)])
	for i := (len(b) - Params) &^ 7; i >= 0; i -= 8 { // inner frames come first
		if i > 0 && !bytes.HasPrefix(b[i:], []byte(magic)) {
			continue
		}
		f := b[i:][:Len(b[i:])]
		if header := HeaderLen(f); header+8 <= len(f) {
			for _, end := range []int{header - 8, len(f) - 8} {
				binary.LittleEndian.PutUint32(f[end:], crc32.Checksum(f[:end], castagnoli))
			}
		}
	}
	return b
}

// Set returns a copy of a frame with other words at some offsets and correct
// checksums.
func Set(b []byte, words map[int]uint64) []byte {
	b = bytes.Clone(b)
	for at, word := range words {
		binary.LittleEndian.PutUint64(b[at:], word)
	}
	return Seal(b)
}

// Damage calls do with damaged forms of the frame b: truncated to every shorter
// length, or with a single flipped bit. It flips every bit of the header, of
// the 8 bytes after it and of the last 16 bytes, but only one bit of each byte
// between them. A truncated frame has no capacity beyond its end, so a decoder
// that reads further panics.
func Damage(b []byte, do func(bad []byte)) {
	for i := range b {
		do(b[:i:i])
	}
	for i := range 8 * len(b) {
		at := i / 8
		bit := i % 8
		if at < HeaderLen(b)+8 || at >= len(b)-16 || bit == at%8 {
			bad := bytes.Clone(b)
			bad[at] ^= 1 << bit
			do(bad)
		}
	}
}

// Change returns a copy of the frame b with one to eight drawn changes and
// correct checksums. Many of the changes concern the header, but none changes
// the magic, the kind, the version or the check value. A change can also copy
// words from a second frame, another.
func Change(t *rapid.T, b, another []byte) []byte {
	b = bytes.Clone(b)
	for range rapid.IntRange(1, 8).Draw(t, "number of changes") {
		b = change(t, b, another)
	}
	return Seal(b)
}

func change(t *rapid.T, b, another []byte) []byte {
	last := len(b) / 8
	if rapid.Bool().Draw(t, "in the header") {
		last = min(last, HeaderLen(b)/8)
	}
	at := 8 * rapid.IntRange(Payload/8, last-1).Draw(t, "word")
	changes := []string{"write a number", "fill words", "add a number", "copy words", "resize", "length of the parameters"}
	switch w := b[at:]; rapid.SampledFrom(changes).Draw(t, "change") {
	case "write a number":
		size := 1 << rapid.IntRange(0, 3).Draw(t, "log of its bytes")
		number := binary.LittleEndian.AppendUint64(nil, drawNumber(t))
		copy(w[rapid.IntRange(0, 8/size-1).Draw(t, "place")*size:][:size], number)
	case "fill words":
		number := binary.LittleEndian.AppendUint64(nil, drawNumber(t))
		for words := rapid.IntRange(1, 40).Draw(t, "words"); words > 0 && len(w) >= 8; words-- {
			copy(w, number)
			w = w[8:]
		}
	case "add a number":
		binary.LittleEndian.PutUint64(w, binary.LittleEndian.Uint64(w)+drawNumber(t))
	case "copy words":
		from := b
		words := rapid.IntRange(1, 8).Draw(t, "words")
		if rapid.Bool().Draw(t, "of another frame") {
			from = another
		}
		from = from[min(len(from), 8*rapid.IntRange(Payload/8, last-1).Draw(t, "from word")):]
		copy(w[:min(len(w), 8*words)], from)
	case "resize":
		return resize(t, b, rapid.SampledFrom([]int{at, len(b)}).Draw(t, "place"))
	default:
		b[paramLen] = rapid.Byte().Draw(t, "length")
	}
	return b
}

// drawNumber draws a small number, which can be negative, a number near a power
// of two, or the largest number.
func drawNumber(t *rapid.T) uint64 {
	power := uint64(1) << rapid.IntRange(0, 63).Draw(t, "power")
	small := uint64(rapid.Int64Range(-128, 127).Draw(t, "number"))
	return rapid.SampledFrom([]uint64{power, power + 1, power - 1, small, math.MaxUint64}).Draw(t, "plus")
}

// resize inserts zero words at the offset i of the frame b, or deletes words
// before i. If the payload does not contain i, resize uses the nearest offset
// in the payload. resize also corrects the payload length.
func resize(t *rapid.T, b []byte, i int) []byte {
	start := HeaderLen(b)
	if start+8 > len(b) {
		return b
	}
	i = max(start, min(i, len(b)-8))
	if n := 8 * rapid.IntRange(-20, 20).Draw(t, "words more"); n > 0 {
		b = slices.Insert(b, i, make([]byte, n)...)
	} else {
		b = slices.Delete(b, max(start, i+n), i)
	}
	binary.LittleEndian.PutUint64(b[Payload:], uint64(len(b)-start-8))
	return b
}

// Update is true if golden files that do not exist yet should be written.
var Update = flag.Bool("update", false, "write new golden files, their sums, and the test vectors in docs")

// writeGolden writes new golden data.
const writeGolden = "bash .ci/golden"

// Golden compares a frame with the contents of testdata/name. With -update it
// creates the file if it does not exist.
func Golden(t rapid.TB, name string, b []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	want, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && *Update {
		want = b
		err = os.WriteFile(file, b, 0o644)
	}
	require.NoError(t, err, "the golden file is missing; to write it: %s", writeGolden)
	Equal(t, want, b, name+" differs: a changed encoding needs a new version")
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

// Fuzz fuzzes the function check with arbitrary bytes. Every run begins with
// the inputs in testdata/fuzz/NAME.txt, where NAME is the fuzz test's name.
// Each line contains an input in hexadecimal, or a comment that begins with #.
// When an input fails, add the digits in the message to this file.
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
