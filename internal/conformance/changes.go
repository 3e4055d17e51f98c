package conformance

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const magic = "\xf1fam"

// The offsets of some fields in a frame, as in docs/format.md.
const (
	offsetKind     = 4
	offsetVersion  = 5
	offsetParamLen = 6
	offsetPayload  = 16
	offsetParams   = 24
)

// otherKind returns a kind of structure that exists and is not the frame's.
func otherKind(frame []byte) byte { return frame[offsetKind]%2 + 1 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headerBytes returns the length of the header of a frame.
func headerBytes(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[offsetParamLen:]))
	return (offsetParams + p + 8 + 63) / 64 * 64
}

// Reseal corrects both checksums of b if b is long enough to be a frame, so
// that a decoder goes on to check the rest. Before that it does so for frames
// within its payload.
func Reseal(b []byte) {
	if len(b) < offsetParams {
		return
	}
	if p := binary.LittleEndian.Uint16(b[offsetParamLen:]); p > 256 || headerBytes(b)+8 > len(b) {
		return
	}
	resealNested(b[headerBytes(b) : len(b)-8])
	for _, end := range []int{headerBytes(b) - 8, len(b) - 8} {
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
	}
}

// resealNested reseals the frames that begin at a multiple of 8 in payload.
func resealNested(payload []byte) {
	for ; len(payload) > offsetParams; payload = payload[8:] {
		if !bytes.HasPrefix(payload, []byte(magic)) {
			continue
		}
		length := binary.LittleEndian.Uint64(payload[offsetPayload:])
		size := uint64(headerBytes(payload)) + 8
		if length <= uint64(len(payload)) && size+length <= uint64(len(payload)) {
			Reseal(payload[:size+length])
		}
	}
}

// Change is the property that a frame which someone changes who knows the
// format is decoded or rejected: numbers in the parameters and in the payload,
// lengths and counts, parts of another frame, the length of the payload; with
// correct checksums. A decoder must return an error or a structure that can be
// used: nothing is known about its keys, but nothing may panic, all reads must
// return, all forms must agree, and what is added must be found.
func (s Frames[S]) Change(t *rapid.T) {
	fam := drawFamily(t)
	original, _ := s.draw(t, fam)
	source, _ := s.draw(t, fam)
	b, another := encode(t, original), encode(t, source)
	for range 5 { // most are rejected, and cost little time
		changed := bytes.Clone(b)
		for range rapid.IntRange(1, 8).Draw(t, "number of changes") {
			changed = change(t, changed, another)
		}
		Reseal(changed)
		f := original
		if rapid.Bool().Draw(t, "into a receiver") {
			f = s.Receiver(fam)
		}
		if s.decodeAny(t, f, changed) {
			s.use(t, f, changed)
			return
		}
	}
}

// decodeAny decodes b into f without allocating much more than the bytes take.
// It reports whether b is valid.
func (s Frames[S]) decodeAny(t rapid.TB, f S, b []byte) (valid bool) {
	took := LeastAllocated(1, func() { valid = s.decode(t, f, b, nil) })
	require.LessOrEqual(t, took, uint64(16*len(b)+4<<20), "allocated bytes for a frame of %d", len(b))
	return valid
}

// use uses a structure that was decoded from a changed frame.
func (s Frames[S]) use(t *rapid.T, f S, b []byte) {
	require.True(t, f.Equal(f))
	s.Reads(f)
	shown(f)
	requireBytes(t, b, encode(t, f), "a read changed the structure")
	m := s.machine(t, f.Family())
	m.F, m.forged, m.Exact = f, true, false
	m.Resync()
	m.allFormsAgree()
	m.repeat()
}

// change changes the frame b in one place, half of the time in its header. It
// changes neither the magic nor the version, which other properties do.
func change(t *rapid.T, b, another []byte) []byte {
	last := len(b) / 8
	if rapid.Bool().Draw(t, "in the header") {
		last = min(last, headerBytes(b)/8)
	}
	word := func() []byte { return b[8*rapid.IntRange(offsetPayload/8, last-1).Draw(t, "word"):] }
	w := word()
	switch rapid.SampledFrom([]string{"flip a bit", "write a number", "add a number", "copy words", "copy words of another frame",
		"resize", "resize at the end", "length of the parameters"}).Draw(t, "change") {
	case "flip a bit":
		w[rapid.IntRange(0, 7).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	case "write a number":
		size := 1 << rapid.IntRange(0, 3).Draw(t, "log of its bytes")
		number := binary.LittleEndian.AppendUint64(nil, drawNumber(t))
		copy(w[rapid.IntRange(0, 8/size-1).Draw(t, "place")*size:][:size], number)
	case "add a number":
		binary.LittleEndian.PutUint64(w, binary.LittleEndian.Uint64(w)+uint64(rapid.Int64Range(-128, 127).Draw(t, "number")))
	case "copy words":
		copy(w[:min(len(w), 8*rapid.IntRange(1, 8).Draw(t, "words"))], bytes.Clone(word()))
	case "copy words of another frame":
		copy(w[:min(len(w), 8*rapid.IntRange(1, 8).Draw(t, "words"))], another[min(len(b)-len(w), len(another)):])
	case "resize":
		return resize(t, b, len(b)-len(w)-headerBytes(b))
	case "resize at the end":
		return resize(t, b, len(b))
	default:
		b[offsetParamLen] = rapid.Byte().Draw(t, "length")
	}
	return b
}

// drawNumber draws 0 or a number near a power of two, which decoders must
// check.
func drawNumber(t *rapid.T) uint64 {
	power := uint64(1) << rapid.IntRange(0, 63).Draw(t, "power")
	return power + rapid.SampledFrom([]uint64{0, 1, ^uint64(0), -power}).Draw(t, "plus")
}

// resize adds some words to the payload of b, before offset i, or removes some,
// and corrects its length in the header.
func resize(t *rapid.T, b []byte, i int) []byte {
	start := headerBytes(b)
	if start+8 > len(b) {
		return b
	}
	payload := bytes.Clone(b[start : len(b)-8])
	i = max(0, min(i, len(payload)))
	if n := 8 * rapid.IntRange(-20, 20).Draw(t, "words more"); n > 0 {
		payload = slices.Insert(payload, i, make([]byte, n)...)
	} else {
		payload = slices.Delete(payload, max(0, i+n), i)
	}
	b = append(bytes.Clone(b[:start]), payload...)
	binary.LittleEndian.PutUint64(b[offsetPayload:], uint64(len(payload)))
	return append(b, make([]byte, 8)...)
}

// Fuzz decodes any bytes, as they are and with correct checksums, which almost
// nothing gets past otherwise, under all families, and uses the structures.
func (s Frames[S]) Fuzz(f *testing.F) {
	for _, g := range s.Golden {
		f.Add(encode(f, g.Build()))
	}
	FuzzBytes(f, func(t *testing.T, b []byte) {
		sealed := bytes.Clone(b)
		Reseal(sealed)
		for _, fam := range families {
			g := s.Receiver(fam)
			s.decodeAny(t, g, b)
			if s.decodeAny(t, g, sealed) {
				s.Reads(g)
				Agree(t, questionsOf(g, s.Questions), names)
				requireBytes(t, sealed, encode(t, g), "a read changed the structure")
			}
		}
	})
}

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
